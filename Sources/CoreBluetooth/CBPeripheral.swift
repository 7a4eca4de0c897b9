/// A remote device in the peripheral role.
open class CBPeripheral: CBPeer {
}

import BridgeIO
import BridgeProtocol
import CBluetooth
import Glibc

/// Why links end, from the controller itself: bluetoothd says so on D-Bus only since 5.83.
///
/// A raw HCI socket shows `Disconnection Complete` events without any privilege. They name links by handle, so the
/// handle is noted while the link stands. Where there are no Bluetooth sockets (containers), there are no reasons.
///
/// - Source: Core Specification Vol 4, Part E, 7.7.5; Linux `net/bluetooth/hci_sock.c`.
@BridgeQueue
final class LinkEndReasons {
  private nonisolated static let disconnectionComplete: UInt8 = 0x05

  private let adapterIndex: UInt16
  private let descriptor: FileDescriptor
  private var watch: DescriptorWatch?
  private var peers: [UInt16: BluetoothAddress] = [:]
  private let onEnd: @BridgeQueue (_ peer: BluetoothAddress, _ reason: BluetoothError) -> Void

  /// Nil without such sockets, or without the adapter.
  init?(adapterIndex: UInt16, onEnd: @escaping @BridgeQueue (BluetoothAddress, BluetoothError) -> Void) {
    self.adapterIndex = adapterIndex
    self.onEnd = onEnd
    do throws(SystemError) {
      descriptor = try BluetoothSocket.make(SOCK_RAW, BTPROTO_HCI)
      var filter = hci_filter()
      filter.type_mask = 1 << UInt32(HCI_EVENT_PKT)
      filter.event_mask.0 = 1 << UInt32(Self.disconnectionComplete)
      try BluetoothSocket.setOption(descriptor.number, CInt(SOL_HCI), CInt(HCI_FILTER), filter)
      try BluetoothSocket.bindHCI(descriptor.number, device: adapterIndex, channel: CInt(HCI_CHANNEL_RAW))
    } catch {
      Log.info("link", "the reasons of disconnects stay unknown: \(error)")
      return nil
    }
    watch = DescriptorWatch(descriptor.number, for: .reading) { [weak self] readiness in self?.ready(readiness) }
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  /// The link to `peer` stands.
  func note(_ peer: BluetoothAddress) {
    let handle = try? HCIReadRSSI.handle(of: peer, adapterIndex: adapterIndex, descriptor: descriptor.number)
    if let handle = handle ?? nil { peers[handle] = peer }
  }

  private func ready(_ readiness: Readiness) {
    var packet = [UInt8](repeating: 0, count: 260)
    while true {
      let count = read(descriptor.number, &packet, packet.count)
      guard count > 0 else { break }
      guard let (handle, reason) = Self.ended(packet[..<count]), let peer = peers.removeValue(forKey: handle) else {
        continue
      }
      onEnd(peer, Self.error(for: reason))
    }
    // The adapter is gone.
    if readiness.contains(.hangUp) || readiness.contains(.error) { stop() }
  }

  /// Handle and reason of a successful `Disconnection Complete`.
  nonisolated static func ended(_ packet: ArraySlice<UInt8>) -> (handle: UInt16, reason: UInt8)? {
    let bytes = Array(packet)
    guard bytes.count >= 7, bytes[0] == UInt8(HCI_EVENT_PKT), bytes[1] == disconnectionComplete, bytes[3] == 0 else {
      return nil
    }
    return ((UInt16(bytes[4]) | UInt16(bytes[5]) << 8) & 0x0FFF, bytes[6])
  }

  /// - Source: Core Specification Vol 1, Part F, "Controller Error Codes".
  nonisolated static func error(for reason: UInt8) -> BluetoothError {
    switch reason {
    case 0x08, 0x22: .connectionTimeout
    case 0x05, 0x06: .peerRemovedPairingInformation
    case 0x3D: .encryptionTimedOut
    case 0x3E: .connectionFailed
    default: .peripheralDisconnected
    }
  }
}

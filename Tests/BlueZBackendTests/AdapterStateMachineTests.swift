import BridgeProtocol
import Testing

@testable import BlueZBackend

@Suite struct AdapterStateMachineTests {
  private var machine = AdapterStateMachine()

  @Test mutating func `nothing found is unknown, then unsupported`() {
    machine.observe(.noService)
    #expect(machine.state == .unknown && machine.isInGrace)
    machine.graceEnded()
    #expect(machine.state == .unsupported && !machine.isInGrace)
    machine.observe(.noAdapter)
    #expect(machine.state == .unsupported && !machine.isInGrace)
  }

  @Test mutating func `an adapter settles the state`() {
    machine.observe(.adapter(isPowered: false))
    #expect(machine.state == .poweredOff && !machine.isInGrace)
    machine.observe(.adapter(isPowered: true))
    #expect(machine.state == .poweredOn)
    machine.graceEnded()
    #expect(machine.state == .poweredOn)
  }

  @Test mutating func `a restart of bluetoothd is resetting until its adapter is back`() {
    machine.observe(.adapter(isPowered: true))
    machine.observe(.noService)
    #expect(machine.state == .resetting && machine.isInGrace)
    machine.observe(.noAdapter)
    #expect(machine.state == .resetting)
    machine.observe(.adapter(isPowered: true))
    #expect(machine.state == .poweredOn)
  }

  @Test mutating func `a restart that does not come is unsupported in the end`() {
    machine.observe(.adapter(isPowered: true))
    machine.observe(.noService)
    machine.graceEnded()
    #expect(machine.state == .unsupported)
  }

  @Test mutating func `an unplugged adapter is unknown, then unsupported`() {
    machine.observe(.adapter(isPowered: true))
    machine.observe(.noAdapter)
    #expect(machine.state == .unknown && machine.isInGrace)
    machine.graceEnded()
    #expect(machine.state == .unsupported)
  }

  @Test mutating func `a refusal by the bus is unauthorized`() {
    machine.observe(.denied)
    #expect(machine.state == .unauthorized && !machine.isInGrace)
  }
}

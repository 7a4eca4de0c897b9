import BridgeIO
import BridgeProtocol
import Testing

@testable import MockBackend

@Suite struct WaitingDevicesTests {
  @BridgeQueue
  private func devices(_ count: Int) -> [VirtualDevice] {
    (0..<count).map { number in
      let id = PeripheralIdentifier(high: UInt64(number), low: 1)
      let peripheral = ConfiguredPeripheral(MockDevice(id: id, name: "Device \(number)"))
      return VirtualDevice(peripheral, revision: 1, addsConfigurations: true)
    }
  }

  @Test @BridgeQueue func oneThatWaitsIsNotQueuedAgain() {
    let devices = devices(3)
    var waiting = WaitingDevices()
    for device in devices + devices { waiting.append(device) }
    #expect(waiting.popFirst() === devices[0])
    waiting.append(devices[0])
    #expect(waiting.popFirst() === devices[1])
    #expect(waiting.popFirst() === devices[2])
    #expect(waiting.popFirst() === devices[0])
    #expect(waiting.popFirst() == nil && waiting.isEmpty)
  }

  @Test @BridgeQueue func oneThatIsTakenOutOfTheWorldIsLeftOut() {
    let devices = devices(2)
    var waiting = WaitingDevices()
    for device in devices { waiting.append(device) }
    devices[0].isWaiting = false
    #expect(waiting.popFirst() === devices[1])
    waiting.append(devices[0])
    #expect(waiting.popFirst() === devices[0])
  }

  @Test @BridgeQueue func thousandsKeepTheirOrderWhileMoreCome() {
    let devices = devices(3000)
    var waiting = WaitingDevices()
    for device in devices { waiting.append(device) }
    for round in 0..<2 {
      for device in devices {
        #expect(waiting.popFirst() === device)
        if round == 0 { waiting.append(device) }
      }
    }
    #expect(waiting.isEmpty)
    waiting.append(devices[0])
    waiting.removeAll()
    #expect(waiting.isEmpty && !devices[0].isWaiting)
  }
}

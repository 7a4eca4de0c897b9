import CoreBluetooth
import EmulationTestSupport

extension CentralSuite {
  static let endChecks = [
    SuiteCheck("DISC-11 a service that changes is told, leaves the list, and is found again") { suite in
      let change = try await suite.characteristic(SuiteLayout.change, of: SuiteLayout.second)
      let second = try await suite.service(SuiteLayout.second)
      let peripheral = try await suite.connected()
      peripheral.writeValue(Data([1]), for: change, type: .withResponse)
      try await suite.app.inbox.first("change of services") {
        if case .modified(let services) = $0, services.contains(where: { $0 === second }) { () } else { nil }
      }
      try expect(peripheral.services?.contains { $0 === second } == false, "the service is still listed")
      // It may come back a little later, which is told as well.
      while try await !suite.app.services(of: peripheral).contains(where: { $0.uuid == SuiteLayout.second }) {
        try await suite.app.inbox.first("change of services") { if case .modified = $0 { () } else { nil } }
      }
      let text = try await suite.characteristic(SuiteLayout.secondText, of: SuiteLayout.second)
      try expect(try await suite.app.read(text), is: Data("second".utf8), "its value")
    },
    SuiteCheck("CONN-11 CONN-14 DISC-10 a link that the device ends is told with its reason") { suite in
      let hangUp = try await suite.characteristic(SuiteLayout.hangUp)
      let peripheral = try await suite.connected()
      peripheral.writeValue(Data([1]), for: hangUp, type: .withResponse)
      let error = try await suite.app.disconnection()
      try expect((error as? CBError)?.code == .peripheralDisconnected, "the error is \(String(describing: error))")
      try expect(peripheral.state == .disconnected && peripheral.services == nil, "the peripheral shows a connection")
    },
    SuiteCheck("CONN-7 a connect that is cancelled ends as a disconnect without an error") { suite in
      let peripheral = try await suite.disconnected()
      suite.manager.connect(peripheral)
      suite.manager.cancelPeripheralConnection(peripheral)
      try expect(try await suite.app.disconnection() == nil, "an error")
      try expect(peripheral.state == .disconnected, "the state is \(peripheral.state.rawValue)")
    },
    SuiteCheck("CONN-8 GATT-25 a device can be connected again, and let go of") { suite in
      let peripheral = try await suite.disconnected()
      try await suite.app.connect(peripheral)
      let text = try await suite.characteristic(SuiteLayout.text)
      try expect(try await suite.app.read(text), is: SuiteLayout.textValue, "the value")
      try expect(try await !suite.characteristic(SuiteLayout.notifying).isNotifying, "it notifies")
      suite.manager.cancelPeripheralConnection(peripheral)
      try expect(peripheral.state == .disconnecting, "the state is \(peripheral.state.rawValue)")
      try expect(try await suite.app.disconnection() == nil, "an error")
      try expect(peripheral.state == .disconnected, "the state is \(peripheral.state.rawValue)")
      // And nothing of it works any more.
      peripheral.readValue(for: text)
    },
  ]
}

import CoreBluetooth
import EmulationTestSupport

extension CentralSuite {
  static let scanChecks = [
    SuiteCheck("STATE-1 the state comes after the manager is made") { suite in
      try await suite.turnedOn()
      try expect(CBManager.authorization == .allowedAlways, "not authorised")
    },
    SuiteCheck("SCAN-1 SCAN-11 a scan without services finds everybody") { suite in
      suite.manager.scanForPeripherals(withServices: nil)
      try expect(suite.manager.isScanning, "isScanning is false")
      var names: Set<String> = []
      while !names.isSuperset(of: [SuiteLayout.name, SuiteLayout.neighbour]) {
        if let name = try await suite.app.discovery().data[CBAdvertisementDataLocalNameKey] as? String {
          names.insert(name)
        }
      }
      suite.manager.stopScan()
      try expect(!suite.manager.isScanning, "isScanning is true")
    },
    SuiteCheck("SCAN-2 SCAN-5 a scan for a service finds who advertises it") { suite in
      // Also here: the service that the device has and does not advertise.
      suite.manager.scanForPeripherals(withServices: [SuiteLayout.second, SuiteLayout.other])
      for _ in 0..<2 {
        let found = try await suite.app.discovery()
        let uuids = found.data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        try expect(uuids, is: [SuiteLayout.other], "the advertised list")
        suite.manager.stopScan()
        suite.manager.scanForPeripherals(withServices: [SuiteLayout.other])
      }
      suite.manager.stopScan()
    },
    SuiteCheck("SCAN-14 SCAN-15 SCAN-16 an advertisement has Apple's keys and types") { suite in
      suite.manager.scanForPeripherals(withServices: [SuiteLayout.main])
      // The scan response may come later.
      var data: [String: Any] = [:]
      while data[CBAdvertisementDataLocalNameKey] == nil || data[CBAdvertisementDataManufacturerDataKey] == nil {
        let found = try await suite.app.discovery()
        data = found.data
        try expect((-127...20).contains(found.rssi) || found.rssi == 127, "RSSI \(found.rssi)")
      }
      suite.manager.stopScan()
      try expect(data[CBAdvertisementDataLocalNameKey] as? String, is: SuiteLayout.name, "the name")
      try expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID], is: [SuiteLayout.main], "the list")
      try expect(
        data[CBAdvertisementDataManufacturerDataKey] as? Data, is: SuiteLayout.manufacturerData, "manufacturer data")
      try expect((data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue, is: true, "IsConnectable")
    },
    SuiteCheck("SCAN-6 SCAN-8 SCAN-9 repeats come with duplicates alone, and again in each scan") { suite in
      for _ in 0..<2 {
        suite.manager.scanForPeripherals(
          withServices: [SuiteLayout.main], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        for _ in 0..<4 { _ = try await suite.app.discovery() }
        suite.manager.stopScan()
      }
      // Repeats that were on their way have come when this is answered.
      _ = await suite.blocking { $0.retrievePeripherals(withIdentifiers: [UUID()]) }
      suite.app.inbox.removeAll()
      suite.manager.scanForPeripherals(withServices: [SuiteLayout.main])
      _ = try await suite.app.discovery()
      // Long enough for several advertisements. A scan response may make one more report, a changed name another.
      try await Task.sleep(for: .seconds(1.5))
      let more = suite.app.inbox.pending.count { if case .discovered = $0 { true } else { false } }
      suite.manager.stopScan()
      try expect(more <= 2, "\(more) reports more")
    },
    SuiteCheck("NAME-1 NAME-2 QUEUE-9 a device is one object with one identifier and its name") { suite in
      let peripheral = try await suite.peripheral()
      suite.manager.scanForPeripherals(withServices: [SuiteLayout.main])
      let again = try await suite.app.discovery().peripheral
      suite.manager.stopScan()
      try expect(again === peripheral, "another object")
      try expect(peripheral.name, is: SuiteLayout.name, "the name")
    },
    SuiteCheck("RETR-1 a device that is known is retrieved, another is not") { suite in
      let identifier = try await suite.peripheral().identifier
      let found = await suite.blocking { $0.retrievePeripherals(withIdentifiers: [UUID(), identifier]) }
      try expect(found, is: [identifier], "what is retrieved")
    },
    SuiteCheck("CONN-1 CONN-2 RETR-2 a connect connects, and the host knows of it") { suite in
      let peripheral = try await suite.peripheral()
      suite.manager.connect(peripheral)
      try expect(peripheral.state == .connecting, "the state is \(peripheral.state.rawValue)")
      try await suite.app.connection()
      try expect(peripheral.state == .connected, "the state is \(peripheral.state.rawValue)")
      try expect(peripheral.services == nil, "services are known already")
      let identifier = peripheral.identifier
      let found = await suite.blocking { $0.retrieveConnectedPeripherals(withServices: [SuiteLayout.main]) }
      try expect(found, is: [identifier], "what is connected")
      let others = await suite.blocking { $0.retrieveConnectedPeripherals(withServices: [SuiteLayout.other]) }
      try expect(others, is: [], "what is connected with another service")
    },
  ]
}

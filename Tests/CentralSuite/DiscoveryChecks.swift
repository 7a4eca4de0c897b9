import CoreBluetooth
import EmulationTestSupport

extension CentralSuite {
  static let discoveryChecks = [
    SuiteCheck("DISC-2 DISC-3 services are found by filter, and add up") { suite in
      let peripheral = try await suite.connected()
      func services(_ uuids: [CBUUID]?) async throws -> [CBUUID] {
        try await suite.app.services(of: peripheral, uuids).map(\.uuid)
      }
      try expect(try await services([SuiteLayout.other]), is: [], "services that are not there")
      try expect(try await services([SuiteLayout.second]), is: [SuiteLayout.second], "one service")
      let all = try await services(nil)
      try expect(
        all.filter { [SuiteLayout.main, SuiteLayout.second].contains($0) }, is: [SuiteLayout.main, SuiteLayout.second],
        "all services")
      try expect(!all.contains(SuiteLayout.included), "the secondary service is listed")
      try expect(!all.contains(CBUUID(string: "1800")) && !all.contains(CBUUID(string: "1801")), "1800 or 1801 shows")
    },
    SuiteCheck("DISC-4 DISC-6 characteristics are found by filter, in order, and stay the objects that they are") {
      suite in
      let service = try await suite.service()
      try expect(service.characteristics == nil, "characteristics are known already")
      let one = try await suite.app.characteristics(of: service, [SuiteLayout.store])
      try expect(one.map(\.uuid), is: [SuiteLayout.store], "one characteristic")
      let all = try await suite.app.characteristics(of: service)
      try expect(all.map(\.uuid), is: SuiteLayout.all, "all characteristics")
      try expect(all.contains { $0 === one[0] }, "another object")
      let wanted: [CBCharacteristicProperties] = [
        .read, .read, [.read, .write, .writeWithoutResponse], [.read, .notify], [.read, .indicate], [.read, .write],
        .write, .write,
      ]
      try expect(all.map(\.properties), is: wanted, "properties")
    },
    SuiteCheck("DISC-8 an included service is found through the one that includes it") { suite in
      let service = try await suite.service()
      try expect(service.includedServices == nil, "included services are known already")
      service.peripheral?.discoverIncludedServices(nil, for: service)
      try await suite.app.inbox.first("included services") {
        if case .includedServices(_, let error) = $0 { Answer(error) } else { nil }
      }.check()
      let included = try need(service.includedServices?.first, "included service")
      try expect(included.uuid == SuiteLayout.included && !included.isPrimary, "another service")
      let found = try await suite.app.characteristics(of: included)
      try expect(found.map(\.uuid), is: [SuiteLayout.includedText], "its characteristics")
      try expect(try await suite.app.read(found[0]), is: Data("included".utf8), "its value")
    },
    SuiteCheck("DISC-7 DESC-2 DESC-3 descriptors are found, with values of Apple's types") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.notifying)
      let descriptors = try await suite.app.descriptors(of: characteristic)
      try expect(Set(descriptors.map(\.uuid.uuidString)), is: ["2901", "2902", "2904"], "the descriptors")
      for descriptor in descriptors {
        try expect(descriptor.value == nil, "a value that nobody has read")
        let value = try await suite.app.read(descriptor)
        switch descriptor.uuid.uuidString {
        case "2901": try expect(value as? String, is: SuiteLayout.description, "2901")
        case "2902": try expect((value as? NSNumber)?.intValue, is: 0, "2902")
        default: try expect(value as? Data, is: SuiteLayout.format, "2904")
        }
      }
    },
  ]
}

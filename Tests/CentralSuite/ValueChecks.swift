import CoreBluetooth
import EmulationTestSupport

extension CentralSuite {
  static let valueChecks = [
    SuiteCheck("GATT-1 GATT-13 reads are answered one by one") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.text)
      for _ in 0..<3 { characteristic.service?.peripheral?.readValue(for: characteristic) }
      for _ in 0..<3 {
        try expect(try await suite.app.value(of: characteristic), is: SuiteLayout.textValue, "the value")
      }
    },
    SuiteCheck("GATT-2 a value longer than a packet is read whole") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.long)
      try expect(try await suite.app.read(characteristic), is: SuiteLayout.longValue, "the value")
    },
    SuiteCheck("GATT-6 GATT-9 a write is answered and does not show until it is read") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.store)
      let before = characteristic.value
      try await suite.app.write(Data([1, 2, 3]), to: characteristic)
      try expect(characteristic.value, is: before, "the value before it is read")
      try expect(try await suite.app.read(characteristic), is: Data([1, 2, 3]), "the value")
    },
    SuiteCheck("GATT-10 MTU-2 values up to 512 bytes are written whole, longer ones refused") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.store)
      let peripheral = try await suite.connected()
      try expect(peripheral.maximumWriteValueLength(for: .withResponse), is: 512, "the longest write")
      let value = Data((0..<512).map { UInt8(truncatingIfNeeded: $0 * 3) })
      try await suite.app.write(value, to: characteristic)
      try expect(try await suite.app.read(characteristic), is: value, "the value")
      let code = await suite.attError { try await suite.app.write(Data(count: 513), to: characteristic) }
      try expect(code, is: 13, "the error of 513 bytes")
    },
    SuiteCheck("FLOW-1 GATT-7 GATT-11 MTU-1 writes without response arrive, in order, at the app's pace") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.store)
      let peripheral = try await suite.connected()
      let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
      try expect((20...514).contains(length), "a write of \(length) bytes")
      for number in 0..<60 {
        while !peripheral.canSendWriteWithoutResponse {
          try await suite.app.inbox.first("room") { if case .ready = $0 { () } else { nil } }
        }
        peripheral.writeValue(
          Data(repeating: UInt8(number), count: min(length, 40)), for: characteristic, type: .withoutResponse)
      }
      try expect(
        try await suite.app.read(characteristic), is: Data(repeating: 59, count: min(length, 40)), "the last value")
    },
    SuiteCheck("GATT-20 GATT-24 GATT-27 notifications come in order while they are subscribed to") { suite in
      try await suite.hearsCounter(SuiteLayout.notifying)
    },
    SuiteCheck("GATT-20 indications come in order while they are subscribed to") { suite in
      try await suite.hearsCounter(SuiteLayout.indicating)
    },
    SuiteCheck("GATT-12 GATT-3 the device's errors keep their numbers") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.failing)
      let read = await suite.attError { _ = try await suite.app.read(characteristic) }
      try expect(read, is: SuiteLayout.readError, "the error of a read")
      let write = await suite.attError { try await suite.app.write(Data([1]), to: characteristic) }
      try expect(write, is: SuiteLayout.writeError, "the error of a write")
      try expect(characteristic.value == nil, "a value")
    },
    SuiteCheck("GATT-4 GATT-6 GATT-21 what properties do not allow is refused") { suite in
      let writeOnly = try await suite.characteristic(SuiteLayout.writeOnly)
      try expect(await suite.attError { _ = try await suite.app.read(writeOnly) }, is: 2, "the error of a read")
      let text = try await suite.characteristic(SuiteLayout.text)
      try expect(await suite.attError { try await suite.app.write(Data([1]), to: text) }, is: 3, "the error of a write")
      text.service?.peripheral?.setNotifyValue(true, for: text)
      let answer = try await suite.app.inbox.first("notification state") {
        if case .notification(text, false, let error) = $0 { Answer(error) } else { nil }
      }
      try expect((answer.error as? CBATTError)?.code.rawValue, is: 6, "the error of a subscription")
    },
    SuiteCheck("DESC-1 the client configuration is not written as a descriptor") { suite in
      let characteristic = try await suite.characteristic(SuiteLayout.notifying)
      let descriptors = try await suite.app.descriptors(of: characteristic)
      let configuration = try need(descriptors.first { $0.uuid.uuidString == "2902" }, "2902")
      let error = await failure(of: { try await suite.app.write(Data([1, 0]), to: configuration) })
      try expect((error as? CBError)?.code == .uuidNotAllowed, "the error is \(String(describing: error))")
    },
    SuiteCheck("NAME-5 the signal's strength is told") { suite in
      try await suite.connected().readRSSI()
      let rssi = try await suite.app.inbox.first("RSSI") { if case .rssi(let rssi) = $0 { rssi } else { nil } }
      try expect((-127...20).contains(rssi), "RSSI \(rssi)")
    },
  ]
}

extension SuiteApp {
  /// Subscribes to a characteristic that counts, hears three values in a row, and ends the subscription.
  fileprivate func hearsCounter(_ uuid: CBUUID) async throws {
    let characteristic = try await characteristic(uuid)
    characteristic.service?.peripheral?.setNotifyValue(true, for: characteristic)
    var isTold = false
    var heard: [UInt8] = []
    // A value may come before the subscription is told.
    while !isTold || heard.count < 3 {
      let value = try await app.inbox.first("notification or its state") { (event) -> (Data?, Answer)?? in
        switch event {
        case .value(characteristic, let data, let error): .some((data, Answer(error)))
        case .notification(characteristic, true, nil): .some(nil)
        default: nil
        }
      }
      guard let value else {
        isTold = true
        continue
      }
      try value.1.check()
      heard.append(try need(value.0?.first, "byte in a value"))
    }
    try expect(characteristic.isNotifying, "isNotifying is false")
    for (before, after) in zip(heard, heard.dropFirst()) {
      try expect(after, is: before &+ 1, "the value after \(before)")
    }
    try await app.setNotify(false, characteristic)
    try expect(!characteristic.isNotifying, "isNotifying is true")
  }
}

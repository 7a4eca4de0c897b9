import CoreBluetooth
import Testing

@Suite struct UsageTests {
  @Test("Managers are made in all the ways that apps have")
  func making() {
    let scanner = Scanner()
    #expect(CBCentralManager().state == .unknown)
    #expect(CBCentralManager(delegate: scanner, queue: nil).delegate === scanner)
    let type: Central.Type = CBCentralManager.self
    #expect(type.init(delegate: nil, queue: nil, options: nil).isScanning == false)
    #expect("\(CBPeripheralManagerConnectionLatency.low)" == "low")
  }

  @Test("Errors are caught as Apple's are")
  func errors() {
    let scanner = Scanner()
    #expect(scanner.attempt { throw CBError(.connectionTimeout) } == 6)
    #expect(scanner.attempt { throw CBATTError(.insufficientEncryption) } == 15)
    #expect(scanner.reason(CBError(.peripheralDisconnected)) == "gone")
    #expect(scanner.reason(CBATTError(CBATTError.Code(rawValue: 0x80)!)) == "ATT 128")
  }
}

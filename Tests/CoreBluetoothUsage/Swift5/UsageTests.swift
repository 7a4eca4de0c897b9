import CoreBluetooth
import Testing

@Suite struct UsageTests {
  @Test("Managers are made in all the ways that apps have")
  func making() {
    let scanner = Scanner()
    #expect(CBCentralManager().state == .unknown)
    #expect(CBCentralManager(delegate: scanner, queue: nil).delegate === scanner)
    #expect(!isScanning(CBCentralManager.self))
    #expect("\(CBPeripheralManagerConnectionLatency.low)" == "low")
  }

  /// Not optimised: with a metatype that it knows, Swift 6.3's optimizer ends with an ownership error.
  @_optimize(none) private func isScanning(_ type: Central.Type) -> Bool {
    type.init(delegate: nil, queue: nil, options: nil).isScanning
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

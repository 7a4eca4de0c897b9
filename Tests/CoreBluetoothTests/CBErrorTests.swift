import CoreBluetooth
import Testing

/// Both error types, used as apps do.
@Suite struct CBErrorTests {
  private func fail(_ error: some Error) throws { throw error }

  @Test func `a CBError is caught, cast and compared by its code`() throws {
    let error: any Error = CBError(.peripheralDisconnected, userInfo: [NSLocalizedDescriptionKey: "gone"])
    #expect((error as? CBError)?.code == .peripheralDisconnected)
    #expect(error.localizedDescription == "gone")
    #expect((error as NSError).code == 7)
    #expect((error as NSError).domain == CBErrorDomain)
    #expect(CBError.Code(rawValue: (error as NSError).code) == .peripheralDisconnected)
    #expect(CBError.errorDomain == "CBErrorDomain")
    do { try fail(CBError(.connectionTimeout)) } catch CBError.connectionTimeout {} catch { Issue.record("not caught") }
  }

  @Test func `a CBATTError can have a code that has no name`() throws {
    let code = try #require(CBATTError.Code(rawValue: 0x80))
    let error: any Error = CBATTError(code)
    #expect((error as? CBATTError)?.errorCode == 0x80)
    #expect((error as? CBATTError)?.code.rawValue == 0x80)
    #expect((error as NSError).domain == "CBATTErrorDomain")
    do { try fail(CBATTError(.insufficientEncryption)) } catch let error as CBATTError
      where error.code == .insufficientEncryption
    {} catch { Issue.record("not caught") }
  }

  @Test func `the old misspelling is the same code`() { #expect(CBError.Code(rawValue: 12) == CBError.unknownDevice) }
}

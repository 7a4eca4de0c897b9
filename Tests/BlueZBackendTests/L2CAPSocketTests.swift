import BridgeIO
import BridgeProtocol
import Glibc
import Radio
import TestSupport
import Testing

@testable import BlueZBackend

@Suite struct L2CAPSocketTests {
  private let adapter = BluetoothAddress(value: 0xF0F1_F2F3_F4F5, kind: .lePublic)
  private let peer = BluetoothAddress(value: 0xC0C1_C2C3_C4C5, kind: .leRandom)

  @Test(arguments: [UInt16(0), 0x100, 0x2349, 0xFFFF]) @BridgeQueue
  func `a PSM outside the LE range is refused, after the call`(psm: UInt16) async {
    var isReturned = false
    let error: BluetoothError? = await result { done in
      L2CAPSocket.open(adapter: adapter, peer: peer, psm: psm) { result in
        #expect(isReturned)
        guard case .failure(let error) = result else { return done(nil) }
        done(error)
      }
      isReturned = true
    }
    #expect(error == .invalidParameters)
  }

  @Test @BridgeQueue func `giving up completes once`() async {
    var errors: [BluetoothError] = []
    let socket = L2CAPSocket.open(adapter: adapter, peer: peer, psm: 0x80) { result in
      if case .failure(let error) = result { errors.append(error) }
    }
    socket.cancel(.peripheralDisconnected)
    socket.cancel(.operationCancelled)
    await turns()
    #expect(errors == [.peripheralDisconnected])
  }

  @Test func `errno values become errors of CoreBluetooth`() {
    func map(_ number: CInt) -> BluetoothError { L2CAPSocket.openError(SystemError(call: "connect", errno: number)) }
    #expect(map(ECONNREFUSED) == .connectionFailed)
    #expect(map(EACCES) == .attribute(0x0F))
    #expect(map(EINVAL) == .invalidParameters)
    #expect(map(EHOSTUNREACH).code == 10)
    #expect(map(EAFNOSUPPORT).code == 13)
  }
}

import BridgeIO
import BridgeProtocol
import CBluetooth
import Glibc
import Radio

/// Reads a link's signal strength, which bluetoothd does not offer: from the controller over a raw HCI socket, which
/// needs no privilege, else from the kernel's management channel, which needs CAP_NET_ADMIN.
///
/// - Source: Core Specification Vol 4, Part E, 7.5.4 (Read RSSI); BlueZ `doc/mgmt-api.txt` (Get Connection Information).
@BridgeQueue
final class ConnectionRSSI {
  private let adapterIndex: UInt16
  private let peer: BluetoothAddress
  private var completion: RadioCompletion<Int>?
  private var routes: [Route]
  private var descriptor: FileDescriptor?
  private var watch: DescriptorWatch?
  private var timer: QueueTimer?

  private enum Route { case hci, management }

  private static let limit = Duration.seconds(2)

  /// - Parameters:
  ///   - adapterIndex: N of hciN.
  ///   - completion: dBm; `.unknown` when neither way gives a number.
  static func read(adapterIndex: UInt16, peer: BluetoothAddress, completion: @escaping RadioCompletion<Int>) {
    let reading = ConnectionRSSI(adapterIndex, peer, completion)
    BridgeQueue.atEndOfTurn { reading.tryNext() }
  }

  private init(_ adapterIndex: UInt16, _ peer: BluetoothAddress, _ completion: @escaping RadioCompletion<Int>) {
    self.adapterIndex = adapterIndex
    self.peer = peer
    self.completion = completion
    routes = [.hci, .management]
  }

  private func tryNext() {
    release()
    guard !routes.isEmpty else { return finish(.failure(.unknown)) }
    let route = routes.removeFirst()
    do throws(SystemError) {
      switch route {
      case .hci: try askController()
      case .management: try askKernel()
      }
      timer = QueueTimer(after: Self.limit) { self.tryNext() }
    } catch {
      Log.debug("rssi", "\(peer): \(route): \(error)")
      tryNext()
    }
  }

  private func finish(_ result: Result<Int, BluetoothError>) {
    release()
    let completion = completion
    self.completion = nil
    completion?(result)
  }

  private func release() {
    timer?.cancel()
    timer = nil
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  // MARK: Ways

  private func askController() throws(SystemError) {
    let number = try open(device: adapterIndex, channel: HCI_CHANNEL_RAW)
    guard let handle = try HCIReadRSSI.handle(of: peer, adapterIndex: adapterIndex, descriptor: number) else {
      throw SystemError(call: "HCIGETCONNLIST", errno: ENOTCONN)
    }
    try HCIReadRSSI.setFilter(number)
    try exchange(number, HCIReadRSSI.command(handle)) { HCIReadRSSI.answer($0, handle: handle) }
  }

  private func askKernel() throws(SystemError) {
    let number = try open(device: 0xFFFF, channel: HCI_CHANNEL_CONTROL)
    let (index, peer) = (adapterIndex, peer)
    try exchange(number, GetConnectionInformation.command(index, peer)) {
      GetConnectionInformation.answer($0, adapterIndex: index, peer: peer)
    }
  }

  private func open(device: UInt16, channel: CInt) throws(SystemError) -> CInt {
    let new = try BluetoothSocket.make(SOCK_RAW, BTPROTO_HCI)
    let number = new.number
    descriptor = consume new
    try BluetoothSocket.bindHCI(number, device: device, channel: channel)
    return number
  }

  private func exchange(
    _ number: CInt, _ command: [UInt8], answer: @escaping @BridgeQueue ([UInt8]) -> RSSIAnswer
  ) throws(SystemError) {
    try check("write") { CInt(command.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }) }
    watch = DescriptorWatch(number, for: .reading) { _ in self.readable(number, answer) }
  }

  private func readable(_ number: CInt, _ answer: @BridgeQueue ([UInt8]) -> RSSIAnswer) {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = buffer.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) }
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      return tryNext()
    }
    switch answer(Array(buffer.prefix(count))) {
    case .value(let value): finish(.success(value))
    case .refused: tryNext()
    case .other: break
    }
  }
}

/// What one packet says about an outstanding question.
enum RSSIAnswer: Hashable, Sendable {
  /// dBm.
  case value(Int)
  case refused
  /// The packet is about something else.
  case other

  /// 127 stands for a value that is not known.
  init(dBm: UInt8) {
    let value = Int(Int8(bitPattern: dBm))
    self = value == 127 ? .refused : .value(value)
  }
}

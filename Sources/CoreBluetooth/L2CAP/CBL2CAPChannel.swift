public import Foundation

/// A byte stream each way between this app and a peer. It is closed when both streams are, and when nobody keeps it.
open class CBL2CAPChannel: NSObject {
  private let channelPeer: CBPeer
  private let channelPSM: CBL2CAPPSM
  private let pipe: L2CAPPipe
  private let input: L2CAPInputStream
  private let output: L2CAPOutputStream

  package init(peer: CBPeer, psm: CBL2CAPPSM, pipe: L2CAPPipe) {
    channelPeer = peer
    channelPSM = psm
    self.pipe = pipe
    input = L2CAPInputStream(pipe)
    output = L2CAPOutputStream(pipe)
  }

  deinit { pipe.close() }

  /// A `CBPeripheral` in the central role, a `CBCentral` in the peripheral role.
  open var peer: CBPeer! { channelPeer }

  /// To be opened by the app; what came before is kept for it.
  open var inputStream: InputStream! { input }

  open var outputStream: OutputStream! { output }

  open var psm: CBL2CAPPSM { channelPSM }

  open override var description: String { Description(self, ["peer = \(channelPeer)", "PSM = \(psm)"]).text }
}

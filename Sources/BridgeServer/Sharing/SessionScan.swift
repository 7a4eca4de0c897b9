import BridgeProtocol

/// One session's running scan.
struct SessionScan {
  let request: Scan
  /// nil for the usual one.
  let spelling: UUIDSpelling?

  init(_ request: Scan) {
    self.request = request
    let spelling = UUIDSpelling(request.services + request.solicitedServices)
    self.spelling = spelling == UUIDSpelling() ? nil : spelling
  }
}

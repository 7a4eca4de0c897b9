/// The version of the service, as `welcome` and `--version` give it.
enum BridgeVersion {
  static let current = "0.1.0"
}

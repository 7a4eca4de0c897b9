/// How long each step of an inspection may take; past it, the device, service or value is left as it is.
struct InspectionLimits {
  var connect = Duration.seconds(5)
  var discovery = Duration.seconds(8)
  var read = Duration.seconds(6)
  /// For the device's own goodbye.
  var disconnect = Duration.seconds(2)
}

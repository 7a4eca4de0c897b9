import BridgeIO

/// Devices that are to be reported, in their order, each once.
@BridgeQueue
struct WaitingDevices {
  private var devices: [VirtualDevice] = []
  private var next = 0

  var isEmpty: Bool { next == devices.count }

  /// Does nothing if it waits already.
  mutating func append(_ device: VirtualDevice) {
    guard !device.isWaiting else { return }
    device.isWaiting = true
    devices.append(device)
  }

  /// Leaves out those that were taken out of the world meanwhile.
  mutating func popFirst() -> VirtualDevice? {
    while next < devices.count {
      let device = devices[next]
      next += 1
      dropTaken()
      guard device.isWaiting else { continue }
      device.isWaiting = false
      return device
    }
    return nil
  }

  private mutating func dropTaken() {
    guard next == devices.count || next >= 1024 && next > devices.count / 2 else { return }
    devices.removeFirst(next)
    next = 0
  }

  mutating func removeAll() {
    for device in devices[next...] { device.isWaiting = false }
    devices = []
    next = 0
  }
}

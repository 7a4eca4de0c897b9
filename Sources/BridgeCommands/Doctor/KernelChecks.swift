import BridgeIO
import CBluetooth
import Glibc

/// What the kernel says: controllers, rfkill, and whether its Bluetooth sockets can be opened.
struct KernelChecks {
  /// Usually `/sys`; tests give a folder of their own.
  var sysfs = "/sys"

  /// Names of the controllers the kernel knows, `hci0`…, without links (`hci0:64`).
  var controllers: [String] {
    names(in: sysfs + "/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
  }

  func adapter() -> Finding {
    let controllers = controllers
    guard controllers.isEmpty else { return .good("adapter", controllers.joined(separator: ", ")) }
    return .problem(
      "adapter", "the kernel knows no Bluetooth controller",
      advice: "Plug in a USB Bluetooth LE dongle ('lsusb', 'dmesg | grep -i bluetooth' show whether it was recognised)."
        + " In a virtual machine, pass the USB device through. Without one, bridge serves virtual devices;"
        + " scripts/demo shows it with a virtual adapter.")
  }

  func rfkill() -> Finding {
    let folder = sysfs + "/class/rfkill"
    let blocked = names(in: folder).compactMap { name -> (device: String, hard: Bool)? in
      let path = "\(folder)/\(name)"
      guard text(path + "/type") == "bluetooth" else { return nil }
      let hard = text(path + "/hard") == "1"
      return hard || text(path + "/soft") == "1" ? (text(path + "/name") ?? name, hard) : nil
    }
    guard let first = blocked.first else { return .good("rfkill", "Bluetooth is not blocked") }
    return .problem(
      "rfkill", "\(first.device) is blocked by \(first.hard ? "a hardware switch" : "software")",
      advice: first.hard
        ? "Turn the machine's radio switch on, or leave flight mode." : "Run 'rfkill unblock bluetooth' as root.")
  }

  func sockets() -> Finding {
    let l2cap = canOpen(CInt(SOCK_SEQPACKET.rawValue), BTPROTO_L2CAP)
    let hci = canOpen(CInt(SOCK_RAW.rawValue), BTPROTO_HCI)
    switch (l2cap, hci) {
    case (nil, nil): return .good("capabilities", "L2CAP channels and RSSI of connected devices can be had")
    case (nil, let error?):
      return .notice(
        "capabilities", "RSSI of connected devices comes from their last advertisement (\(error))",
        advice: "Allow raw HCI sockets: run on the host's network, or grant CAP_NET_RAW.")
    case (let error?, _):
      return .notice(
        "capabilities", "no L2CAP channels (\(error))",
        advice: error.errno == EAFNOSUPPORT
          ? "Bluetooth sockets exist only in the host's network namespace: run the container with host networking."
          : "The rest works without. A seccomp or SELinux rule may forbid AF_BLUETOOTH sockets.")
    }
  }

  private func canOpen(_ type: CInt, _ protocolNumber: CInt) -> SystemError? {
    do throws(SystemError) {
      _ = FileDescriptor(
        owning: try check("socket") { socket(AF_BLUETOOTH, type | CInt(SOCK_CLOEXEC.rawValue), protocolNumber) })
      return nil
    } catch {
      return error
    }
  }

  private func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The first line of a small file.
  private func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, CInt(line.count), file) != nil else { return nil }
    return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

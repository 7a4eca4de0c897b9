// ClientBenchmark read N            median microseconds from readValue to didUpdateValueFor on "Device 0"
// ClientBenchmark notify EACH SECONDS   values per second that the delegate gets from EACH characteristics of "Device 0",
//                                       microseconds of processor per value, kilobytes grown; fails if one is lost
//                                       or out of order
// ClientBenchmark discover N        milliseconds until N peripherals have been told, kilobytes for each of them
// ClientBenchmark managers N        kilobytes for each of N managers that are powered on
// ClientBenchmark hosted-read N, hosted-notify SECONDS   the same with a peripheral in this process
// Devices: Benchmarks/mock_configuration.py. The service: BRIDGE_SOCKET.
import CoreBluetoothEmulator

let queue = DispatchQueue(label: "app")
let arguments = CommandLine.arguments
guard arguments.count >= 3, let count = Int(arguments[2]) else { fail("arguments: see main.swift") }
var host: Host?

switch arguments[1] {
case "read": run(ReadBenchmark(count: count))
case "notify": run(NotifyBenchmark(characteristics: count, seconds: Double(arguments[3]) ?? 1))
case "discover": run(DiscoverBenchmark(count: count))
case "managers": run(ManagersBenchmark(count: count))
case "hosted-read":
  host = Host(notifies: false)
  run(ReadBenchmark(count: count))
case "hosted-notify":
  host = Host(notifies: true)
  run(NotifyBenchmark(characteristics: 1, seconds: Double(count)))
default: fail("arguments: see main.swift")
}

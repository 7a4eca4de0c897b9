// swift-tools-version: 6.2
// An app as others write them, which measures the CoreBluetooth module: against a service, and against a peripheral in its own
// process; see scripts/bench.
import PackageDescription

let package = Package(
  name: "ClientBenchmark",
  // By its name, because the folder may have any.
  dependencies: [.package(name: "bridge", path: "../..")],
  targets: [
    .executableTarget(
      name: "ClientBenchmark", dependencies: [.product(name: "CoreBluetoothEmulator", package: "bridge")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)

// swift-tools-version: 6.2
// Apps as their authors would write them, and their tests. The sources know nothing of bridge; only this file does.
import PackageDescription

let coreBluetooth = Target.Dependency.product(name: "CoreBluetooth", package: "bridge")
let emulator = Target.Dependency.product(name: "CoreBluetoothEmulator", package: "bridge")
let faketooth = Target.Dependency.product(name: "Faketooth", package: "bridge")

let package = Package(
  name: "Examples",
  products: [
    .executable(name: "battery-monitor", targets: ["BatteryMonitor"]),
    .executable(name: "chat", targets: ["Chat"]),
    .executable(name: "emulated-chat", targets: ["EmulatedChat"]),
  ],
  dependencies: [.package(name: "bridge", path: "..")],
  targets: [
    .executableTarget(name: "BatteryMonitor", dependencies: [coreBluetooth]),
    .target(name: "ChatKit", dependencies: [coreBluetooth]),
    .executableTarget(name: "Chat", dependencies: ["ChatKit"]),
    .target(name: "ThermometerKit", dependencies: [coreBluetooth]),
    .target(name: "ExampleSupport", path: "Tests/ExampleSupport"),
    .executableTarget(name: "EmulatedChat", dependencies: ["ChatKit", emulator], path: "Tests/EmulatedChat"),
    .testTarget(name: "BatteryMonitorTests", dependencies: ["BatteryMonitor", "ExampleSupport"]),
    .testTarget(name: "ChatTests", dependencies: ["Chat", "EmulatedChat", "ExampleSupport"]),
    .testTarget(name: "ThermometerKitTests", dependencies: ["ThermometerKit", "ExampleSupport", emulator, faketooth]),
  ]
)

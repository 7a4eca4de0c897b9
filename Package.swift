// swift-tools-version: 6.2
// A section per module, its tests below it; dependencies point up this list only.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The modules whose tests are built, all if unset: `BRIDGE_TESTS=BridgeIO,DBus swift test` while working on these.
let tested = Context.environment["BRIDGE_TESTS"]?.split(separator: ",").map(String.init)

/// A module of ours: a library target and, unless it says otherwise, a test target beside it.
/// `testData` names what in the test folder is read where it lies.
func module(
  _ name: String, _ dependencies: [Target.Dependency], testedWith extra: [Target.Dependency]? = [],
  testData: [String] = []
) -> [Target] {
  var targets: [Target] = [.target(name: name, dependencies: dependencies, swiftSettings: strict)]
  if let extra, tested?.contains(name) ?? true {
    targets.append(
      .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies + extra,
        exclude: testData, swiftSettings: strict))
  }
  return targets
}

/// Source as apps write it, built as apps are: plainly, in one language mode.
func usage(of name: String, in mode: SwiftLanguageMode, _ folder: String) -> [Target] {
  guard tested?.contains(name) ?? true else { return [] }
  return [
    .testTarget(
      name: name + folder + "Tests", dependencies: [.byName(name: name)], path: "Tests/\(name)Usage/\(folder)",
      swiftSettings: [.swiftLanguageMode(mode)])
  ]
}

/// The same checks of a central manager on every transport: a library, a program for the lab, and tests.
func centralSuite() -> [Target] {
  guard tested?.contains("CentralSuite") ?? true else { return [] }
  return [
    .target(
      name: "CentralSuite", dependencies: ["CoreBluetooth", "EmulationTestSupport"], path: "Tests/CentralSuite",
      swiftSettings: strict),
    .executableTarget(
      name: "central-suite", dependencies: ["CentralSuite"], path: "Tests/CentralSuiteProgram", swiftSettings: strict),
    .testTarget(
      name: "CentralSuiteTests",
      dependencies: [
        "BridgeIO", "BridgeProtocol", "BridgeServer", "CentralSuite", "CoreBluetooth", "MockBackend", "TestSupport",
        "bridge",
      ], path: "Tests/CentralSuiteTests", exclude: ["peripheral.json"], swiftSettings: strict),
  ]
}

let package = Package(
  name: "bridge",
  products: [
    .executable(name: "bridge", targets: ["bridge"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
    .library(name: "CoreBluetoothEmulator", targets: ["CoreBluetoothEmulator"]),
    .library(name: "Faketooth", targets: ["Faketooth"]),
  ],
  targets: [
    // C libraries: module maps, and declarations that Swift cannot import by itself.
    .systemLibrary(name: "CCoreBluetooth"),
    .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CLinux"),
  ]
    + module("BridgeIO", ["CLinux"])
    + module("BridgeProtocol", [], testData: ["Corpus", "Transcripts"])
    + module(
      "CoreBluetooth", ["BridgeIO", "BridgeProtocol", "CCoreBluetooth"],
      testedWith: ["BridgeServer", "EmulationTestSupport", "MockBackend", "Radio"])
    + usage(of: "CoreBluetooth", in: .v5, "Swift5") + usage(of: "CoreBluetooth", in: .v6, "Swift6")
    + module("DBus", ["CDBus", "BridgeIO"])
    + module("Radio", ["BridgeIO", "BridgeProtocol"], testedWith: nil)
    + module("RadioFaults", ["BridgeIO", "BridgeProtocol", "Radio"])
    + module("MockBackend", ["BridgeIO", "BridgeProtocol", "Radio", "RadioFaults"], testedWith: ["BridgeServer"])
    + module("BlueZBackend", ["BridgeIO", "BridgeProtocol", "CBluetooth", "DBus", "Radio"])
    + module("ReplayBackend", ["BridgeIO", "BridgeProtocol", "Radio"], testedWith: ["BridgeServer"])
    + module("BridgeServer", ["BridgeIO", "BridgeProtocol", "Radio", "RadioFaults"])
    + module(
      "CoreBluetoothEmulator",
      ["BridgeIO", "BridgeProtocol", "BridgeServer", "CoreBluetooth", "MockBackend", "RadioFaults"],
      testedWith: ["EmulationTestSupport"])
    + module(
      "Faketooth",
      ["BridgeIO", "BridgeProtocol", "BridgeServer", "CoreBluetooth", "MockBackend", "Radio", "RadioFaults"],
      testedWith: ["EmulationTestSupport"])
    + module(
      "BridgeCommands",
      ["BlueZBackend", "BridgeIO", "BridgeProtocol", "BridgeServer", "DBus", "MockBackend", "Radio", "ReplayBackend"])
    + [
      .executableTarget(name: "bridge", dependencies: ["BridgeCommands", "BridgeIO"], swiftSettings: strict),
      .target(
        name: "TestSupport", dependencies: ["BridgeIO", "CLinux", "BridgeProtocol", "DBus", "Radio"],
        path: "Tests/TestSupport",
        swiftSettings: strict),
      .target(
        name: "EmulationTestSupport", dependencies: ["CoreBluetooth"], path: "Tests/EmulationTestSupport",
        swiftSettings: strict),
    ] + centralSuite()
)

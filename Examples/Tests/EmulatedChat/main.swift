// emulated-chat PORT …: the chat on an emulated air, shared by the processes that name the same port.
import ChatKit
import CoreBluetoothEmulator

var words = CommandLine.arguments.dropFirst()
guard let port = words.popFirst().flatMap({ UInt16($0) }) else { exit(64) }
EmulatorBus.shared.enableNetworkMode(port: port)
ChatProgram.run(Array(words))

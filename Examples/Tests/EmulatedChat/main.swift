// emulated-chat PORT|SOCKET …: the chat on an emulated air, shared by the processes that name the same port or service.
import ChatKit
import CoreBluetoothEmulator

var words = CommandLine.arguments.dropFirst()
guard let place = words.popFirst() else { exit(64) }
if let port = UInt16(place) {
  EmulatorBus.shared.enableNetworkMode(port: port)
} else {
  EmulatorBus.shared.enableNetworkMode(socket: place)
}
ChatProgram.run(Array(words))

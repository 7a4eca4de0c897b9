import BridgeCommands
import Glibc

exit(Bridge.run(Array(CommandLine.arguments.dropFirst())).rawValue)

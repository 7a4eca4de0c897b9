import BridgeCommands
import BridgeIO
import Glibc

StandardDescriptors.openMissing()
// Written to a pipe that nobody reads any more, a command is done and has not failed.
SignalWatch.ignoreBrokenPipes()
exit(Bridge.run(Array(CommandLine.arguments.dropFirst())).rawValue)

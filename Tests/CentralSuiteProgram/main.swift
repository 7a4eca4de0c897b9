import CentralSuite
import Foundation

// Makes the checks of the central suite against the service that BRIDGE_SOCKET names; arguments are words of the names of
// those to make. Status 1 if one has failed.

exit(await CentralSuite().runPrinting(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)

// What Apple's module brings along: source files that import nothing else use these.
@_exported public import CCoreBluetooth
@_exported public import Dispatch
@_exported public import Foundation

/// Seconds since 2001-01-01 00:00 UTC. Foundation on Linux does not declare it.
public typealias CFAbsoluteTime = Double

public typealias CBL2CAPPSM = UInt16

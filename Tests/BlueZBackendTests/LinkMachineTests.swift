import BridgeProtocol
import Testing

@testable import BlueZBackend

/// The link's decisions, event by event.
@Suite struct LinkMachineTests {
  private var machine = LinkMachine()

  init() { _ = machine.handle(.appeared(connected: false, resolved: false)) }

  /// What the application would hear of the events.
  private mutating func told(_ events: LinkMachine.Event...) -> [LinkMachine.Action] {
    events.flatMap { machine.handle($0) }.filter { action in
      switch action {
      case .didConnect, .didDisconnect, .didFailToConnect: true
      default: false
      }
    }
  }

  private mutating func link() {
    _ = told(.connectRequested, .connected(true), .connectSucceeded)
    _ = told(.resolved(true), .barrierPassed)
  }

  @Test mutating func `a connect is announced at the reply and GATT opened before`() {
    #expect(machine.handle(.connectRequested) == [.callConnect, .breakScan(true)])
    #expect(machine.handle(.connected(true)) == [.connectionEvent(true), .breakScan(false)])
    #expect(
      machine.handle(.connectSucceeded)
        == [
          .cancel(.lostReply), .holdScan(false), .breakScan(false), .openGATT, .start(.resolve, .limit), .didConnect,
        ])
    #expect(machine.handle(.resolved(true)) == [.askBarrier])
    #expect(machine.handle(.barrierPassed) == [.cancel(.resolve), .gattReady])
  }

  @Test mutating func `a reason that comes after the end of the link still counts`() {
    link()
    #expect(
      told(.connected(false), .reason(.connectionTimeout), .fired(.powerSettle)) == [.didDisconnect(.connectionTimeout)]
    )
  }

  @Test mutating func `services resolved before the reply wait for it`() {
    _ = told(.connectRequested, .connected(true), .resolved(true))
    #expect(machine.handle(.connectSucceeded).last == .askBarrier)
  }

  @Test mutating func `failures are retried silently with growing delays`() {
    _ = machine.handle(.connectRequested)
    #expect(
      machine.handle(.connectFailed(.tryAgain, wrongBearer: false)).last == .start(.retry, .retry(attempt: 1)))
    #expect(machine.handle(.fired(.retry)).first == .callConnect)
    #expect(
      machine.handle(.connectFailed(.tryAgain, wrongBearer: false)).last == .start(.retry, .retry(attempt: 2)))
  }

  @Test mutating func `three links in a row that drop before the reply end the attempt`() {
    _ = machine.handle(.connectRequested)
    for _ in 0..<2 {
      #expect(told(.connected(true), .connected(false), .connectFailed(.tryAgain, wrongBearer: false)) == [])
      _ = machine.handle(.fired(.retry))
    }
    #expect(
      told(.connected(true), .connected(false), .connectFailed(.tryAgain, wrongBearer: false))
        == [.didFailToConnect(.connectionFailed)])
    #expect(!machine.isWanted)
  }

  @Test mutating func `key trouble ends the attempt`() {
    _ = machine.handle(.connectRequested)
    #expect(
      told(.connectFailed(.refused(.peerRemovedPairingInformation), wrongBearer: false))
        == [.didFailToConnect(.peerRemovedPairingInformation)])
  }

  @Test mutating func `a success without a link is a failure`() {
    _ = machine.handle(.connectRequested)
    #expect(machine.handle(.connectSucceeded).last == .start(.retry, .retry(attempt: 1)))
  }

  @Test mutating func `the reply of a link that came and went is not waited for long`() {
    _ = machine.handle(.connectRequested)
    _ = machine.handle(.connected(true))
    #expect(machine.handle(.connected(false)).contains(.start(.lostReply, .limit)))
    let actions = machine.handle(.fired(.lostReply))
    #expect(actions.contains(.forgetConnectCall))
    #expect(actions.last == .start(.retry, .retry(attempt: 1)))
  }

  @Test mutating func `a wrong bearer keeps the scan running for the next try`() {
    _ = machine.handle(.connectRequested)
    #expect(machine.handle(.connectFailed(.tryAgain, wrongBearer: true)).contains(.holdScan(true)))
  }

  // MARK: Objects

  @Test mutating func `an absent device is scanned for until it returns`() {
    _ = machine.handle(.vanished)
    #expect(machine.handle(.connectRequested) == [.holdScan(true)])
    #expect(machine.handle(.appeared(connected: false, resolved: false)).contains(.callConnect))
  }

  @Test mutating func `an object that vanishes under a pending connect is waited for again`() {
    _ = machine.handle(.connectRequested)
    let actions = machine.handle(.vanished)
    #expect(actions.first == .forgetConnectCall)
    #expect(actions.last == .holdScan(true))
    #expect(machine.handle(.appeared(connected: false, resolved: false)).contains(.callConnect))
  }

  @Test mutating func `an object that vanishes under a link ends it`() {
    link()
    #expect(told(.vanished) == [])
    #expect(told(.fired(.powerSettle)) == [.didDisconnect(.peripheralDisconnected)])
  }

  // MARK: Ends

  @Test mutating func `a lost link is told once power is known to be on`() {
    link()
    let actions = machine.handle(.connected(false))
    #expect(actions.contains(.closeGATT(.peripheralDisconnected)))
    #expect(actions.last == .start(.powerSettle, .limit))
    #expect(told(.fired(.powerSettle)) == [.didDisconnect(.peripheralDisconnected)])
  }

  @Test mutating func `the reason given before names the error`() {
    link()
    #expect(
      told(.reason(.connectionTimeout), .connected(false), .fired(.powerSettle)) == [.didDisconnect(.connectionTimeout)]
    )
  }

  @Test mutating func `a power-off swallows the ends of links`() {
    link()
    #expect(told(.connected(false), .radioLost, .fired(.powerSettle)) == [])
    #expect(!machine.isReported)
  }

  @Test mutating func `a connect right after a loss first tells the loss`() {
    link()
    _ = machine.handle(.connected(false))
    let actions = machine.handle(.connectRequested)
    #expect(actions.contains(.didDisconnect(.peripheralDisconnected)))
    #expect(actions.contains(.callConnect))
  }

  @Test mutating func `a cancel right after a loss ends without error`() {
    link()
    #expect(told(.connected(false), .disconnectRequested, .fired(.powerSettle)) == [.didDisconnect(nil)])
  }

  @Test mutating func `services that are resolved anew without a new link mean that a link was missed`() {
    link()
    _ = machine.handle(.resolved(false))
    #expect(told(.resolved(true), .fired(.powerSettle)) == [.didDisconnect(.peripheralDisconnected)])
  }

  // MARK: Cancelling

  @Test mutating func `a disconnect is told when the link is down`() {
    link()
    #expect(
      machine.handle(.disconnectRequested)
        == [
          .holdScan(false), .breakScan(false), .cancel(.resolve), .cancel(.unresolved),
          .closeGATT(.operationCancelled), .callDisconnect, .start(.closing, .limit),
        ])
    #expect(told(.connected(false)) == [.didDisconnect(nil)])
    #expect(told(.disconnectReplied) == [])
  }

  @Test mutating func `a disconnect that bluetoothd does not perform is told after a while`() {
    link()
    #expect(told(.disconnectRequested, .disconnectReplied) == [])
    #expect(told(.fired(.closing)) == [.didDisconnect(nil)])
  }

  @Test mutating func `a pending connect is cancelled at once and bluetoothd told`() {
    _ = machine.handle(.connectRequested)
    let actions = machine.handle(.disconnectRequested)
    #expect(actions.contains(.forgetConnectCall))
    #expect(actions.contains(.didDisconnect(nil)))
    #expect(actions.contains(.callDisconnect))
    #expect(told(.connectFailed(.cancelled, wrongBearer: false), .disconnectReplied) == [])
    #expect(machine.phase == .idle)
  }

  @Test mutating func `a link that comes up under a cancel is taken down`() {
    _ = machine.handle(.connectRequested)
    _ = machine.handle(.disconnectRequested)
    #expect(told(.connected(true), .connectSucceeded, .disconnectReplied) == [])
    #expect(machine.phase == .closing)
    #expect(told(.connected(false)) == [])
    #expect(machine.phase == .idle)
  }

  @Test mutating func `a connect during the disconnect window waits for its end`() {
    link()
    _ = machine.handle(.disconnectRequested)
    #expect(machine.handle(.connectRequested) == [])
    let actions = machine.handle(.connected(false))
    #expect(actions.contains(.didDisconnect(nil)))
    #expect(actions.contains(.callConnect))
  }

  @Test mutating func `a wish for an absent device is withdrawn without calling anybody`() {
    _ = machine.handle(.vanished)
    _ = machine.handle(.connectRequested)
    #expect(machine.handle(.disconnectRequested) == [.holdScan(false), .breakScan(false), .didDisconnect(nil)])
  }

  @Test mutating func `a cancel while waiting for the next try ends there`() {
    _ = machine.handle(.connectRequested)
    _ = machine.handle(.connectFailed(.tryAgain, wrongBearer: false))
    #expect(told(.disconnectRequested) == [.didDisconnect(nil)])
    #expect(machine.handle(.fired(.retry)) == [])
  }

  // MARK: Links of others

  @Test mutating func `a link of others is shared, and left standing`() {
    #expect(machine.handle(.connected(true)) == [.connectionEvent(true)])
    #expect(machine.handle(.connectRequested) == [.callConnect])
    #expect(told(.connectSucceeded) == [.didConnect])
    let actions = machine.handle(.disconnectRequested)
    #expect(!actions.contains(.callDisconnect))
    #expect(actions.last == .didDisconnect(nil))
    #expect(!machine.mustDisconnectAtStop)
  }

  @Test mutating func `our own links and attempts end with us`() {
    _ = machine.handle(.connectRequested)
    #expect(machine.mustDisconnectAtStop)
    _ = told(.connected(true), .connectSucceeded)
    #expect(machine.mustDisconnectAtStop)
  }

  @Test mutating func `a link that a killed service left is ended, and a connect waits for that`() {
    _ = machine.handle(.connected(true))
    #expect(machine.handle(.inherited) == [.callDisconnect, .start(.closing, .limit)])
    #expect(machine.mustDisconnectAtStop)
    #expect(machine.handle(.connectRequested) == [])
    #expect(machine.handle(.connected(false)).contains(.callConnect))
  }

  @Test mutating func `an attempt that a killed service left is ended, and what others make later is theirs`() {
    #expect(machine.handle(.inherited).contains(.callDisconnect))
    #expect(told(.disconnectReplied) == [])
    _ = machine.handle(.connected(true))
    #expect(!machine.mustDisconnectAtStop)
  }

  @Test mutating func `a connect to what is connected is told again`() {
    link()
    #expect(told(.connectRequested) == [.didConnect])
  }

  @Test mutating func `a connect while connecting is not told twice`() {
    #expect(told(.connectRequested, .connectRequested, .connected(true), .connectSucceeded) == [.didConnect])
  }

  // MARK: Stuck

  @Test mutating func `services that are never resolved end the link`() {
    _ = told(.connectRequested, .connected(true), .connectSucceeded)
    #expect(machine.handle(.fired(.resolve)).contains(.callDisconnect))
    #expect(told(.connected(false)) == [.didDisconnect(.connectionTimeout)])
  }

  @Test mutating func `a link whose ATT is stuck is ended`() {
    link()
    #expect(machine.handle(.stuck).contains(.callDisconnect))
    #expect(told(.connected(false)) == [.didDisconnect(.connectionTimeout)])
  }

  // MARK: Restarted daemons

  @Test func `links that a fresh daemon claims are not adopted before they have settled`() {
    var machine = LinkMachine()
    machine.beginSettling()
    #expect(machine.handle(.appeared(connected: true, resolved: false)) == [])
    #expect(machine.handle(.connectRequested) == [])
    #expect(machine.handle(.connected(false)).contains(.callConnect))
  }

  @Test func `a claimed link that lasts is believed`() {
    var machine = LinkMachine()
    machine.beginSettling()
    _ = machine.handle(.appeared(connected: true, resolved: false))
    _ = machine.handle(.connectRequested)
    #expect(machine.handle(.settled) == [.connectionEvent(true), .callConnect])
  }
}

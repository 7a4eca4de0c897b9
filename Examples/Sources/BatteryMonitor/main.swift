// battery-monitor: prints the battery levels of the devices around until it is stopped.
import Dispatch

let report = Report(on: BatteryMonitor())
dispatchMain()

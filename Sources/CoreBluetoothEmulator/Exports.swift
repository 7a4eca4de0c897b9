@_exported public import CoreBluetooth

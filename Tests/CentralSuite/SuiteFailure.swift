/// Why a check has failed.
struct SuiteFailure: Error, CustomStringConvertible {
  let description: String
}

func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws(SuiteFailure) {
  if !isSo { throw SuiteFailure(description: what()) }
}

/// That something is there.
func need<Value>(_ value: Value?, _ what: @autoclosure () -> String) throws(SuiteFailure) -> Value {
  guard let value else { throw SuiteFailure(description: "no " + what()) }
  return value
}

/// That the two are equal.
func expect<Value: Equatable>(_ value: Value, is wanted: Value, _ what: @autoclosure () -> String) throws(SuiteFailure)
{
  if value != wanted { throw SuiteFailure(description: "\(what()) is \(value), not \(wanted)") }
}

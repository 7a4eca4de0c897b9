extension String {
  /// The first 200 Unicode scalars: what is kept of a name that a client gives. Not characters, of which one can be as long
  /// as it likes.
  var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(200))) }
}

/// Bytes in the order in which they came, taken out in pieces of any size.
struct ByteQueue {
  private var chunks: [[UInt8]] = []
  /// The first chunk that is not used up, and how much of it is.
  private var first = 0
  private var offset = 0
  private(set) var count = 0

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    chunks.append(bytes)
    count += bytes.count
  }

  mutating func removeAll() { self = ByteQueue() }

  /// Moves as many bytes as there are and fit.
  mutating func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var done = 0
    while done < buffer.count, first < chunks.count {
      let length = min(chunks[first].count - offset, buffer.count - done)
      chunks[first].withUnsafeBufferPointer { chunk in
        let piece = UnsafeMutableBufferPointer(rebasing: buffer[done..<done + length])
        _ = piece.update(from: chunk[offset..<offset + length])
      }
      done += length
      offset += length
      if offset == chunks[first].count { dropFirst() }
    }
    count -= done
    return done
  }

  private mutating func dropFirst() {
    chunks[first] = []
    first += 1
    offset = 0
    guard first == chunks.count || first >= 64 else { return }
    chunks.removeFirst(first)
    first = 0
  }
}

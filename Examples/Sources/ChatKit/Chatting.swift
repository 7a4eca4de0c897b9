/// One side of the conversation.
@MainActor
protocol Chatting: AnyObject {
  func say(_ text: String)
  func leave()
}

import Foundation

/// The command line of the chat.
@MainActor
public enum ChatProgram {
  /// Chats until the end of the input.
  public static func run(_ words: [String] = Array(CommandLine.arguments.dropFirst())) -> Never {
    guard words.count == 2, let chat = chat(words[0], named: words[1]) else {
      Terminal.print(
        "usage: chat host NAME | chat join NAME\nSays each line that is typed. The end of the input leaves.")
      exit(64)
    }
    Terminal.read { line in
      if let line { return chat.say(line) }
      chat.leave()
      // Time for it to be heard.
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(0) }
    }
    RunLoop.main.run()
    fatalError("the main run loop has ended")
  }

  private static func chat(_ role: String, named name: String) -> (any Chatting)? {
    switch role {
    case "host": ChatHost(name: name)
    case "join": ChatGuest(name: name)
    default: nil
    }
  }
}

// chat: a conversation over Bluetooth, between one who hosts it and those who join.
import ChatKit

ChatProgram.run()

"""How long to wait. Software emulation is slow, and a busy machine slower: LAB_TIME stretches every limit."""

import os

SCALE = float(os.environ.get("LAB_TIME", "1"))


def seconds(value):
    return value * SCALE


#: For an answer that needs no more than the local radio.
SOON = seconds(15)
#: For a link: connecting, resolving, disconnecting.
LINK = seconds(40)
#: For what comes only after one of BlueZ's own long timers (40 s connects, 30 s ATT).
LONG = seconds(100)
#: How long nothing must happen before a test believes that it never will.
QUIET = seconds(2)

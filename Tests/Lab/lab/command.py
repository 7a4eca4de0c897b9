"""python -m lab.command WORLD COMMAND…: runs COMMAND in the machine with the peripherals of worlds/WORLD.py around it."""

import asyncio
import importlib
import os
import shlex
import sys
from pathlib import Path

from .machine import Machine
from .world import World


async def run(world_name, words):
    machine = Machine(os.environ["LAB_OUT"], os.environ["LAB_HOME"], os.environ.get("LAB_DAEMON_ROOT"),
                      bool(os.environ.get("LAB_KVM")))
    try:
        await machine.boot()
        world = World(machine, os.environ.get("LAB_DAEMON_FLAGS", "").split())
        await world.start()
        inhabitants = asyncio.create_task(importlib.import_module(f"worlds.{world_name}").live(world))
        script = f"cd {shlex.quote(os.getcwd())}; export BRIDGE={shlex.quote(os.environ['BRIDGE'])}; {shlex.join(words)}"
        process = await machine.start("bash", "-c", script, echo=_echo)
        ended = asyncio.create_task(process.wait())
        await asyncio.wait({ended, inhabitants}, return_when=asyncio.FIRST_COMPLETED)
        if inhabitants.done():
            await inhabitants  # raises what ended it
        return await ended
    finally:
        await machine.stop()


def _echo(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    Path(os.environ["LAB_OUT"]).mkdir(parents=True, exist_ok=True)
    sys.exit(asyncio.run(run(sys.argv[1], sys.argv[2:])))

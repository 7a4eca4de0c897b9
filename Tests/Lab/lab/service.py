"""The bridge under test: the built program, running in the machine."""

import asyncio
import json
import os
import signal
from pathlib import Path

from .client import Client
from .times import SOON

ROOT = Path(__file__).resolve().parents[3]


def program():
    return Path(os.environ.get("BRIDGE", ROOT / ".build" / "debug" / "bridge")).absolute()


class Bridge:
    """One `bridge serve`, or another command that serves. Its log and identity table are its own."""

    def __init__(self, world, number=0, arguments=(), verb="serve"):
        self.world = world
        self.machine = world.machine
        self.folder = f"/run/bridge-{number}"
        self.socket = f"{self.folder}/impossible.sock"
        self.arguments = list(arguments)
        self.verb = verb
        self.process = None
        self.clients = []
        self.log = self.machine.out / f"bridge-{number}.log"

    async def start(self, *more, wait=True):
        await self.machine.run("mkdir", "-p", f"{self.folder}/state")
        own = ["--state-dir", f"{self.folder}/state", "--radio", "bluez"] if self.verb == "serve" else []
        self.process = await self.machine.start(
            str(program()), self.verb, *own, "--socket", self.socket, "--log-level", "debug", *self.arguments, *more,
            log=self.log)
        if wait:
            await self.wait_until_listening()

    async def wait_until_listening(self, timeout=SOON * 2, wanted=True):
        async with asyncio.timeout(timeout):
            while await self.listens() != wanted:
                if wanted and not self.process.running:
                    raise AssertionError(f"bridge ended with {await self.process.wait()}: {self.process.text[-2000:]}")
                await asyncio.sleep(0.1)

    async def listens(self):
        try:
            channel = await self.machine.connect(self.socket)
        except OSError:
            return False
        channel.close()
        return True

    async def client(self, name="client", **options):
        client = await Client.open(self.machine, self.socket, name, **options)
        self.clients.append(client)
        return client

    def release_clients(self):
        for client in self.clients:
            client.close()
        self.clients.clear()

    async def stop(self, number=signal.SIGTERM):
        return await self.process.stop(number)

    async def command(self, *words, check=True, timeout=SOON * 2):
        """A subcommand of the program against this service: its output."""
        return await self.machine.run(str(program()), *words, "--socket", self.socket, check=check, timeout=timeout)

    async def devices(self):
        """What `bridge devices --json` says."""
        return json.loads(await self.command("devices", "--json"))

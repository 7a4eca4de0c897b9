"""What scripts/demo shows: the service with a real bluetoothd and a virtual heart-rate sensor, and a client of it."""

import asyncio
import json
import logging
import os
import sys
import time

from .client import Client
from .machine import Machine
from .service import Bridge
from .world import World

BOLD, DIM, PLAIN = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")
_began = time.monotonic()


def say(text=""):
    print(text, flush=True)


def step(text):
    say(f"\n{BOLD}{time.monotonic() - _began:5.0f} s  {text}{PLAIN}")


def note(text):
    say(f"         {text}")


async def command(bridge, *words):
    """Shows a command and what it prints."""
    say(f"\n{BOLD}$ bridge {' '.join(words)}{PLAIN}")
    say((await bridge.command(*words, check=False)).rstrip())


async def demonstrate(machine):
    from worlds import demo

    step("Booting a virtual machine: a stock kernel with its Bluetooth stack")
    await machine.boot()
    step("Starting bluetoothd in it, with a virtual adapter")
    world = World(machine)
    await world.start()
    inhabitants = asyncio.create_task(demo.live(world))
    note(f"{world.name} {await world.adapter_property('Address')}; around it: a heart-rate sensor and a thermometer")
    step("Starting the service")
    bridge = Bridge(world)
    await bridge.start()
    note(f"bridge serve --socket {bridge.socket}")
    await command(bridge, "status")
    await command(bridge, "scan", "--duration", "4")
    await converse(machine, bridge)
    await command(bridge, "devices")
    step("Stopping the service")
    note(f"exit status {await bridge.stop()}")
    inhabitants.cancel()


async def converse(machine, bridge):
    """An app, as ImpossiBLE's library or ours would put it on the wire."""
    step("A client connects to the socket and looks for a heart-rate sensor (180D)")
    client = await Client.open(machine, bridge.socket, bundle="com.example.heart")
    client.scan(services=["180D"])
    found = await client.expect("didDiscover", 40)
    note(f"didDiscover  {found['name']}, {found['rssi']} dBm, {json.dumps(found['adv'])}")
    client.stop_scan()
    id = found["id"]
    client.send("connect", id=id, options={})
    await client.expect("didConnect", 40)
    note(f"didConnect   {id}")
    table = await client.explore(id)
    for service, characteristics in table.items():
        note(f"service      {service}: {', '.join(characteristics)}")
    for service, characteristic, title in (
            ("180A", "2A29", "manufacturer"), ("180A", "2A24", "model"), ("180F", "2A19", "battery"),
            ("180D", "2A38", "sensor location")):
        value = await client.read(id, table[service][characteristic])
        shown = value.decode() if service == "180A" else {"2A19": f"{value[0]} %", "2A38": "chest"}[characteristic]
        note(f"read         {characteristic} {title}: {shown}")
    heart_rate = table["180D"]["2A37"]
    await client.notify(id, heart_rate)
    for value in await client.values(heart_rate, 5, 20):
        note(f"notification 2A37 heart rate: {value[1]} per minute")
    await client.notify(id, heart_rate, False)
    await client.disconnect(id)
    note("didDisconnect")
    client.close()


async def main():
    machine = Machine(os.environ["LAB_OUT"], os.environ["LAB_HOME"], kvm=bool(os.environ.get("LAB_KVM")))
    try:
        await demonstrate(machine)
    finally:
        await machine.stop()
    say(f"\nThat took {time.monotonic() - _began:.0f} s. Logs: {os.environ['LAB_OUT']}")


if __name__ == "__main__":
    logging.basicConfig(level="ERROR")
    asyncio.run(main())

"""Examples/BatteryMonitor, an app that knows only CoreBluetooth, in the machine: CoreBluetooth, bridge, bluetoothd, kernel."""

import asyncio
import os
from pathlib import Path

import pytest

from lab.advertising import FLAGS_GENERAL_LE_ONLY, Payload
from lab.gatt import NOTIFY, READ, Characteristic, Service
from lab.other import seen_by
from lab.service import program
from lab.times import LINK, LONG, SOON


def battery(level, properties=READ | NOTIFY):
    return Service("180F", [Characteristic("2A19", properties, bytes([level]))])


async def device(world, name, level, properties=READ | NOTIFY, services=()):
    """`services`: those that it advertises."""
    return await world.peripheral(
        name, [battery(level, properties)], advert=Payload(flags=FLAGS_GENERAL_LE_ONLY, services=list(services)),
        scan_response=Payload(name=name))


class Monitor:
    """The running app and its lines."""

    def __init__(self, process):
        self.process = process
        self.cursor = 0

    async def line(self, wanted, timeout=LINK):
        """Waits for a line behind those waited for before."""
        async with asyncio.timeout(timeout):
            while True:
                lines = self.process.text.split("\n")[:-1]
                if wanted in lines[self.cursor:]:
                    self.cursor = lines.index(wanted, self.cursor) + 1
                    return
                assert self.process.running, self.process.text
                await asyncio.sleep(0.1)


@pytest.fixture
async def monitor(bridge):
    """Starts the app."""
    path = Path(os.environ.get("EXAMPLES", program().parent)) / "battery-monitor"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    monitors = []

    async def start():
        machine = bridge.machine
        process = await machine.start(
            "env", f"BRIDGE_SOCKET={bridge.socket}", str(path), log=machine.out / "battery-monitor.log")
        monitors.append(Monitor(process))
        await monitors[-1].line("Bluetooth is on", SOON * 2)
        return monitors[-1]

    yield start
    for monitor in monitors:
        await monitor.process.stop()


async def test_levels_are_printed_as_they_come(world, monitor):
    mouse = await device(world, "Mouse", 80, services=["180F"])
    app = await monitor()
    await app.line("Mouse: 80 %")
    for level in (79, 78):
        await mouse.characteristic("2A19").notify(bytes([level]))
        await app.line(f"Mouse: {level} %")


async def test_a_battery_that_does_not_notify_is_read(world, monitor):
    await device(world, "Trackpad", 55, READ, services=["180F"])
    await (await monitor()).line("Trackpad: 55 %")


async def test_a_device_that_comes_back_is_watched_again(world, monitor):
    headset = await device(world, "Headset", 40, services=["180F"])
    app = await monitor()
    await app.line("Headset: 40 %")
    headset.vanish()
    await app.line("Headset: not connected")
    headset.characteristic("2A19").value = bytes([100])
    headset.readvertises = True
    headset.advertise()
    await app.line("Headset: 100 %", LONG)


async def test_what_the_system_has_connected_is_watched_too(world, monitor, other):
    """It does not advertise its battery: only what is connected tells."""
    keyboard = await device(world, "Keyboard", 61)
    async with other.BleakClient(await seen_by(other, keyboard), timeout=LINK):
        await (await monitor()).line("Keyboard: 61 %")


async def test_what_the_system_connects_later_is_watched_too(world, monitor, other):
    pen = await device(world, "Pen", 12)
    app = await monitor()
    found = await seen_by(other, pen)
    async with other.BleakClient(found, timeout=LINK):
        await app.line("Pen: 12 %")


async def test_the_radio_may_go_and_come(world, monitor):
    await device(world, "Remote", 33, services=["180F"])
    app = await monitor()
    await app.line("Remote: 33 %")
    await world.power(False)
    await app.line("Bluetooth is off")
    await world.power(True)
    await app.line("Bluetooth is on")
    await app.line("Remote: 33 %", LONG)

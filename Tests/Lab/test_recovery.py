"""The radio going away and coming back, in all its ways: each client is told the truth, and all works afterwards."""

import asyncio
import json

import pytest

from lab.client import Client
from lab.gatt import READ, Characteristic, Service
from lab.other import seen_by
from lab.times import LINK, QUIET, SOON, seconds

pytestmark = pytest.mark.restarts


def battery():
    return Service("180F", [Characteristic("2A19", READ, b"\x42")])


async def works(world, bridge, name):
    """A client that comes now can scan, connect and read."""
    await world.peripheral(name, [battery()])
    client = await bridge.client(name, features=["errors"])
    id = await client.connect(name)
    table = await client.explore(id)
    assert await client.read(id, table["180F"]["2A19"]) == b"\x42"
    return id


async def gone_and_back(world, bridge, leave, come_back, states):
    """What every loss of the radio has in common."""
    await world.peripheral("Linked", [battery()])
    plain = await bridge.client("plain")
    aware = await bridge.client("aware", features=["state", "errors"])
    assert (await aware.expect("welcome"))["state"] == "poweredOn"
    id = await plain.connect("Linked")
    await plain.services(id)
    await leave()
    await plain.wait_closed()
    assert not await bridge.listens()
    await aware.expect("state", where=lambda m: m["state"] in states)
    assert not aware.closed
    await come_back()
    await bridge.wait_until_listening(LINK)
    await aware.expect("state", LINK, state="poweredOn")
    id = await aware.connect(await works(world, bridge, "Afterwards"))
    await aware.services(id)


async def test_power_off_and_on(world, bridge):
    await gone_and_back(world, bridge, lambda: world.power(False), lambda: world.power(True), ["poweredOff"])


async def test_a_request_at_the_radio_is_answered_when_the_power_goes(world, bridge):
    slow = Characteristic("2A19", READ, b"")
    slow.on_read = lambda: asyncio.sleep(3600)
    await world.peripheral("Slow", [Service("180F", [slow])])
    client = await bridge.client(features=["state", "errors"])
    id = await client.connect("Slow")
    characteristic = (await client.explore(id))["180F"]["2A19"]
    client.send("read", id=id, characteristicId=characteristic)
    await asyncio.sleep(seconds(1))
    await world.power(False)
    assert (await client.expect("didUpdateValue", LINK, characteristicId=characteristic))["error"]
    await client.expect("state", state="poweredOff")
    await client.expect("didDisconnect", id=id)


async def test_rfkill_and_back(world, bridge):
    async def block():
        await world.rfkill(True)

    async def unblock():
        await world.rfkill(False)
        await world.power(True)

    await gone_and_back(world, bridge, block, unblock, ["poweredOff"])


@pytest.mark.parametrize("number", [15, 9], ids=["TERM", "KILL"])
async def test_bluetoothd_ends_and_starts_again(world, bridge, number):
    async def start():
        await world.start_daemon()
        await world.wait_for_property("Powered", True)

    await gone_and_back(world, bridge, lambda: world.stop_daemon(number), start, ["resetting", "unsupported"])


async def test_the_adapter_is_unplugged_and_returns_under_another_number(world, bridge):
    before = world.name

    async def unplug():
        world.unplug()

    async def replug():
        await world.plug_elsewhere(before)
        await world.power(True)

    await gone_and_back(world, bridge, unplug, replug, ["resetting", "unsupported", "unknown", "poweredOff"])


async def test_a_pending_read_is_answered_when_the_daemon_dies(world, bridge):
    slow = Characteristic("2A19", READ, b"")
    slow.on_read = lambda: asyncio.sleep(3600)
    await world.peripheral("Slow", [Service("180F", [Characteristic("2A1B", READ, b""), slow])])
    client = await bridge.client(features=["state", "errors"])
    id = await client.connect("Slow")
    characteristic = (await client.explore(id))["180F"]["2A19"]
    client.send("read", id=id, characteristicId=characteristic)
    await asyncio.sleep(seconds(1))
    await world.restart_daemon(9)
    assert (await client.expect("didUpdateValue", LINK, characteristicId=characteristic))["error"]
    await world.wait_for_property("Powered", True)
    await client.expect("state", LINK, state="poweredOn")


async def test_a_returning_app_scans_on_although_it_did_not_say_so(world, bridge):
    """ImpossiBLE's library remembers its last scan and does not repeat it (wire L2)."""
    hello = {"clientVersion": "3.1.0", "bundleId": "lab.returning", "pid": 777}
    app = await bridge.client("returning", hello=False)
    app.send("hello", **hello)
    app.scan()
    await world.peripheral("Before", [battery()])
    await app.expect("didDiscover", name="Before")
    await world.power(False)
    await app.wait_closed()
    await world.power(True)
    await bridge.wait_until_listening(LINK)
    app = await bridge.client("returning", hello=False)
    app.send("hello", **hello)
    await world.peripheral("After", [battery()])
    await app.expect("didDiscover", LINK, name="After")


async def test_an_adapter_that_is_off_is_switched_on_only_if_told_to(world, start_bridge):
    await world.power(False)
    bridge = await start_bridge(wait=False)
    await asyncio.sleep(seconds(3))
    assert not await bridge.listens() and await world.adapter_property("Powered") is False
    await bridge.stop()
    bridge = await start_bridge("--power-on")
    assert await world.adapter_property("Powered") is True
    await works(world, bridge, "On")


async def test_without_an_adapter_nothing_listens_until_one_comes(world, start_bridge):
    world.unplug()
    bridge = await start_bridge(wait=False)
    await asyncio.sleep(seconds(4))
    assert not await bridge.listens() and bridge.process.running
    await world.plug()
    await world.power(True)
    await bridge.wait_until_listening(LINK)
    await works(world, bridge, "Plugged")


async def test_the_adapter_can_be_chosen_by_address(world, start_bridge):
    bridge = await start_bridge("--adapter", "F0:F1:F2:F3:F4:F5")
    await works(world, bridge, "Chosen")


async def test_an_orderly_stop_drops_links_and_leaves_no_socket(world, start_bridge):
    bridge = await start_bridge()
    p = await world.peripheral("Linked", [battery()])
    client = await bridge.client()
    id = await client.connect("Linked")
    await client.services(id)
    assert await bridge.stop() == 0
    await client.wait_closed()
    await p.wait_until_connected(LINK, False)

    listing = (await world.machine.run("ls", bridge.folder)).split()
    assert "impossible.sock" not in listing


async def test_a_bridge_that_was_killed_leaves_nothing_that_stops_the_next(world, start_bridge):
    bridge = await start_bridge()
    p = await world.peripheral("Left", [battery()])
    client = await bridge.client()
    id = await client.connect("Left")
    await client.services(id)
    await bridge.stop(9)
    assert p.connection is not None
    await bridge.start()
    client = await bridge.client(features=["errors"])
    client.send("connect", id=id, options={})
    await client.expect("didConnect", LINK, id=id)
    await client.services(id)
    assert p.connection is not None


async def test_a_link_that_a_killed_bridge_left_is_ended_and_the_device_found_again(world, start_bridge, other):
    bridge = await start_bridge()
    left, foreign = await world.peripheral("Left", [battery()]), await world.peripheral("Foreign", [battery()])
    client = await bridge.client()
    id = await client.connect("Left")
    await client.services(id)
    client.stop_scan()
    device = await seen_by(other, foreign)
    async with other.BleakClient(device, timeout=LINK):
        await bridge.stop(9)
        assert left.connection is not None
        await bridge.start()
        await left.wait_until_connected(LINK, False)
        client = await bridge.client("next")
        client.scan()
        await client.expect("didDiscover", LINK, name="Left")
        assert foreign.connection is not None

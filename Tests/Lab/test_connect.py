"""Connecting: pending, shared, cancelled, lost."""

import asyncio

import pytest

from lab.gatt import READ, Characteristic, Service
from lab.other import call, seen_by
from lab.times import LINK, LONG, QUIET, SOON, seconds


def battery(level=0x42):
    return Service("180F", [Characteristic("2A19", READ, bytes([level]))])


async def known(client, name):
    """Its id, not connected, no scan on."""
    id = (await client.find(name))["id"]
    client.stop_scan()
    return id


@pytest.mark.parametrize("kind", ["public", "static", "private"])
async def test_every_kind_of_address_connects(world, client, kind):
    await world.peripheral("Kind", [battery()], address=kind)
    id = await client.connect("Kind")
    assert [s["uuid"] for s in await client.services(id)] == ["180F"]


async def test_a_connect_waits_until_the_device_appears(world, client):
    p = await world.peripheral("Late", [battery()])
    id = await known(client, "Late")
    p.stop_advertising()
    await asyncio.sleep(seconds(0.5))
    client.send("connect", id=id, options={})
    await client.refuse("didConnect", quiet=QUIET * 2)
    assert not client.all("didFailConnect")
    p.advertise()
    await client.expect("didConnect", LINK, id=id)


async def test_a_pending_connect_outlives_bluez_own_limit_and_blocks_no_other(world, client):
    silent = await world.peripheral("Silent", [battery()])
    id = await known(client, "Silent")
    silent.stop_advertising()
    await asyncio.sleep(seconds(0.5))
    client.send("connect", id=id, options={})
    await asyncio.sleep(seconds(1))
    await world.peripheral("Lively", [battery()])
    other = await client.connect("Lively")
    await client.services(other)
    await client.disconnect(other)
    await client.refuse("didFailConnect", quiet=44)  # BlueZ gives up after 41 s
    assert not client.all("didDisconnect", id=id)
    silent.advertise()
    await client.expect("didConnect", LONG, id=id)


async def test_a_pending_connect_outlives_the_removal_of_the_object(world, client):
    p = await world.peripheral("Removed", [battery()])
    id = await known(client, "Removed")
    p.stop_advertising()
    await asyncio.sleep(seconds(0.5))
    client.send("connect", id=id, options={})
    await asyncio.sleep(seconds(1))
    await world.make_forget(p)
    await client.refuse("didFailConnect")
    p.advertise()
    await client.expect("didConnect", LINK, id=id)


async def test_a_device_that_bluez_forgot_is_looked_for(world, client):
    p = await world.peripheral("Forgotten", [battery()])
    id = await known(client, "Forgotten")
    await world.make_forget(p)
    client.send("connect", id=id, options={})
    await client.expect("didConnect", LINK, id=id)


async def test_cancelling_a_pending_connect_ends_in_did_disconnect(world, client):
    p = await world.peripheral("Pending", [battery()])
    id = await known(client, "Pending")
    p.stop_advertising()
    await asyncio.sleep(seconds(0.5))
    client.send("connect", id=id, options={})
    await asyncio.sleep(seconds(1))
    assert (await client.disconnect(id))["error"] == ""
    p.advertise()
    await client.refuse("didConnect", quiet=QUIET * 2)
    assert p.links == 0


async def test_cancelling_right_after_connecting_leaves_nothing_behind(world, client):
    p = await world.peripheral("Hasty", [battery()])
    id = await known(client, "Hasty")
    client.send("connect", id=id, options={})
    assert (await client.disconnect(id))["error"] == ""
    await p.wait_until_connected(LINK, False)
    client.skip()
    await client.refuse("didConnect")
    client.send("connect", id=id, options={})
    await client.expect("didConnect", LINK, id=id)


async def test_cancelling_a_link_ends_it_for_the_device_too(world, client):
    p = await world.peripheral("Linked", [battery()])
    id = await client.connect("Linked")
    await client.services(id)
    assert (await client.disconnect(id))["error"] == ""
    await p.wait_until_connected(LINK, False)


async def test_a_connect_right_after_a_cancel_gives_a_link_that_holds(world, client):
    p = await world.peripheral("Again", [battery()])
    id = await client.connect("Again")
    await client.services(id)
    client.send("cancel", id=id)
    client.send("connect", id=id, options={})
    await client.expect("didDisconnect", LINK, id=id)
    await client.expect("didConnect", LINK, id=id)
    await client.refuse("didDisconnect", quiet=QUIET * 2)
    assert p.connection is not None
    table = await client.explore(id)
    assert await client.read(id, table["180F"]["2A19"]) == b"\x42"


async def test_a_link_that_the_device_ends_reports_error_7(world, client):
    p = await world.peripheral("Leaving", [battery()])
    id = await client.connect("Leaving")
    await client.services(id)
    await p.disconnect()
    lost = await client.expect("didDisconnect", LINK, id=id)
    assert lost["error"] and (lost["errorDomain"], lost["errorCode"]) == ("CBErrorDomain", 7)
    assert lost["isReconnecting"] is False
    client.send("connect", id=id, options={})
    await client.expect("didConnect", LINK, id=id)


async def test_a_link_that_times_out_reports_error_6(world, client):
    p = await world.peripheral("Lost", [battery()])
    id = await client.connect("Lost")
    await client.services(id)
    p.vanish()
    lost = await client.expect("didDisconnect", LINK, id=id)
    assert (lost["errorDomain"], lost["errorCode"]) == ("CBErrorDomain", 6)


@pytest.mark.parametrize("reason, code", [(0x13, 7), (0x15, 7), (0x05, 14)], ids=["user", "power off", "authentication"])
async def test_the_reason_that_a_device_gives_for_ending_a_link_decides_the_error(world, client, reason, code):
    """Only the controller's own event tells it (bluetoothd before 5.83): code 14 shows that it was heard."""
    p = await world.peripheral("Reasonable", [battery()])
    id = await client.connect("Reasonable")
    await client.services(id)
    await p.disconnect(reason)
    lost = await client.expect("didDisconnect", LINK, id=id)
    assert (lost["errorDomain"], lost["errorCode"]) == ("CBErrorDomain", code)


async def test_many_connect_at_once(world, client):
    peripherals = [await world.peripheral(f"Many {n}", [battery(n)]) for n in range(5)]
    client.scan()
    ids = {}
    while len(ids) < 5:
        report = await client.expect("didDiscover", LINK, where=lambda m: m["name"].startswith("Many"))
        ids[report["name"]] = report["id"]
    for id in ids.values():
        client.send("connect", id=id, options={})
    for _ in ids:
        await client.expect("didConnect", LINK, where=lambda m: m["id"] in ids.values())
    assert all(p.connection for p in peripherals)
    for n in range(5):
        id = ids[f"Many {n}"]
        table = await client.explore(id)
        assert await client.read(id, table["180F"]["2A19"]) == bytes([n])


async def test_a_device_connected_from_outside_is_shared_and_left_connected(world, client, other):
    p = await world.peripheral("Foreign", [battery()])
    id = await known(client, "Foreign")
    device = await seen_by(other, p)
    async with other.BleakClient(device, timeout=LINK) as foreign:
        client.send("connect", id=id, options={})
        await client.expect("didConnect", LINK, id=id)
        table = await client.explore(id)
        assert await client.read(id, table["180F"]["2A19"]) == b"\x42"
        assert (await client.disconnect(id))["error"] == ""
        await asyncio.sleep(seconds(4))
        assert p.links == 1 and p.connection is not None
        assert await foreign.read_gatt_char("2a19") == b"\x42"


async def test_two_clients_share_one_link_and_the_last_ends_it(world, bridge):
    p = await world.peripheral("Shared", [battery()])
    first, second = [await bridge.client(name, features=["errors"]) for name in ("first", "second")]
    id = await first.connect("Shared")
    assert await second.connect(id) == id
    tables = [await c.explore(id) for c in (first, second)]
    assert tables[0] == tables[1] and p.links == 1
    assert (await first.disconnect(id))["error"] == ""
    await second.refuse("didDisconnect", quiet=QUIET * 2)
    assert await second.read(id, tables[1]["180F"]["2A19"]) == b"\x42"
    second.close()  # dies without a word
    await p.wait_until_connected(LINK, False)


async def test_both_of_two_clients_learn_of_a_lost_link(world, bridge):
    p = await world.peripheral("Shared", [battery()])
    first, second = [await bridge.client(name, features=["errors"]) for name in ("first", "second")]
    id = await first.connect("Shared")
    await second.connect(id)
    await second.services(id)
    await p.disconnect()
    for client in (first, second):
        assert (await client.expect("didDisconnect", LINK, id=id))["errorCode"] == 7


async def test_an_unknown_identifier_fails(client):
    id = "0C0FFEE0-0000-4000-8000-000000000001"
    client.send("connect", id=id, options={})
    assert (await client.expect("didFailConnect", id=id))["error"]
    assert (await client.disconnect(id))["error"] == ""


async def test_links_of_other_programs_are_events_for_those_who_registered(world, bridge, other):
    client = await bridge.client(features=["connectionEvents"])
    p = await world.peripheral("Watched", [battery()])
    id = await known(client, "Watched")
    client.send("registerForConnectionEvents", options={"kCBConnectionEventMatchingOptionPeripheralUUIDs": [id]})
    device = await seen_by(other, p)
    async with other.BleakClient(device, timeout=LINK):
        await client.expect("connectionEvent", LINK, id=id, event=1)
    await client.expect("connectionEvent", LINK, id=id, event=0)

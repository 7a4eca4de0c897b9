"""The lab's own claims, seen through bleak: if these fail, nothing that the others say of the bridge counts."""

import asyncio
import struct

import pytest

from lab.advertising import Payload
from lab.gatt import COMMAND, INDICATE, NOTIFY, READ, WRITE, Characteristic, Descriptor, Service, att_error
from lab.peripheral import Pairing
from lab.times import LINK, SOON, seconds

LONG_UUID = "0000cccc-1111-2222-3333-444455556666"


async def hear(bleak, wanted, timeout=SOON, **options):
    """The first advertisement that `wanted(device, data)` likes."""
    found = asyncio.get_running_loop().create_future()

    def detected(device, data):
        if wanted(device, data) and not found.done():
            found.set_result((device, data))

    async with bleak.BleakScanner(detected, **options):
        return await asyncio.wait_for(found, timeout)


def at(peripheral):
    return lambda device, data: device.address == peripheral.address_text


async def test_advertisement_fields_arrive_as_they_were_sent(world, other):
    sent = Payload(flags=6, services=["180D"], manufacturer={0x1234: b"\x01\x02"}, tx_power=-7)
    p = await world.peripheral("Fields", advert=sent, rssi=-63,
                               scan_response=Payload(name="Fields", service_data={"180F": b"\x55"}))
    device, data = await hear(other, lambda d, a: at(p)(d, a) and a.local_name and a.service_data)
    assert data.local_name == "Fields"
    assert data.rssi == -63
    assert data.manufacturer_data == {0x1234: b"\x01\x02"}
    assert data.tx_power == -7
    assert data.service_data == {"0000180f-0000-1000-8000-00805f9b34fb": b"\x55"}
    assert "0000180d-0000-1000-8000-00805f9b34fb" in data.service_uuids


@pytest.mark.parametrize("kind", ["public", "static", "private"])
async def test_every_kind_of_address_connects(world, other, kind):
    p = await world.peripheral(f"Kind {kind}", [Service("180F", [Characteristic("2A19", READ, b"\x42")])], address=kind)
    device, _ = await hear(other, at(p))
    async with other.BleakClient(device, timeout=LINK) as client:
        assert await client.read_gatt_char("2a19") == b"\x42"
        await asyncio.sleep(0.2)


async def test_an_advert_that_stops_is_no_longer_heard(world, other):
    p = await world.peripheral("Quiet")
    await hear(other, at(p))
    p.stop_advertising()
    await asyncio.sleep(0.3)
    with pytest.raises(asyncio.TimeoutError):
        await hear(other, at(p), timeout=seconds(2))


async def test_permissions_errors_and_long_values_are_a_real_servers(world, other):
    value = bytes(range(256)) * 2
    refused = Characteristic("2A56", READ | WRITE, b"")
    refused.on_read = lambda: (_ for _ in ()).throw(att_error(0x81))
    unreadable = Characteristic("2A57", READ, b"x", permissions=0)
    p = await world.peripheral("Server", [Service("180D", [
        Characteristic(LONG_UUID, READ | WRITE, value, [Descriptor("2901", b"Long")]), refused, unreadable])])
    device, _ = await hear(other, at(p))
    async with other.BleakClient(device, timeout=LINK) as client:
        assert await client.read_gatt_char(LONG_UUID) == value
        await client.write_gatt_char(LONG_UUID, value[::-1], response=True)
        assert p.characteristic(LONG_UUID).writes == [value[::-1]]
        for uuid, text in (("2a56", "0x81"), ("2a57", "Not Permitted")):
            with pytest.raises(Exception, match=text):
                await client.read_gatt_char(uuid)


async def test_secondary_and_included_services_show_as_such(world, other):
    inner = Service("0000bbbb-1111-2222-3333-444455556666", [Characteristic("2A57", READ, b"i")], primary=False)
    outer = Service("180D", [Characteristic("2A38", READ, b"o")], includes=[inner])
    p = await world.peripheral("Including", [outer])
    device, _ = await hear(other, at(p))
    async with other.BleakClient(device, timeout=LINK) as client:
        services = {s.uuid: s for s in client.services}
        path = f"{world.path}/dev_{p.address_text.replace(':', '_')}"
        includes = await world.machine.run("busctl", "get-property", "org.bluez", f"{path}/service{outer.handle:04x}",
                                           "org.bluez.GattService1", "Includes")
        assert f"service{inner.handle:04x}" in includes
        assert inner.uuid.to_hex_str("-").lower() in services
        assert inner.handle < outer.handle


async def test_notifications_indications_and_commands_arrive_in_order(world, other):
    heard, indicated = [], []
    n, i = Characteristic("2A37", NOTIFY), Characteristic("2A1C", INDICATE)
    c = Characteristic(LONG_UUID, COMMAND)
    p = await world.peripheral("Orderly", [Service("180D", [n, i, c])])
    device, _ = await hear(other, at(p))
    async with other.BleakClient(device, timeout=LINK) as client:
        await client.start_notify("2a37", lambda _, v: heard.append(bytes(v)))
        await client.start_notify("2a1c", lambda _, v: indicated.append(bytes(v)))
        values = [struct.pack("<H", k) for k in range(100)]
        await n.notify_all(values)
        await i.indicate(b"confirmed")
        for value in values[:30]:
            await client.write_gatt_char(LONG_UUID, value, response=False)
        assert await c.wait_for_writes(30, SOON) == values[:30]
        async with asyncio.timeout(SOON):
            while len(heard) < 100 or not indicated:
                await asyncio.sleep(0.05)
    assert heard == values and indicated == [b"confirmed"]


async def test_a_peripheral_drops_the_link_and_a_lost_one_times_out(world, other):
    p = await world.peripheral("Dropping", [Service("180F", [Characteristic("2A19", READ, b"\x01")])])
    device, _ = await hear(other, at(p))
    for end in (p.disconnect, p.lose_link):
        gone = asyncio.Event()
        client = other.BleakClient(device, disconnected_callback=lambda _: gone.set(), timeout=LINK)
        await client.connect()
        await asyncio.sleep(0.3)
        ended = end()
        if asyncio.iscoroutine(ended):
            await ended
        await asyncio.wait_for(gone.wait(), SOON)
    assert p.end_reason == 0x08


async def test_a_service_change_is_taken_over_by_the_daemon(world, other):
    first = Service("180F", [Characteristic("2A19", READ, b"\x01")])
    p = await world.peripheral("Changing", [first])
    device, _ = await hear(other, at(p))
    path = f"{world.path}/dev_{p.address_text.replace(':', '_')}"
    async with other.BleakClient(device, timeout=LINK):
        added = Service("0000dddd-1111-2222-3333-444455556666", [Characteristic("2A57", READ, b"n")])
        await p.change_services(add=[added])
        async with asyncio.timeout(SOON):
            while f"service{added.handle:04x}" not in await world.machine.run("busctl", "tree", "--list", "org.bluez"):
                await asyncio.sleep(0.1)
        await p.change_services(remove=[first])
        async with asyncio.timeout(SOON):
            while f"{path}/service{first.handle:04x}" in await world.machine.run("busctl", "tree", "--list", "org.bluez"):
                await asyncio.sleep(0.1)


async def test_a_pending_connection_can_be_cancelled_and_tried_again(world, other):
    p = await world.peripheral("Pending", [Service("180F", [Characteristic("2A19", READ, b"\x01")])])
    device, _ = await hear(other, at(p))
    p.stop_advertising()
    client = other.BleakClient(device, timeout=LINK)
    attempt = asyncio.create_task(client.connect())
    await asyncio.sleep(seconds(1))
    attempt.cancel()
    await asyncio.gather(attempt, return_exceptions=True)
    p.advertise()
    device, _ = await hear(other, at(p))
    async with other.BleakClient(device, timeout=LINK) as client:
        assert await client.read_gatt_char("2a19") == b"\x01"


@pytest.mark.restarts
async def test_the_adapter_is_unplugged_and_returns_under_another_number(world):
    before = world.name
    world.unplug()
    await world.plug_elsewhere(before)
    await world.power(True)


@pytest.mark.restarts
async def test_the_daemon_is_killed_and_comes_back(world):
    for number in (15, 9):
        await world.restart_daemon(number)
        await world.wait_for_property("Powered", True)


async def test_rfkill_takes_the_power_and_gives_it_back(world):
    await world.rfkill(True)
    await world.wait_for_property("Powered", False)
    await world.rfkill(False)
    await world.power(True)

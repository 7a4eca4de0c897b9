"""`bridge fault` on devices of a real adapter: errors, delays, lost answers, lost links."""

import asyncio
import json

import pytest

from lab.client import b64
from lab.gatt import NOTIFY, READ, WRITE, Characteristic, Service
from lab.times import LINK, SOON

DISCONNECTED = {"errorDomain": "CBErrorDomain", "errorCode": 7}


def services():
    return [Service("180F", [Characteristic("2A19", READ | NOTIFY, b"\x42")]),
            Service("FFF0", [Characteristic("FFF1", READ | WRITE, b"one"), Characteristic("FFF2", READ, b"two")])]


class Bench:
    """A connected device, the bridge, and a client of its own."""

    def __init__(self, bridge, client, peripheral):
        self.bridge, self.client, self.peripheral = bridge, client, peripheral

    async def connect(self):
        self.id = await self.client.connect(self.peripheral.name)
        self.table = {uuid: id for found in (await self.client.explore(self.id)).values() for uuid, id in found.items()}
        return self

    async def add(self, *words):
        """The fault's number, and how often it has struck."""
        answer = json.loads(await self.bridge.command("fault", "add", *words, "--json"))
        return answer["number"], answer["applied"]

    async def listed(self):
        return json.loads(await self.bridge.command("fault", "list", "--json"))["faults"]


@pytest.fixture
async def bench(world, bridge, client):
    peripheral = await world.peripheral("Bench Meter", services())
    yield await Bench(bridge, client, peripheral).connect()
    await bridge.command("fault", "clear")


def holds(message, **fields):
    assert {key: message.get(key) for key in fields} == fields, message


async def test_the_next_read_of_one_characteristic_fails_and_does_not_reach_the_device(bench):
    client, battery = bench.client, bench.peripheral.characteristic("2A19")
    await bench.add("--device", "Bench Meter", "--operation", "read", "--characteristic", "2A19", "--att-error", "0x05",
                    "--count", "1")
    reads = battery.reads
    assert await client.read(bench.id, bench.table["FFF1"]) == b"one"
    holds(await client.read_reply(bench.id, bench.table["2A19"]), value="", errorDomain="CBATTErrorDomain", errorCode=5)
    assert battery.reads == reads
    assert await client.read(bench.id, bench.table["2A19"]) == b"\x42"
    assert await bench.listed() == []


async def test_another_device_is_spared(world, bench):
    await world.peripheral("Other Meter", services())
    await bench.add("--device", "Bench Meter", "--operation", "read", "--att-error", "14")
    other = await Bench(bench.bridge, await bench.bridge.client("other", features=["errors"]),
                        next(p for p in world.peripherals if p.name == "Other Meter")).connect()
    assert await other.client.read(other.id, other.table["2A19"]) == b"\x42"
    holds(await bench.client.read_reply(bench.id, bench.table["2A19"]), errorCode=14)


async def test_every_notification_comes_late_and_in_order(bench):
    client, battery = bench.client, bench.peripheral.characteristic("2A19")
    await client.notify(bench.id, bench.table["2A19"])
    await bench.add("--operation", "notification", "--delay", "200ms")
    clock = asyncio.get_running_loop().time
    for value in (b"\x01", b"\x02", b"\x03"):
        start = clock()
        await battery.notify(value)
        assert await client.values(bench.table["2A19"], 1) == [value]
        assert clock() - start >= 0.2
    for value in range(5):
        await battery.notify(bytes([value]))
    assert await client.values(bench.table["2A19"], 5) == [bytes([value]) for value in range(5)]
    [fault] = await bench.listed()
    holds(fault, applied=8, delay=0.2)


async def test_a_notification_that_is_lost_does_not_come(bench):
    client, battery = bench.client, bench.peripheral.characteristic("2A19")
    await client.notify(bench.id, bench.table["2A19"])
    await bench.add("--operation", "notification", "--characteristic", "2A19", "--lose", "--every", "2")
    for value in range(4):
        await battery.notify(bytes([value]))
    assert await client.values(bench.table["2A19"], 2) == [b"\x01", b"\x03"]


async def test_a_link_is_dropped_now_and_what_was_under_way_fails_as_on_a_lost_link(bench):
    client, slow = bench.client, bench.peripheral.characteristic("FFF1")
    asked = asyncio.Event()

    async def never():
        asked.set()
        await asyncio.Event().wait()

    slow.on_read = never
    client.send("read", id=bench.id, characteristicId=bench.table["FFF1"])
    client.send("read", id=bench.id, characteristicId=bench.table["FFF2"])
    async with asyncio.timeout(SOON):
        await asked.wait()
    _, applied = await bench.add("--device", "Bench Meter", "--drop")
    assert applied == 1
    for uuid in ("FFF1", "FFF2"):
        holds(await client.expect("didUpdateValue", LINK, characteristicId=bench.table[uuid]), **DISCONNECTED)
    holds(await client.expect("didDisconnect", LINK, id=bench.id), **DISCONNECTED)
    await bench.peripheral.wait_until_connected(LINK, wanted=False)
    slow.on_read = None
    await bench.connect()
    assert await client.read(bench.id, bench.table["FFF1"]) == b"one"


async def test_a_link_is_dropped_after_the_nth_operation_with_the_error_given(bench):
    client = bench.client
    await bench.add("--operation", "read", "--after", "1", "--count", "1", "--drop", "--cb-error", "6")
    assert await client.read(bench.id, bench.table["FFF1"]) == b"one"
    assert await client.read(bench.id, bench.table["FFF2"]) == b"two"
    holds(await client.expect("didDisconnect", LINK, id=bench.id), errorDomain="CBErrorDomain", errorCode=6)


async def test_connects_fail_as_often_as_told(bench):
    client = bench.client
    await client.disconnect(bench.id)
    links = bench.peripheral.links
    await bench.add("--operation", "connect", "--cb-error", "10", "--count", "2")
    for _ in range(2):
        client.send("connect", id=bench.id, options={})
        holds(await client.expect("didFailConnect", id=bench.id), errorDomain="CBErrorDomain", errorCode=10)
    assert bench.peripheral.links == links
    await bench.connect()


async def test_writes_and_discoveries_fail_too(bench):
    client, value = bench.client, bench.peripheral.characteristic("FFF1")
    await bench.add("--operation", "write", "--characteristic", "FFF1", "--att-error", "0x80", "--count", "1")
    holds(await client.write_reply(bench.id, bench.table["FFF1"], b"x"), errorDomain="CBATTErrorDomain", errorCode=0x80)
    assert value.writes == []
    client.send("write", id=bench.id, characteristicId=bench.table["FFF1"], value=b64(b"y"), writeType=0)
    await client.expect("didWriteValue", characteristicId=bench.table["FFF1"], error="")
    assert value.writes == [b"y"]
    await bench.add("--operation", "discoverCharacteristics", "--service", "FFF0", "--att-error", "14")
    service = next(s["id"] for s in await client.services(bench.id) if s["uuid"] == "FFF0")
    client.send("discoverCharacteristics", id=bench.id, serviceId=service, characteristics=[])
    holds(await client.expect("didDiscoverCharacteristics", id=bench.id), errorCode=14, characteristics=[])

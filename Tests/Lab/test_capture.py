"""What was seen on real hardware, again without it: captured devices served as virtual ones, and recordings replayed."""

import asyncio
import contextlib
import json
import re

from lab.advertising import FLAGS_GENERAL_LE_ONLY, Payload
from lab.client import b64
from lab.gatt import COMMAND, INDICATE, NOTIFY, READ, WRITE, Characteristic, Descriptor, Service
from lab.times import LINK, seconds

A = "8D1E0020-0000-4000-8000-000000000000"
INNER = "8D1E0030-0000-4000-8000-000000000000"


def uuid(n):
    return f"8D1E{n:04X}-0000-4000-8000-000000000000"


def services():
    inner = Service(INNER, [Characteristic(uuid(0x31), READ, b"inner")], primary=False)
    main = Service(A, [
        Characteristic(uuid(0x21), READ | NOTIFY, b"value", [
            Descriptor("2901", "Prüfstrom".encode()), Descriptor("2904", bytes([4, 0, 0xAD, 0x27, 1, 0, 0])),
            Descriptor(uuid(0x99), b"\x01\x02", writable=True)]),
        Characteristic(uuid(0x22), READ | WRITE | COMMAND, b"x" * 300),
        Characteristic(uuid(0x24), INDICATE),
        Characteristic(uuid(0x25), READ | WRITE, b"secret", protection="encrypted"),
    ], includes=[inner])
    twins = [Service("FFF0", [Characteristic("FFF1", READ, bytes([n]))]) for n in (1, 2)]
    return [main, *twins, Service("FFE0", [Characteristic("FFE1", READ | NOTIFY, b"\x57")])]


async def original(world):
    return await world.peripheral(
        "Original", services(), rssi=-48,
        advert=Payload(flags=FLAGS_GENERAL_LE_ONLY, services=["180F"], tx_power=-7,
                       service_data={"181A": b"\x07"}),
        scan_response=Payload(name="Original", manufacturer={0x004C: b"\x01\x02"}))


class Walk:
    """All that a client learns of a device: its advertisement, its table, its values."""

    def __init__(self, client):
        self.client = client
        self.said = []

    async def ask(self, type, answer, **fields):
        self.client.send(type, **fields)
        reply = await self.client.expect(answer, LINK)
        self.said.append(reply)
        return reply

    async def run(self, name):
        found = await self.client.find(name)
        self.client.stop_scan()
        self.said.append({**found, "rssi": 0})
        id = self.id = found["id"]
        await self.ask("connect", "didConnect", id=id, options={})
        listed = (await self.ask("discoverServices", "didDiscoverServices", id=id, services=[]))["services"]
        for service in listed:
            included = await self.ask(
                "discoverIncludedServices", "didDiscoverIncludedServices", id=id, serviceId=service["id"], services=[])
            listed += [s for s in included["includedServices"] if s not in listed]
            found = await self.ask(
                "discoverCharacteristics", "didDiscoverCharacteristics", id=id, serviceId=service["id"],
                characteristics=[])
            for characteristic in found["characteristics"]:
                await self.ask("read", "didUpdateValue", id=id, characteristicId=characteristic["id"])
                found = await self.ask(
                    "discoverDescriptors", "didDiscoverDescriptors", id=id, characteristicId=characteristic["id"])
                for descriptor in found["descriptors"]:
                    await self.ask("readDescriptor", "didUpdateDescriptorValue", id=id, descriptorId=descriptor["id"])
        return self

    @property
    def comparable(self):
        """Handles by order of appearance, texts of errors left to each."""
        numbers = {}
        text = json.dumps(self.said, sort_keys=True)
        text = re.sub(r':(\d+)(?=[":])', lambda match: f":#{numbers.setdefault(match[1], len(numbers))}", text)
        return [{**m, "error": m.get("error", "") != ""} for m in json.loads(text)]


@contextlib.asynccontextmanager
async def beating(characteristic, interval=0.3):
    """Notifies 0, 1, 2 … while the block runs."""
    async def beat():
        for value in range(256):
            await characteristic.notify(bytes([value]))
            await asyncio.sleep(seconds(interval))

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


async def test_a_captured_device_answers_a_client_as_the_device_did(world, start_bridge):
    p = await original(world)
    bridge = await start_bridge("--agent", "just-works")
    client = await bridge.client("before", features=["errors", "mtu"])
    before = await Walk(client).run("Original")
    await client.disconnect(before.id)
    async with beating(p.characteristic("FFE1")):
        text = await bridge.command(
            "capture", "--name", "origin", "--duration", "6", "--notifications", "4", "--output", "/run/captured.json",
            timeout=seconds(120))
    assert "5 services" in text, text
    await p.wait_until_connected(LINK, wanted=False)
    device = json.loads(await world.machine.run("cat", "/run/captured.json"))["devices"][0]
    assert device["id"] == before.id
    assert device["serviceData"] == {"181A": b64(b"\x07")} and device["txPower"] == -7, device
    descriptors = {d["uuid"]: d.get("value") for s in device["services"] for c in s["characteristics"]
                   for d in c["descriptors"] if c["uuid"] == uuid(0x21)}
    assert descriptors == {
        "2902": b64(b"\0\0"), "2901": b64("Prüfstrom".encode()), "2904": b64(bytes([4, 0, 0xAD, 0x27, 1, 0, 0])),
        uuid(0x99): b64(b"\x01\x02")}, descriptors
    notified = next(c["behavior"]["source"]["values"] for s in device["services"] for c in s["characteristics"]
                    if c["uuid"] == "FFE1")
    assert len(notified) >= 3
    await bridge.stop()
    world.remove(p)

    mock = await start_bridge("--radio", "mock", "--mock-config", "/run/captured.json")
    client = await mock.client("after", features=["errors", "mtu"])
    after = await Walk(client).run("Original")
    assert after.comparable == before.comparable


async def test_a_recorded_conversation_replays_without_the_device(world, start_bridge):
    p = await original(world)
    bridge = await start_bridge("--record", "/run/recordings")
    before = await converse(await bridge.client("recorded", features=["errors", "mtu"]), p)
    await bridge.stop()
    world.remove(p)
    names = (await world.machine.run("ls", "/run/recordings")).split()
    recording = next(f"/run/recordings/{name}" for name in names if "recorded" in name)
    assert (await world.machine.run("stat", "-c", "%a", recording)).strip() == "600"

    replay = await start_bridge(recording, "--fast", verb="replay")
    client = await replay.client("recorded", features=["errors", "mtu"])
    after = await converse(client)
    assert after.said == before.said
    client.send("connect", id=after.id, options={})
    refusal = await client.expect("didFailConnect", id=after.id)
    assert refusal["error"].startswith("not in the recording: a connect"), refusal


async def converse(client, p=None):
    """One of everything; the device does its part where there is one, and goes at the end."""
    walk = await Walk(client).run("Original")
    id = walk.id
    table = {}
    for message in walk.said:
        if message["type"] == "didDiscoverCharacteristics":
            table |= {c["uuid"]: c["id"] for c in message["characteristics"]}
    await walk.ask("write", "didWriteValue", id=id, characteristicId=table[uuid(0x22)], value=b64(b"y" * 200), writeType=0)
    await walk.ask("read", "didUpdateValue", id=id, characteristicId=table[uuid(0x22)])
    await walk.ask("setNotify", "didUpdateNotification", id=id, characteristicId=table["FFE1"], enabled=True)
    if p:
        for value in (b"\x01", b"\x02", b"\x03"):
            await p.characteristic("FFE1").notify(value)
    for _ in range(3):
        walk.said.append(await client.expect("didUpdateValue", LINK, characteristicId=table["FFE1"]))
    await walk.ask("readRSSI", "didReadRSSI", id=id)
    if p:
        await p.disconnect()
    walk.said.append({**await client.expect("didDisconnect", LINK, id=id), "timestamp": 0})
    return walk

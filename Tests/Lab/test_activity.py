"""The record of traffic, and the commands that show it."""

import asyncio
import json

import pytest

from lab.client import b64, unb64
from lab.gatt import COMMAND, NOTIFY, READ, WRITE, Characteristic, Descriptor, Service
from lab.peripheral import Sink, echo
from lab.times import LINK, SOON, seconds

A = "8D1E0020-0000-4000-8000-000000000000"
VALUE = "8D1E0021-0000-4000-8000-000000000000"


async def report(bridge, id):
    """The record of one device, as a tool asks for it; None if it has none."""
    tool = await bridge.client("tool", features=["control"])
    tool.send("devices")
    devices = (await tool.expect("didReportDevices"))["devices"]
    tool.close()
    return next((d for d in devices if d["id"] == id), None)


async def test_requests_are_counted_by_kind_and_nothing_else_is(world, bridge):
    p = await world.peripheral("Busy", [Service(A, [Characteristic(
        VALUE, READ | WRITE | COMMAND | NOTIFY, b"12345", [Descriptor("2901", b"Name")])])])
    p.serve_l2cap(0x80, echo)
    client = await bridge.client("counted", bundle="com.example.counted", features=["errors"])
    id = await client.connect("Busy")
    c = (await client.explore(id))[A][VALUE]
    descriptors = {d["uuid"]: d["id"] for d in await client.descriptors(id, c)}
    client.send("readRSSI", id=id)
    await client.expect("didReadRSSI", id=id)
    assert await report(bridge, id) is None  # scan, connect, discovery and RSSI are no traffic

    for _ in range(3):
        await client.read(id, c)
    await client.write(id, c, b"1234567")
    client.command(id, c, b"12")
    client.send("readDescriptor", id=id, descriptorId=descriptors["2901"])
    await client.expect("didUpdateDescriptorValue", id=id)
    await client.notify(id, c)
    for value in (b"a", b"bc"):
        await p.characteristic(VALUE).notify(value)
    await client.values(c, 2)
    await client.notify(id, c, False)
    channel = await client.open_l2cap(id, 0x80)
    client.l2cap_write(channel, b"0123456789")
    await client.l2cap_read(channel, 10)
    client.send("l2capClose", channelId=channel)
    await client.expect("l2capClosed")

    record = await report(bridge, id)
    assert record["operations"] == {
        "Read": 3, "Write": 2, "Read descriptor": 1, "Subscribe": 1, "Unsubscribe": 1, "Open L2CAP": 1,
        "L2CAP write": 1, "L2CAP read": 1, "L2CAP close": 1}
    assert record["count"] == 12 and record["notifications"] == 2
    assert record["name"] == "Busy" and record["address"] == p.address_text
    assert record["bytesWritten"] == 7 + 2 + 10
    assert record["bytesRead"] >= 3 * 5 + 4 + 10
    assert (record["lastOperation"], record["lastDetail"]) == ("L2CAP close", "PSM 128")
    assert record["firstAt"] <= record["lastAt"]
    assert [c["bundleId"] for c in record["clients"]] == ["com.example.counted"]


async def test_the_record_outlives_its_client_and_is_active_for_a_moment(world, bridge):
    await world.peripheral("Brief", [Service(A, [Characteristic(VALUE, READ, b"1")])])
    client = await bridge.client("brief")
    id = await client.connect("Brief")
    c = (await client.explore(id))[A][VALUE]
    tool = await bridge.client("watching", features=["control"])
    await client.read(id, c)
    tool.send("devices", watch=True)
    first = await tool.expect("didReportDevices")
    assert next(d for d in first["devices"] if d["id"] == id)["isActive"]
    client.close()
    await tool.expect("didReportDevices", where=lambda m: not next(
        d for d in m["devices"] if d["id"] == id)["isActive"])


async def test_commands_show_devices_status_and_what_is_on_the_air(world, bridge):
    await world.peripheral("Shown", [Service(A, [Characteristic(VALUE, READ, b"1")])])
    client = await bridge.client("shown", bundle="com.example.shown")
    id = await client.connect("Shown")
    await client.read(id, (await client.explore(id))[A][VALUE])
    devices = await bridge.devices()
    assert "Shown" in json.dumps(devices) and id in json.dumps(devices)
    assert "Shown" in await bridge.command("devices")
    status = await bridge.command("status")
    assert "poweredOn" in status and "com.example.shown" in status
    await world.peripheral("Audible")
    assert "Audible" in await bridge.command("scan", "--duration", "4")


async def test_the_doctor_finds_a_healthy_radio(world, bridge):
    output = await bridge.command("doctor", check=False)
    assert "hci" in output, output


async def test_every_operation_is_a_line_in_the_activity_log(world, start_bridge):
    p = await world.peripheral("Logged", [Service(A, [Characteristic(VALUE, READ | WRITE, b"12345")])])
    bridge = await start_bridge("--activity-log", "/run/activity.log")
    client = await bridge.client("logged", bundle="com.example.logged")
    id = await client.connect("Logged")
    c = (await client.explore(id))[A][VALUE]
    await client.read(id, c)
    await client.write(id, c, b"1")
    async with asyncio.timeout(SOON):
        while len(lines := (await world.machine.run("cat", "/run/activity.log", check=False)).splitlines()) < 2:
            await asyncio.sleep(0.2)
    entries = [json.loads(line) for line in lines]
    assert [e["operation"] for e in entries] == ["Read", "Write"]
    assert id in lines[0] and "com.example.logged" in lines[0]
    await world.machine.run("mv", "/run/activity.log", "/run/activity.old")
    bridge.process.kill(1)  # SIGHUP
    await asyncio.sleep(seconds(1))
    await client.read(id, c)
    async with asyncio.timeout(SOON):
        while not (await world.machine.run("cat", "/run/activity.log", check=False)).startswith("{"):
            await asyncio.sleep(0.2)

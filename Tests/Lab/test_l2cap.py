"""L2CAP channels: byte streams over kernel sockets."""

import asyncio

import pytest

from lab.client import b64
from lab.peripheral import Sink, echo
from lab.times import LINK, LONG, QUIET, SOON, seconds

ECHO, SINK, SLOW, SMALL, SILENT, NOBODY, SECOND = 0x80, 0x81, 0x82, 0x83, 0x84, 0x90, 0x85


def pattern(size):
    return bytes((n * 7 + n // 256) % 256 for n in range(size))


@pytest.fixture
async def device(world):
    p = await world.peripheral("Channels")
    p.serve_l2cap(ECHO, echo)
    p.serve_l2cap(SECOND, echo)
    p.sink, p.slow, p.small = Sink(), Sink(), Sink()
    p.serve_l2cap(SINK, p.sink)
    p.serve_l2cap(SLOW, p.slow, mtu=256, mps=64, credits=2)
    p.serve_l2cap(SMALL, p.small, mtu=23, mps=23)
    p.serve_l2cap(SILENT, None)
    return p


@pytest.fixture
async def id(device, client):
    id = await client.connect("Channels")
    await client.services(id)
    return id


async def test_100_000_bytes_come_back_as_they_went(client, id):
    channel = await client.open_l2cap(id, ECHO)
    assert channel.startswith(f"{id}:")
    data = pattern(100_000)
    client.l2cap_write(channel, data)
    assert await client.l2cap_read(channel, len(data), LONG) == data


async def test_nothing_is_lost_when_the_device_takes_little_at_a_time(client, id, device):
    for psm, sink, size in ((SLOW, device.slow, 30_000), (SMALL, device.small, 3_000)):
        channel = await client.open_l2cap(id, psm)
        data = pattern(size)
        client.l2cap_write(channel, data, chunk=5000)
        async with asyncio.timeout(LONG):
            while len(sink.received) < size:
                await asyncio.sleep(0.05)
        assert bytes(sink.received) == data


async def test_what_the_device_sends_at_once_and_unasked_arrives(client, id, device):
    channel = await client.open_l2cap(id, SINK)
    async with asyncio.timeout(SOON):
        while not device.sink.channels:
            await asyncio.sleep(0.01)
    data = pattern(20_000)
    device.sink.channels[0].write(data)
    assert await client.l2cap_read(channel, len(data)) == data
    assert all(len(m["value"]) <= 2732 for m in client.all("l2capData"))


async def test_the_clients_close_closes_the_devices_end_and_is_answered(client, id, device):
    channel = await client.open_l2cap(id, SINK)
    client.l2cap_write(channel, b"last words")
    client.send("l2capClose", channelId=channel)
    await client.expect("l2capClosed", channelId=channel)
    async with asyncio.timeout(SOON):
        while not device.sink.closed:
            await asyncio.sleep(0.01)
    assert bytes(device.sink.received) == b"last words"
    client.send("l2capWrite", channelId=channel, value=b64(b"too late"))
    await client.expect("l2capClosed", channelId=channel)


async def test_the_devices_close_is_told_after_what_it_sent(client, id, device):
    channel = await client.open_l2cap(id, SINK)
    async with asyncio.timeout(SOON):
        while not device.sink.channels:
            await asyncio.sleep(0.01)
    device.sink.channels[0].write(b"goodbye")
    await device.sink.channels[0].drain()
    await asyncio.sleep(seconds(0.3))
    await device.sink.channels[0].disconnect()
    assert await client.l2cap_read(channel, 7) == b"goodbye"
    await client.expect("l2capClosed", channelId=channel)


async def test_a_refused_channel_is_an_error_with_an_empty_id(client, id):
    client.send("openL2CAP", id=id, psm=NOBODY)
    answer = await client.expect("didOpenL2CAP", id=id)
    assert answer["error"] and answer["channelId"] == ""


async def test_a_channel_that_is_never_answered_fails_after_three_seconds(client, id):
    began = asyncio.get_running_loop().time()
    client.send("openL2CAP", id=id, psm=SILENT)
    answer = await client.expect("didOpenL2CAP", id=id)
    assert answer["error"] == "Timeout opening L2CAP channel" and answer["channelId"] == ""
    assert asyncio.get_running_loop().time() - began >= 2.9
    channel = await client.open_l2cap(id, ECHO)  # and does no harm to the next
    client.l2cap_write(channel, b"alive")
    assert await client.l2cap_read(channel, 5) == b"alive"


async def test_opens_of_one_psm_are_one_channel_and_each_is_answered(client, id, device):
    for psm in (SINK, SINK, SECOND):
        client.send("openL2CAP", id=id, psm=psm)
    answers = [await client.expect("didOpenL2CAP", id=id) for _ in range(3)]
    assert all(a["error"] == "" for a in answers)
    by_psm = {psm: {a["channelId"] for a in answers if a["psm"] == psm} for psm in (SINK, SECOND)}
    assert len(by_psm[SINK]) == len(by_psm[SECOND]) == 1 and by_psm[SINK] != by_psm[SECOND]
    assert len(device.sink.channels) == 1


async def test_a_lost_link_closes_its_channels(client, id, device):
    channel = await client.open_l2cap(id, ECHO)
    await device.disconnect()
    await client.expect("l2capClosed", LINK, channelId=channel)
    await client.expect("didDisconnect", LINK, id=id)


async def test_an_unknown_channel_is_closed(client, id):
    client.send("l2capWrite", channelId=f"{id}:128:99", value=b64(b"?"))
    await client.expect("l2capClosed", channelId=f"{id}:128:99")

"""Protected attributes: pairing happens as BlueZ does it, and its failures are answers."""

import asyncio

import pytest

from lab.gatt import NOTIFY, READ, WRITE, Characteristic, Service
from lab.peripheral import Pairing
from lab.times import LINK, SOON, seconds

A = "8D1E0020-0000-4000-8000-000000000000"
SECRET = "8D1E0023-0000-4000-8000-000000000000"
OPEN = "8D1E0024-0000-4000-8000-000000000000"


def services(protection="encrypted"):
    return [Service(A, [Characteristic(SECRET, READ | WRITE, b"secret", protection=protection),
                        Characteristic(OPEN, READ, b"open")])]


async def test_reading_what_is_protected_pairs_and_gives_the_value(world, client):
    p = await world.peripheral("Protected", services())
    id = await client.connect("Protected")
    secret = (await client.explore(id))[A][SECRET]
    assert await client.read(id, secret, seconds(60)) == b"secret"
    assert p.pairing.asked == 1 and p.connection.is_encrypted
    await client.write(id, secret, b"changed")
    await client.disconnect(id)
    await client.connect(id)
    await client.services(id)
    assert await client.read(id, secret, seconds(60)) == b"changed"
    assert p.pairing.asked == 1  # the bond is enough


async def test_writing_what_is_protected_pairs_too(world, client):
    p = await world.peripheral("Protected", services())
    id = await client.connect("Protected")
    secret = (await client.explore(id))[A][SECRET]
    await client.write(id, secret, b"written", seconds(60))
    assert p.characteristic(SECRET).writes == [b"written"]


async def test_a_device_that_refuses_to_pair_gives_an_error_within_a_minute(world, client):
    await world.peripheral("Refusing", services(), pairing=Pairing(accepts=False))
    id = await client.connect("Refusing")
    table = (await client.explore(id))[A]
    answer = await client.read_reply(id, table[SECRET], seconds(60))
    assert answer["error"]
    assert (answer["errorDomain"], answer["errorCode"]) in (
        ("CBATTErrorDomain", 5), ("CBATTErrorDomain", 15), ("CBATTErrorDomain", 14), ("CBErrorDomain", 7)), answer
    # The device is usable afterwards.
    await asyncio.sleep(seconds(3))
    if client.all("didDisconnect", id=id):
        await client.connect(id)
        await client.services(id)
    assert await client.read(id, table[OPEN], LINK) == b"open"


async def test_without_an_agent_a_protected_read_fails_within_a_minute_and_the_device_stays_usable(
        world, start_bridge):
    await world.peripheral("Protected", services())
    bridge = await start_bridge("--agent", "none")
    client = await bridge.client(features=["errors"])
    id = await client.connect("Protected")
    table = (await client.explore(id))[A]
    answer = await client.read_reply(id, table[SECRET], seconds(60))
    assert answer["errorDomain"] == "CBATTErrorDomain" and answer["errorCode"] in (5, 15), answer
    await client.expect("didDisconnect", LINK, id=id)
    await client.connect(id)
    await client.services(id)
    assert await client.read(id, table[OPEN], LINK) == b"open"


async def test_a_passkey_that_the_device_shows_is_typed(world, start_bridge):
    p = await world.peripheral("Passkey", services("authenticated"), pairing=Pairing(passkey=123456))
    bridge = await start_bridge("--agent", "keyboard", "--passkey", "123456")
    client = await bridge.client(features=["errors"])
    id = await client.connect("Passkey")
    secret = (await client.explore(id))[A][SECRET]
    assert await client.read(id, secret, seconds(60)) == b"secret"
    assert p.connection.authenticated


async def test_a_wrong_passkey_is_an_error(world, start_bridge):
    await world.peripheral("Passkey", services("authenticated"), pairing=Pairing(passkey=123456))
    bridge = await start_bridge("--agent", "keyboard", "--passkey", "654321")
    client = await bridge.client(features=["errors"])
    id = await client.connect("Passkey")
    secret = (await client.explore(id))[A][SECRET]
    answer = await client.read_reply(id, secret, seconds(60))
    assert answer["error"] and answer["errorCode"] in (5, 7, 14, 15), answer

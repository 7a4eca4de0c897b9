"""The GATT client, on one bench device that many tests share; tests that change a device make their own."""

import asyncio
import struct

import pytest

from lab.advertising import Payload
from lab.client import b64, unb64
from lab.gatt import COMMAND, INDICATE, NOTIFY, READ, WRITE, Characteristic, Descriptor, Service, att_error
from lab.times import LINK, LONG, QUIET, SOON, seconds
from lab.world import daemon_version

A = "8D1E0020-0000-4000-8000-000000000000"
INNER = "8D1E0030-0000-4000-8000-000000000000"
FORMAT = bytes([0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00])


def uuid(n):
    return f"8D1E{n:04X}-0000-4000-8000-000000000000"


def bench_services():
    inner = Service(INNER, [Characteristic(uuid(0x31), READ, b"inner")], primary=False)
    main = Service(A, [
        Characteristic(uuid(0x21), READ | NOTIFY, b"value", [
            Descriptor("2901", b"Shunt current"), Descriptor("2904", FORMAT),
            Descriptor(uuid(0x99), b"\x01\x02", writable=True)]),
        Characteristic(uuid(0x22), READ | WRITE, b""),
        Characteristic(uuid(0x23), COMMAND),
        Characteristic(uuid(0x24), INDICATE),
        Characteristic(uuid(0x25), NOTIFY | INDICATE),
        Characteristic(uuid(0x26), WRITE),
        Characteristic(uuid(0x27), READ | WRITE),
        Characteristic(uuid(0x28), READ | WRITE | COMMAND, b""),
    ], includes=[inner])
    twins = [Service("FFF0", [Characteristic("FFF1", READ, bytes([n]))]) for n in (1, 2)]
    return [main, *twins, Service("180F", [Characteristic("2A19", READ | NOTIFY, b"\x57")])]


class Bench:
    def __init__(self, peripheral, client, id):
        self.peripheral = peripheral
        self.client = client
        self.id = id

    def device(self, n):
        return self.peripheral.characteristic(uuid(n))

    def __getitem__(self, n):
        """The id of the main service's characteristic."""
        return self.table[A][uuid(n)]


@pytest.fixture(scope="module")
async def connected(session_world, shared_bridge):
    if not shared_bridge.process.running:
        await shared_bridge.start()
    p = await session_world.peripheral("Bench", bench_services(), keep=True)
    from lab.client import Client
    client = await Client.open(session_world.machine, shared_bridge.socket, "bench", features=["errors"])
    bench = Bench(p, client, await client.connect("Bench"))
    bench.table = await client.explore(bench.id)
    yield bench
    client.close()
    p.keep = False


@pytest.fixture
async def bench(connected, world):
    connected.client.skip()
    yield connected
    for service in connected.peripheral.services:
        for characteristic in service.characteristics:
            characteristic.on_read = characteristic.on_write = None
            characteristic.writes.clear()


# The table


async def test_services_are_the_primary_ones_without_1800_and_1801(bench):
    services = await bench.client.services(bench.id)
    assert [(s["uuid"], s["primary"]) for s in services] == [
        (A, True), ("FFF0", True), ("FFF0", True), ("180F", True)]


async def test_secondary_services_are_found_through_includes_only(bench):
    main = (await bench.client.services(bench.id, [A]))[0]
    included = await bench.client.included(bench.id, main["id"])
    assert [(s["uuid"], s["primary"]) for s in included] == [(INNER, False)]
    characteristics = await bench.client.characteristics(bench.id, included[0]["id"])
    assert await bench.client.read(bench.id, characteristics[0]["id"]) == b"inner"
    assert await bench.client.included(bench.id, main["id"], ["180F"]) == []
    assert await bench.client.included(bench.id, main["id"], [INNER.lower()]) == included


async def test_filters_list_less_and_renumber_nothing(bench):
    every = await bench.client.services(bench.id)
    twins = await bench.client.services(bench.id, ["0000FFF0-0000-1000-8000-00805F9B34FB"])
    assert twins == [s for s in every if s["uuid"] == "FFF0"] and twins[0]["id"] != twins[1]["id"]
    assert await bench.client.services(bench.id, ["1805"]) == []
    main = every[0]["id"]
    one = await bench.client.characteristics(bench.id, main, [uuid(0x23)])
    assert [c["uuid"] for c in one if c["uuid"] == uuid(0x23)] == [uuid(0x23)]
    assert one[0]["id"] in {c["id"] for c in await bench.client.characteristics(bench.id, main)}


async def test_services_of_one_uuid_keep_apart_in_the_order_of_their_handles(bench):
    values = []
    for service in await bench.client.services(bench.id, ["FFF0"]):
        characteristic = (await bench.client.characteristics(bench.id, service["id"]))[0]
        values.append(await bench.client.read(bench.id, characteristic["id"]))
    assert values == [b"\x01", b"\x02"]


async def test_properties_are_core_bluetooths(bench):
    main = (await bench.client.services(bench.id, [A]))[0]
    found = await bench.client.characteristics(bench.id, main["id"])
    assert [(c["uuid"], c["properties"]) for c in found] == [
        (uuid(n), p) for n, p in ((0x21, 0x12), (0x22, 0x0A), (0x23, 0x04), (0x24, 0x20), (0x25, 0x30), (0x26, 0x08),
                                  (0x27, 0x0A), (0x28, 0x0E))]


async def test_descriptors_are_listed_and_their_values_typed(bench):
    client = bench.client
    found = {d["uuid"]: d["id"] for d in await client.descriptors(bench.id, bench[0x21])}
    assert set(found) == {"2901", "2902", "2904", uuid(0x99)}

    async def read(uuid):
        client.send("readDescriptor", id=bench.id, descriptorId=found[uuid])
        answer = await client.expect("didUpdateDescriptorValue", descriptorId=found[uuid])
        assert answer["error"] == "", answer
        return answer["value"], answer["valueB64"]

    assert await read("2901") == ("Shunt current", "")
    assert await read("2902") == (0, "")
    assert await read("2904") == (None, b64(FORMAT))
    assert await read(uuid(0x99)) == (None, b64(b"\x01\x02"))
    client.send("writeDescriptor", id=bench.id, descriptorId=found[uuid(0x99)], value=b64(b"new"))
    assert (await client.expect("didWriteDescriptorValue", descriptorId=found[uuid(0x99)]))["error"] == ""
    assert await read(uuid(0x99)) == (None, b64(b"new"))
    client.send("writeDescriptor", id=bench.id, descriptorId=found["2902"], value=b64(b"\x01\x00"))
    assert (await client.expect("didWriteDescriptorValue", descriptorId=found["2902"]))["error"]
    assert not bench.device(0x21).subscribers


# Reading and writing


@pytest.mark.parametrize("size", [0, 1, 20, 22, 23, 182, 512])
async def test_values_are_read_whole(bench, size):
    value = bytes(n % 251 for n in range(size))
    bench.device(0x22).value = value
    assert await bench.client.read(bench.id, bench[0x22]) == value


@pytest.mark.parametrize("size", [0, 1, 20, 512])
async def test_values_are_written_whole(bench, size):
    value = bytes(n % 241 for n in range(size))
    await bench.client.write(bench.id, bench[0x22], value)
    assert bench.device(0x22).writes == [value]


async def test_a_value_of_513_bytes_is_refused_with_att_error_13(bench):
    answer = await bench.client.write_reply(bench.id, bench[0x22], bytes(513))
    assert (answer["errorDomain"], answer["errorCode"]) == ("CBATTErrorDomain", 13)
    assert bench.device(0x22).writes == []


async def test_long_values_pass_a_device_with_the_smallest_mtu(world, client):
    value = bytes(n % 251 for n in range(200))
    p = await world.peripheral("Small", [Service(A, [Characteristic(uuid(0x22), READ | WRITE, value)])], mtu=23)
    id = await client.connect("Small")
    characteristic = (await client.explore(id))[A][uuid(0x22)]
    assert await client.read(id, characteristic) == value
    for size in (22, 44):  # ends where a packet does
        p.characteristic(uuid(0x22)).value = value[:size]
        assert await client.read(id, characteristic) == value[:size]
    await client.write(id, characteristic, value[::-1])
    assert p.characteristic(uuid(0x22)).writes == [value[::-1]]


@pytest.mark.skipif(daemon_version() < (5, 62), reason="bluetoothd has the property MTU since 5.62; 20 bytes are assumed")
async def test_the_largest_write_without_response_is_told(world, bridge):
    client = await bridge.client(features=["mtu"])
    await world.peripheral("Hundred", [Service(A, [Characteristic(uuid(0x22), READ, b"")])], mtu=100)
    id = (await client.find("Hundred"))["id"]
    client.send("connect", id=id, options={})
    await client.expect("didConnect", LINK, id=id)
    client.send("discoverServices", id=id, services=[])
    await client.expect("didUpdateMTU", LINK, id=id, maximumWriteValueLength=97)


async def test_commands_arrive_all_and_in_order_and_are_paced(bench):
    sent = [struct.pack("<H", n) + bytes(18) for n in range(300)]
    for value in sent:
        bench.client.command(bench.id, bench[0x23], value)
    assert await bench.device(0x23).wait_for_writes(len(sent), LINK) == sent
    await bench.client.expect("didReadyToWriteWithoutResponse", id=bench.id)
    assert not bench.client.all("didWriteValue", characteristicId=bench[0x23])


async def test_a_command_to_what_takes_none_is_dropped(bench):
    bench.client.command(bench.id, bench[0x26], b"no")
    await bench.client.write(bench.id, bench[0x26], b"yes")
    assert bench.device(0x26).writes == [b"yes"]


async def test_requests_are_answered_in_their_order(bench):
    client, log = bench.client, []
    bench.device(0x28).on_write = lambda value: log.append(value)
    for n in range(10):
        client.send("write", id=bench.id, characteristicId=bench[0x28], value=b64(bytes([n])), writeType=n % 2)
        client.send("read", id=bench.id, characteristicId=bench[0x28])
    values = await client.values(bench[0x28], 10, LINK)
    assert values == [bytes([n]) for n in range(10)] == log


@pytest.mark.parametrize("code", [0x06, 0x08, 0x0D, 0x11, 0x80, 0x9F, 0xE0, 0xFF])
async def test_the_devices_errors_keep_their_codes(bench, code):
    def refuse(*_):
        raise att_error(code)

    bench.device(0x27).on_read = bench.device(0x27).on_write = refuse
    for answer in (await bench.client.read_reply(bench.id, bench[0x27]),
                   await bench.client.write_reply(bench.id, bench[0x27], b"x")):
        assert answer["error"] and (answer["errorDomain"], answer["errorCode"]) == ("CBATTErrorDomain", code)
    assert answer.get("value", "") == ""


async def test_reading_and_writing_what_is_not_permitted_gives_2_and_3(bench):
    assert (await bench.client.read_reply(bench.id, bench[0x26]))["errorCode"] == 2
    assert (await bench.client.write_reply(bench.id, bench[0x21], b"x"))["errorCode"] == 3


async def test_unknown_attributes_are_answered_with_errors(bench):
    client, wrong = bench.client, f"{bench.id}:180D:FF"
    client.send("read", id=bench.id, characteristicId=wrong)
    assert (await client.expect("didUpdateValue", characteristicId=wrong))["error"]
    client.send("setNotify", id=bench.id, characteristicId=wrong, enabled=True)
    answer = await client.expect("didUpdateNotification", characteristicId=wrong)
    assert answer["error"] and answer["enabled"] is False
    client.send("discoverCharacteristics", id=bench.id, serviceId=wrong, characteristics=[])
    assert (await client.expect("didDiscoverCharacteristics", serviceId=wrong))["error"]


# Notifications


async def test_notifications_come_all_in_order_repeats_too(bench):
    values = [struct.pack("<H", n // 2) for n in range(200)]  # each twice
    await bench.client.notify(bench.id, bench[0x25])
    await bench.device(0x25).notify_all(values)
    assert await bench.client.values(bench[0x25], len(values), LINK) == values
    await bench.client.notify(bench.id, bench[0x25], False)
    await bench.device(0x25).wait_for_subscriber(SOON, False)
    await bench.client.refuse("didUpdateValue")


async def test_notify_is_preferred_over_indicate(bench):
    await bench.client.notify(bench.id, bench[0x25])
    server = bench.peripheral.server
    (states,) = server.subscribers.values()
    # bluetoothd 5.55 switches both on: the device then chooses.
    assert states[bench.device(0x25).handle] == (b"\x03\x00" if daemon_version() == (5, 55) else b"\x01\x00")
    await bench.client.notify(bench.id, bench[0x25], False)


async def test_indications_are_confirmed_and_told(bench):
    await bench.client.notify(bench.id, bench[0x24])
    async with asyncio.timeout(SOON):
        for value in (b"one", b"two", b"two"):
            await bench.device(0x24).indicate(value)
    assert await bench.client.values(bench[0x24], 3) == [b"one", b"two", b"two"]
    await bench.client.notify(bench.id, bench[0x24], False)


async def test_a_notification_inside_a_read_is_neither_lost_nor_taken_for_the_result(bench):
    client, device = bench.client, bench.device(0x21)
    await client.notify(bench.id, bench[0x21])
    for noticed in (b"notified", b"value"):  # equal to what is read, the second time

        async def notify_then_answer():
            await device.notify(noticed)

        device.value = b"value"
        device.on_read = notify_then_answer
        client.skip()
        client.send("read", id=bench.id, characteristicId=bench[0x21])
        assert await client.values(bench[0x21], 2) == [noticed, b"value"]
        await client.refuse("didUpdateValue")
    device.on_read = None
    client.send("read", id=bench.id, characteristicId=bench[0x21])
    assert await client.values(bench[0x21], 1) == [b"value"]
    await client.refuse("didUpdateValue")
    await client.notify(bench.id, bench[0x21], False)


async def test_subscribing_to_what_never_notifies_gives_att_error_6(bench):
    bench.client.send("setNotify", id=bench.id, characteristicId=bench[0x22], enabled=True)
    answer = await bench.client.expect("didUpdateNotification", characteristicId=bench[0x22])
    assert answer["enabled"] is False and (answer["errorDomain"], answer["errorCode"]) == ("CBATTErrorDomain", 6)


async def test_subscribers_share_one_subscription_and_each_hears_every_value_once(bench, bridge):
    second = await bridge.client("second")
    assert await second.connect(bench.id) == bench.id
    await second.services(bench.id)
    await bench.client.notify(bench.id, bench[0x25])
    await second.notify(bench.id, bench[0x25])
    await bench.device(0x25).notify(b"both")
    for client in (bench.client, second):
        assert await client.values(bench[0x25], 1) == [b"both"]
    await bench.client.notify(bench.id, bench[0x25], False)
    assert bench.device(0x25).subscribers
    await bench.device(0x25).notify(b"second only")
    assert await second.values(bench[0x25], 1) == [b"second only"]
    await bench.client.refuse("didUpdateValue")
    second.close()
    await bench.device(0x25).wait_for_subscriber(SOON, False)
    assert bench.peripheral.connection is not None


async def test_subscriptions_end_with_the_link(world, client):
    p = await world.peripheral("Notifier", [Service(A, [Characteristic(uuid(0x25), NOTIFY)])])
    id = await client.connect("Notifier")
    characteristic = (await client.explore(id))[A][uuid(0x25)]
    await client.notify(id, characteristic)
    await p.disconnect()
    await client.expect("didDisconnect", LINK, id=id)
    await client.connect(id)
    await client.services(id)
    await p.characteristic(uuid(0x25)).notify(b"silence")
    await client.refuse("didUpdateValue")
    await client.notify(id, characteristic)
    await p.characteristic(uuid(0x25)).notify(b"again")
    assert await client.values(characteristic, 1) == [b"again"]


# Change and loss


async def test_changed_services_are_announced_and_found(world, client):
    gone = Service("FFF0", [Characteristic("FFF1", READ, b"old")])
    p = await world.peripheral("Changing", [Service("180F", [Characteristic("2A19", READ, b"\x01")]), gone])
    id = await client.connect("Changing")
    services = {s["uuid"]: s["id"] for s in await client.services(id)}
    stale = (await client.characteristics(id, services["FFF0"]))[0]["id"]
    await p.change_services(add=[Service(A, [Characteristic(uuid(0x22), READ, b"new")])])
    await client.expect("didModifyServices", LINK, id=id)
    table = await client.explore(id)
    assert await client.read(id, table[A][uuid(0x22)]) == b"new"
    await p.change_services(remove=[gone])
    modified = await client.expect("didModifyServices", LINK, id=id)
    assert modified["serviceIds"] == [services["FFF0"]]
    assert [s["uuid"] for s in await client.services(id)] == ["180F", A]
    assert (await client.read_reply(id, stale))["error"]


async def test_a_new_device_name_is_told_and_the_advertised_one_stays(world, client):
    p = await world.peripheral("Advertised", [Service("180F", [Characteristic("2A19", READ, b"\x01")])],
                               gap_name="First name")
    id = (await client.find("Advertised"))["id"]
    client.send("connect", id=id, options={})
    await client.expect("didUpdateName", LINK, id=id, name="First name")
    await client.services(id)
    await client.disconnect(id)
    p.rename("Second name")
    await client.connect(id)
    await client.expect("didUpdateName", LINK, id=id, name="Second name")
    await client.disconnect(id)
    client.scan()
    report = await client.expect("didDiscover", LINK, id=id)
    assert report["name"] == "Second name"
    assert report["adv"]["kCBAdvDataLocalName"] == "Advertised"


async def test_a_request_that_the_link_takes_along_is_answered_before_the_disconnect(world, client):
    slow = Characteristic(uuid(0x22), READ, b"")
    slow.on_read = lambda: asyncio.sleep(3600)
    p = await world.peripheral("Dying", [Service(A, [slow])])
    id = await client.connect("Dying")
    characteristic = (await client.explore(id))[A][uuid(0x22)]
    client.send("read", id=id, characteristicId=characteristic)
    client.send("read", id=id, characteristicId=characteristic)
    await asyncio.sleep(seconds(1))
    await p.disconnect()
    for _ in range(2):
        assert (await client.expect("didUpdateValue", LINK, characteristicId=characteristic))["error"]
    await client.expect("didDisconnect", LINK, id=id)


async def test_a_request_pending_on_an_object_that_is_removed_is_answered(world, client):
    slow = Characteristic(uuid(0x22), READ, b"")
    slow.on_read = lambda: asyncio.sleep(3600)
    p = await world.peripheral("Removed", [Service(A, [slow])])
    id = await client.connect("Removed")
    characteristic = (await client.explore(id))[A][uuid(0x22)]
    client.send("read", id=id, characteristicId=characteristic)
    await asyncio.sleep(seconds(1))
    await world.make_forget(p)
    assert (await client.expect("didUpdateValue", LINK, characteristicId=characteristic))["error"]
    await client.expect("didDisconnect", LINK, id=id)
    await client.connect("Removed")


async def test_a_request_that_the_device_never_answers_ends_the_link_within_a_minute(world, client):
    slow = Characteristic(uuid(0x22), READ, b"")
    slow.on_read = lambda: asyncio.sleep(3600)
    await world.peripheral("Mute", [Service(A, [slow])])
    id = await client.connect("Mute")
    characteristic = (await client.explore(id))[A][uuid(0x22)]
    client.send("read", id=id, characteristicId=characteristic)
    assert (await client.expect("didUpdateValue", seconds(60), characteristicId=characteristic))["error"]
    await client.expect("didDisconnect", LINK, id=id)


async def test_requests_to_a_device_that_is_not_connected_fail(world, client):
    await world.peripheral("Idle")
    id = (await client.find("Idle"))["id"]
    client.stop_scan()
    client.send("discoverServices", id=id, services=[])
    answer = await client.expect("didDiscoverServices", id=id)
    assert answer["error"] and answer["services"] == []
    client.send("readRSSI", id=id)
    answer = await client.expect("didReadRSSI", id=id)
    assert answer["error"] and answer["rssi"] == 127


# Signal strength


async def test_rssi_is_the_links_own(bench):
    client = bench.client
    for value in (-41, -88):
        bench.peripheral.rssi = value
        client.send("readRSSI", id=bench.id)
        answer = await client.expect("didReadRSSI", id=bench.id)
        assert (answer["rssi"], answer["error"]) == (value, "")

"""A client of the bridge's socket, as a test needs one: it sends, records all it hears, and waits for what it expects."""

import asyncio
import base64
import itertools
import json

from .times import LINK, QUIET, SOON

_pids = itertools.count(4001)


class Closed(AssertionError):
    """The bridge closed the connection while something was expected."""


def b64(data):
    return base64.b64encode(data).decode()


def unb64(text):
    return base64.b64decode(text or "", validate=True)


class Client:
    """`messages` is all that came, in order. `expect` looks from `cursor` on and moves it behind what it found."""

    def __init__(self, channel, name="client"):
        self.name = name
        self.channel = channel
        self.messages = []
        self.cursor = 0
        self.closed = False
        self._buffer = bytearray()
        self._news = asyncio.Event()
        channel.on_data = self._data
        channel.on_close = self._close

    @classmethod
    async def open(cls, machine, path, name="client", features=(), hello=True, bundle=None):
        client = await machine.connect(path, lambda channel: cls(channel, name))
        if hello:
            fields = {"clientVersion": "3.1.0", "bundleId": bundle or f"lab.{name}", "pid": next(_pids)}
            if features:
                fields["features"] = list(features)
            client.send("hello", **fields)
        return client

    def _data(self, data):
        self._buffer += data
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = bytearray(rest)
        for line in lines:
            if line.strip():
                self.messages.append(json.loads(line))
        self._news.set()

    def _close(self):
        self.closed = True
        self._news.set()

    def send(self, type, **fields):
        self.channel.send(json.dumps({"type": type, **fields}).encode() + b"\n")

    def send_raw(self, data):
        self.channel.send(data)

    def close(self):
        self.channel.close()

    # Waiting

    async def expect(self, type, timeout=SOON, where=None, **fields):
        """The next message of that type with these fields; skips others."""
        return await self._find(lambda m: _fits(m, type, where, fields), timeout, f"{type} {fields or ''}")

    async def expect_any(self, types, timeout=SOON, **fields):
        return await self._find(lambda m: m["type"] in types and _fits(m, m["type"], None, fields), timeout, str(types))

    async def _find(self, fits, timeout, what):
        start = self.cursor
        deadline = asyncio.get_running_loop().time() + timeout
        while True:
            while self.cursor < len(self.messages):
                message = self.messages[self.cursor]
                self.cursor += 1
                if fits(message):
                    return message
            if self.closed:
                raise Closed(f"{self.name}: closed while waiting for {what}; since then: {self.messages[start:][-8:]}")
            self._news.clear()
            left = deadline - asyncio.get_running_loop().time()
            try:
                await asyncio.wait_for(self._news.wait(), max(left, 0))
            except asyncio.TimeoutError:
                raise AssertionError(
                    f"{self.name}: no {what} within {timeout:.0f} s; instead: {self.messages[start:][-8:]}") from None

    async def refuse(self, type, quiet=QUIET, where=None, **fields):
        """Nothing of the kind comes for a while (nor has since `cursor`)."""
        await asyncio.sleep(quiet)
        came = [m for m in self.messages[self.cursor:] if _fits(m, type, where, fields)]
        assert not came, f"{self.name}: unexpected {came[:3]}"

    async def wait_closed(self, timeout=SOON):
        async with asyncio.timeout(timeout):
            while not self.closed:
                self._news.clear()
                await self._news.wait()

    def count(self, type, where=None, **fields):
        return len(self.all(type, where, **fields))

    def all(self, type, where=None, **fields):
        return [m for m in self.messages if _fits(m, type, where, fields)]

    def skip(self):
        """Forgets what came so far, for `expect`."""
        self.cursor = len(self.messages)

    # What apps do

    def scan(self, services=(), duplicates=False, solicited=()):
        options = {"kCBScanOptionAllowDuplicates": duplicates}
        if solicited:
            options["kCBScanOptionSolicitedServiceUUIDs"] = list(solicited)
            options["solicitedServiceUUIDs"] = list(solicited)
        self.send("scan", services=list(services), options=options, _scannerKeys=["cbs_1"])

    def stop_scan(self):
        self.send("stopScan")

    async def find(self, name, timeout=LINK, **options):
        """Scans until a peripheral of that name is reported; its report. The scan goes on."""
        self.scan(**options)
        return await self.expect("didDiscover", timeout, where=lambda m: _called(m, name))

    async def connect(self, name_or_id, timeout=LINK):
        """Connected to the peripheral of that name; its id."""
        id = name_or_id
        if not _is_uuid(id):
            id = (await self.find(name_or_id))["id"]
            self.stop_scan()
        self.send("connect", id=id, options={})
        await self.expect("didConnect", timeout, id=id)
        return id

    async def disconnect(self, id, timeout=LINK):
        self.send("cancel", id=id)
        return await self.expect("didDisconnect", timeout, id=id)

    async def services(self, id, uuids=(), timeout=LINK):
        self.send("discoverServices", id=id, services=list(uuids))
        answer = await self.expect("didDiscoverServices", timeout, id=id)
        assert answer["error"] == "", answer
        return answer["services"]

    async def included(self, id, service, uuids=(), timeout=SOON):
        self.send("discoverIncludedServices", id=id, serviceId=service, services=list(uuids))
        answer = await self.expect("didDiscoverIncludedServices", timeout, id=id, serviceId=service)
        assert answer["error"] == "", answer
        return answer["includedServices"]

    async def characteristics(self, id, service, uuids=(), timeout=SOON):
        self.send("discoverCharacteristics", id=id, serviceId=service, characteristics=list(uuids))
        answer = await self.expect("didDiscoverCharacteristics", timeout, id=id, serviceId=service)
        assert answer["error"] == "", answer
        return answer["characteristics"]

    async def descriptors(self, id, characteristic, timeout=SOON):
        self.send("discoverDescriptors", id=id, characteristicId=characteristic)
        answer = await self.expect("didDiscoverDescriptors", timeout, id=id, characteristicId=characteristic)
        assert answer["error"] == "", answer
        return answer["descriptors"]

    async def explore(self, id, timeout=LINK):
        """All attributes: {service uuid: {characteristic uuid: characteristic id}} of the first of each."""
        table = {}
        for service in await self.services(id, timeout=timeout):
            found = await self.characteristics(id, service["id"])
            table.setdefault(service["uuid"], {c["uuid"]: c["id"] for c in found})
        return table

    async def read(self, id, characteristic, timeout=SOON):
        """The value; fails on an error reply."""
        answer = await self.read_reply(id, characteristic, timeout)
        assert answer["error"] == "", answer
        return unb64(answer["value"])

    async def read_reply(self, id, characteristic, timeout=SOON):
        self.send("read", id=id, characteristicId=characteristic)
        return await self.expect("didUpdateValue", timeout, characteristicId=characteristic)

    async def write(self, id, characteristic, value, timeout=SOON):
        answer = await self.write_reply(id, characteristic, value, timeout)
        assert answer["error"] == "", answer

    async def write_reply(self, id, characteristic, value, timeout=SOON):
        self.send("write", id=id, characteristicId=characteristic, value=b64(value), writeType=0)
        return await self.expect("didWriteValue", timeout, characteristicId=characteristic)

    def command(self, id, characteristic, value):
        self.send("write", id=id, characteristicId=characteristic, value=b64(value), writeType=1)

    async def notify(self, id, characteristic, enabled=True, timeout=SOON):
        self.send("setNotify", id=id, characteristicId=characteristic, enabled=enabled)
        answer = await self.expect("didUpdateNotification", timeout, characteristicId=characteristic)
        assert answer["error"] == "" and answer["enabled"] is enabled, answer

    async def values(self, characteristic, count, timeout=SOON):
        return [unb64((await self.expect("didUpdateValue", timeout, characteristicId=characteristic))["value"])
                for _ in range(count)]

    async def open_l2cap(self, id, psm, timeout=SOON):
        self.send("openL2CAP", id=id, psm=psm)
        answer = await self.expect("didOpenL2CAP", timeout, id=id)
        assert answer["error"] == "" and answer["channelId"], answer
        return answer["channelId"]

    def l2cap_write(self, channel, data, chunk=2048):
        for start in range(0, len(data), chunk):
            self.send("l2capWrite", channelId=channel, value=b64(data[start:start + chunk]))

    async def l2cap_read(self, channel, size, timeout=LINK):
        received = bytearray()
        while len(received) < size:
            message = await self.expect_any(("l2capData", "l2capClosed"), timeout, channelId=channel)
            assert message["type"] == "l2capData", f"closed after {len(received)} bytes"
            received += unb64(message["value"])
        return bytes(received)


def _fits(message, type, where, fields):
    return (message.get("type") == type and all(message.get(k) == v for k, v in fields.items())
            and (where is None or where(message)))


def _called(message, name):
    return name in (message.get("name"), message.get("adv", {}).get("kCBAdvDataLocalName"))


def _is_uuid(text):
    return len(text) == 36 and text.count("-") == 4

"""The peripherals that the central suite meets (Tests/CentralSuite/SuiteLayout.swift, Tests/CentralSuiteTests/peripheral.json)."""

import asyncio
import itertools

from .advertising import FLAGS_GENERAL_LE_ONLY, Payload
from .gatt import COMMAND, INDICATE, NOTIFY, READ, WRITE, Characteristic, Descriptor, Service, att_error
from .peripheral import echo


def refuse(code):
    def access(*_):
        raise att_error(code)
    return access


class Suite:
    """`live` runs as long as the peripherals are to do what they do by themselves."""

    async def start(self, world):
        self.notifying = Characteristic("FFE4", READ | NOTIFY, b"\0", [
            Descriptor("2901", b"Counter"), Descriptor("2904", bytes([4, 0, 0, 0x27, 1, 0, 0]))])
        self.indicating = Characteristic("FFE5", READ | INDICATE, b"\0")
        failing = Characteristic("FFE6", READ | WRITE)
        failing.on_read, failing.on_write = refuse(0x80), refuse(0x81)
        hang_up = Characteristic("FFE8", WRITE)
        hang_up.on_write = lambda _: self._later(self.peripheral.disconnect)
        included = Service("FFC0", [Characteristic("FFC1", READ, b"included")], primary=False)
        main = Service("FFE0", [
            Characteristic("FFE1", READ, b"Hello"),
            Characteristic("FFE2", READ, bytes(n & 0xFF for n in range(300))),
            Characteristic("FFE3", READ | WRITE | COMMAND),
            self.notifying, self.indicating, failing, Characteristic("FFE7", WRITE), hang_up], includes=[included])
        self.second = self._second()
        self.peripheral = await world.peripheral(
            "Suite", [main, self.second], interval=0.1,
            advert=Payload(flags=FLAGS_GENERAL_LE_ONLY, services=["FFE0"], manufacturer={0xFFFF: b"\1\2\3"}),
            scan_response=Payload(name="Suite"))
        self.peripheral.serve_l2cap(0x80, echo)
        await world.peripheral(
            "Neighbour", [Service("FFB0")], rssi=-70, interval=0.1,
            advert=Payload(flags=FLAGS_GENERAL_LE_ONLY, services=["FFB0"]), scan_response=Payload(name="Neighbour"))

    def _second(self):
        change = Characteristic("FFD2", WRITE)
        change.on_write = lambda _: self._later(self._change)
        return Service("FFD0", [Characteristic("FFD1", READ, b"second"), change])

    @staticmethod
    def _later(action):
        """When the write has been answered."""
        asyncio.get_running_loop().call_later(0.3, lambda: asyncio.ensure_future(action()))

    async def _change(self):
        former, self.second = self.second, self._second()
        # Behind all there is: bluetoothd takes a service at the place of one that was removed for a secondary one.
        self.peripheral.server.add_service(self.second)
        self.peripheral.server.remove_service(former)
        await self.peripheral.server.announce_change(former.handle, self.second.end_group_handle)

    async def live(self):
        await asyncio.gather(self._count(self.notifying, self.notifying.notify),
                             self._count(self.indicating, self.indicating.indicate))

    @staticmethod
    async def _count(characteristic, tell):
        while True:
            await characteristic.wait_for_subscriber(None)
            for number in itertools.count():
                if not characteristic.subscribers:
                    break
                await tell(bytes([number & 0xFF]))
                await asyncio.sleep(0.1)

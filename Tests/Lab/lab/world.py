"""The machine with a Bluetooth stack in it, and the peripherals around."""

import asyncio
import os
import signal

from .controller import Air, KernelController, VirtualHCI
from .peripheral import Peripheral

ADDRESS = "F0:F1:F2:F3:F4:F5"
BLUETOOTHD = "/usr/libexec/bluetooth/bluetoothd"


def daemon_version():
    """Which bluetoothd runs: (5, 66)."""
    return tuple(map(int, os.environ.get("LAB_BLUETOOTHD", "5.66").split(".")))


class World:
    """Owns the air, the adapter that the kernel sees, bluetoothd, and makes peripherals."""

    def __init__(self, machine, daemon_flags=()):
        self.machine = machine
        self.daemon_flags = list(daemon_flags)
        self.air = Air()
        self.daemon = None
        self.adapter = None
        self.controller = None
        self.peripherals = []

    async def start(self):
        await self.start_daemon()
        await self.plug()
        await self.power(True)

    # The adapter

    async def plug(self):
        """A new controller at /dev/vhci, always the same adapter by its address."""
        self.controller = KernelController("kernel", link=self.air, public_address=ADDRESS)
        self.adapter = await VirtualHCI.plug(self.machine, self.controller)
        await self.wait_for_property("Address", ADDRESS)
        return self.adapter.index.result()

    async def plug_elsewhere(self, before):
        """Like `plug`, but under another number than `before` (`hciN`): controllers that answer nothing take the
        numbers up to it. The kernel gives the lowest that is free, and frees one late."""
        held = []
        while not held or held[-1][1] < int(before[3:]):
            held.append(await self._number_taker())
        await self.plug()
        for channel, _ in held:
            channel.close()
        assert self.name != before

    async def _number_taker(self):
        number = asyncio.get_running_loop().create_future()

        def setup(channel):
            channel.on_data = lambda data: (
                data[0] == 0xFF and not number.done() and number.set_result(int.from_bytes(data[2:4], "little")))
            return channel

        channel = await self.machine.open_vhci(setup)
        return channel, await asyncio.wait_for(number, 10)

    def unplug(self):
        self.adapter.unplug()
        self.air.controllers.discard(self.controller)
        self.adapter = None

    @property
    def name(self):
        return f"hci{self.adapter.index.result()}"

    @property
    def path(self):
        return f"/org/bluez/{self.name}"

    async def adapter_property(self, name):
        text = await self.machine.run("busctl", "get-property", "org.bluez", self.path, "org.bluez.Adapter1", name,
                                      check=False)
        kind, _, value = text.strip().partition(" ")
        if kind not in "sbqu":
            return None
        return {"true": True, "false": False}.get(value, value.strip('"'))

    async def wait_for_property(self, name, value, timeout=30):
        async with asyncio.timeout(timeout):
            while await self.adapter_property(name) != value:
                await asyncio.sleep(0.1)

    async def power(self, on):
        async with asyncio.timeout(30):
            # Refused (5.82: Blocked) until bluetoothd has read that the adapter was unblocked.
            while await self._set_powered(on) is None:
                await asyncio.sleep(0.1)
        await self.wait_for_property("Powered", on)

    async def _set_powered(self, on):
        try:
            return await self.machine.run("busctl", "set-property", "org.bluez", self.path, "org.bluez.Adapter1", "Powered",
                                          "b", str(on).lower())
        except RuntimeError as error:
            print(f"Powered={on}: {error}")
            return None

    async def rfkill(self, blocked):
        # struct rfkill_event: any index, type bluetooth, operation "change all", soft-blocked or not.
        await self.machine.run("bash", "-c", rf"printf '\0\0\0\0\2\3\{int(blocked)}\0' >/dev/rfkill")

    # The daemon

    async def start_daemon(self):
        words = [BLUETOOTHD, "-n", *self.daemon_flags]
        if self.machine.daemon_root:
            words = ["chroot", "/run/daemon/root", *words]
        self.daemon = await self.machine.start(*words, log=self.machine.out / "bluetoothd.log")
        async with asyncio.timeout(30):
            while await self.machine.run("busctl", "status", "org.bluez", check=False, timeout=30) == "" or \
                    not await self._owned():
                await asyncio.sleep(0.05)

    async def _owned(self):
        text = await self.machine.run(
            "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
            "s", "org.bluez", check=False)
        return text.strip() == "b true"

    async def stop_daemon(self, number=signal.SIGTERM):
        await self.daemon.stop(number)

    async def restart_daemon(self, number=signal.SIGTERM):
        await self.stop_daemon(number)
        await self.start_daemon()
        if self.adapter:
            await self.wait_for_property("Address", ADDRESS)

    # Peripherals

    async def peripheral(self, name, services=(), advertising=True, keep=False, **options):
        """`keep`: stays when the test that made it ends."""
        peripheral = Peripheral(self.air, name, services, **options)
        peripheral.keep = keep
        await peripheral.power_on()
        self.peripherals.append(peripheral)
        if advertising:
            peripheral.advertise()
        return peripheral

    def remove(self, peripheral):
        peripheral.vanish()
        self.air.controllers.discard(peripheral.controller)
        self.peripherals.remove(peripheral)

    def clear(self):
        for peripheral in list(self.peripherals):
            if not peripheral.keep:
                self.remove(peripheral)

    def object_path(self, peripheral):
        return f"{self.path}/dev_{peripheral.address_text.replace(':', '_')}"

    async def make_forget(self, peripheral):
        """What a settings panel's "remove device" does."""
        await self.machine.run("busctl", "call", "org.bluez", self.path, "org.bluez.Adapter1", "RemoveDevice", "o",
                               self.object_path(peripheral))

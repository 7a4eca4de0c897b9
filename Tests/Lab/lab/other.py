"""Other programs on the same machine that use BlueZ: bleak, through the machine's system bus."""

import asyncio
import contextlib
import os

from .times import SOON, seconds


class SystemBus:
    """A Unix socket on the host behind which the machine's system bus answers. No descriptors can pass."""

    def __init__(self, machine):
        self.machine = machine
        self.path = str(machine.out / "system-bus")
        self._writers = set()

    async def start(self):
        self._server = await asyncio.start_unix_server(self._serve, self.path)
        # The bus goes with the machine; that a client of it says so at the end is no news.
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(
            lambda loop, context: isinstance(context.get("exception"), EOFError) or loop.default_exception_handler(context))
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={self.path}"

    async def _serve(self, reader, writer):
        ended = asyncio.Event()

        def setup(channel):
            channel.on_data = writer.write
            channel.on_close = ended.set
            return channel

        channel = await self.machine.connect("/run/dbus/system_bus_socket", setup)
        self._writers.add(writer)
        closing = asyncio.create_task(self._close_after(ended, writer))
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                channel.send(data)
        channel.close()
        await closing

    async def _close_after(self, ended, writer):
        await ended.wait()
        self._writers.discard(writer)
        writer.close()

    def stop(self):
        self._server.close()
        for writer in list(self._writers):
            writer.close()


async def call(machine, path, interface, method, *arguments, check=True, timeout=60):
    """busctl: a call to org.bluez."""
    return await machine.run("busctl", f"--timeout={timeout}", "call", "org.bluez", path, interface, method, *arguments,
                             check=check, timeout=timeout + 10)


async def seen_by(bleak, peripheral):
    """Found by another program; not while the bridge stops its scan, which bluetoothd would mix up."""
    await asyncio.sleep(seconds(1))
    return await bleak.BleakScanner.find_device_by_address(peripheral.address_text, timeout=SOON)

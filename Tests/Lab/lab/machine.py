"""The virtual machine: QEMU, and the channels of the agent inside it (guest/agent.c)."""

import asyncio
import itertools
import os
import shlex
import shutil
import signal
import struct
import time
from pathlib import Path

GUEST = Path(__file__).resolve().parent.parent / "guest"


class MachineStopped(Exception):
    pass


class Channel:
    """One channel of the agent: a stream of bytes, or of HCI packets. `on_data` and `on_close` are called in order."""

    def __init__(self, machine, number):
        self.machine = machine
        self.number = number
        self.opened = asyncio.get_running_loop().create_future()
        self.closed = asyncio.get_running_loop().create_future()
        self.on_data = lambda data: None
        self.on_close = lambda: None

    def send(self, data):
        self.machine._frame(b"D", self.number, data)

    def half_close(self):
        self.machine._frame(b"E", self.number)

    def close(self):
        if not self.closed.done():
            self.machine._frame(b"C", self.number)
            self._end(0)

    def _end(self, status):
        self.machine._channels.pop(self.number, None)
        if not self.opened.done():
            self.opened.set_exception(MachineStopped())
        if not self.closed.done():
            self.closed.set_result(status)
            self.on_close()


class Process:
    """A process in the guest. Its output, both streams, goes to `log` (a path) and `lines`, and to `echo` if given."""

    def __init__(self, channel, log=None, echo=None):
        self.channel = channel
        self.output = bytearray()
        self._log = open(log, "ab", buffering=0) if log else None
        self._echo = echo
        channel.on_data = self._data
        channel.on_close = lambda: self._log and self._log.close()

    def _data(self, data):
        self.output += data
        if self._log:
            self._log.write(data)
        if self._echo:
            self._echo(data)

    @property
    def running(self):
        return not self.channel.closed.done()

    @property
    def text(self):
        return self.output.decode(errors="replace")

    def kill(self, number):
        self.channel.machine._frame(b"K", self.channel.number, struct.pack("<I", number))

    async def wait(self):
        """The exit status; of a process killed by a signal, 128 + its number."""
        status = await asyncio.shield(self.channel.closed)
        return 128 + (status & 0x7F) if status & 0x7F else status >> 8

    async def stop(self, number=signal.SIGTERM):
        if self.running:
            self.kill(number)
        return await self.wait()


class Machine:
    """Boots in the background; `ready` is when the agent said hello."""

    def __init__(self, out, home, daemon_root=None, kvm=False):
        self.out = Path(out)
        self.home = Path(home)
        self.daemon_root = daemon_root
        self.kvm = kvm
        self._channels = {}
        self._numbers = itertools.count(1)
        self._writer = None
        self._hello = asyncio.get_running_loop().create_future()
        self._hello.add_done_callback(lambda hello: hello.cancelled() or hello.exception())
        self.qemu = None

    async def boot(self, timeout=180):
        began = time.monotonic()
        socket = self._prepare()
        self.qemu = await asyncio.create_subprocess_exec(
            *self._command(socket), stdin=asyncio.subprocess.DEVNULL,
            stdout=open(self.out / "qemu.log", "wb"), stderr=asyncio.subprocess.STDOUT, start_new_session=True)
        while True:
            try:
                reader, self._writer = await asyncio.open_unix_connection(socket, limit=1 << 21)
                break
            except OSError:
                if self.qemu.returncode is not None:
                    raise MachineStopped((self.out / "qemu.log").read_text())
                await asyncio.sleep(0.05)
        self._reading = asyncio.create_task(self._read(reader))
        try:
            await asyncio.wait_for(asyncio.shield(self._hello), timeout)
        except asyncio.TimeoutError:
            raise MachineStopped(f"the machine did not start within {timeout} s: see {self.out}/console.log") from None
        self.boot_seconds = time.monotonic() - began

    def _prepare(self):
        self.release = (self.home / "kernel" / "release").read_text().strip()
        guest = self.out / "guest"
        guest.mkdir(exist_ok=True)
        shutil.copy(GUEST / "start", guest / "start")
        settings = {
            "LAB_RELEASE": self.release,
            "LAB_MODULES": self.home / "kernel" / "lib" / "modules" / self.release,
            "LAB_AGENT": self.home / "agent",
            "LAB_DAEMON_ROOT": self.daemon_root or "",
        }
        (guest / "settings").write_text("".join(f"{k}={shlex.quote(str(v))}\n" for k, v in settings.items()))
        return str(guest / "port")

    def _command(self, socket):
        accelerator = ["-accel", "kvm", "-cpu", "host"] if self.kvm else [
            "-accel", "tcg,thread=multi,tb-size=512", "-cpu", os.environ.get("LAB_CPU", "max")]
        append = (f"lab.out={self.out} quiet panic=-1 console=ttyS0 mitigations=off nokaslr audit=0 "
                  "no_timer_check tsc=reliable random.trust_cpu=on rdinit=/init")
        return [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-machine", "q35",
            *accelerator, "-smp", "2", "-m", "2G",
            "-kernel", str(self.home / "kernel" / "vmlinux"), "-initrd", str(self.home / "initramfs"),
            "-append", append, "-serial", f"file:{self.out}/console.log",
            "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=root,mount_tag=lab-root",
            "-fsdev", f"local,id=out,path={self.out},security_model=none,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=out,mount_tag=lab-out",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={socket},server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent",
        ]

    async def _read(self, reader):
        try:
            while True:
                (length,) = struct.unpack("<I", await reader.readexactly(4))
                frame = await reader.readexactly(length)
                self._received(frame[:1], *struct.unpack_from("<I", frame, 1), frame[5:])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            if not self._hello.done():
                self._hello.set_exception(MachineStopped(f"the machine stopped: see {self.out}/console.log"))
            for channel in list(self._channels.values()):
                channel._end(255 << 8)

    def _received(self, op, number, payload):
        if op == b"H":
            if not self._hello.done():
                self._hello.set_result(None)
            return
        channel = self._channels.get(number)
        if channel is None:
            return
        if op == b"D":
            channel.on_data(payload)
            return
        (value,) = struct.unpack("<I", payload)
        if op == b"C":
            channel._end(value)
        elif op == b"O" and value == 0:
            channel.opened.set_result(None)
        elif op == b"O":
            self._channels.pop(number, None)
            channel.opened.set_exception(OSError(value, os.strerror(value)))

    def _frame(self, op, number, payload=b""):
        self._writer.write(struct.pack("<IcI", 5 + len(payload), op, number) + payload)

    async def _open(self, op, payload=b"", setup=None):
        channel = Channel(self, next(self._numbers))
        self._channels[channel.number] = channel
        made = setup(channel) if setup else channel
        self._frame(op, channel.number, payload)
        await channel.opened
        return made

    async def open_vhci(self, setup):
        return await self._open(b"V", setup=setup)

    async def connect(self, path, setup=None):
        """A channel to a Unix socket in the guest; OSError as the guest's connect gives it."""
        return await self._open(b"U", str(path).encode(), setup)

    async def start(self, *words, log=None, echo=None):
        payload = b"".join(os.fsencode(word) + b"\0" for word in words)
        return await self._open(b"X", payload, lambda channel: Process(channel, log, echo))

    async def run(self, *words, check=True, timeout=60):
        """Runs to the end; the output."""
        process = await self.start(*words)
        status = await asyncio.wait_for(process.wait(), timeout)
        if check and status != 0:
            raise RuntimeError(f"{shlex.join(map(str, words))}: status {status}\n{process.text}")
        return process.text

    async def stop(self):
        if self.qemu and self.qemu.returncode is None:
            self.qemu.kill()
            await self.qemu.wait()
        if self._writer:
            self._writer.close()
            await asyncio.gather(self._reading, return_exceptions=True)

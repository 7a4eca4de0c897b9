"""One machine for the whole run; one bridge for the tests that leave it alone, and new peripherals for each test."""

import asyncio
import itertools
import os
import tempfile
from pathlib import Path

import pytest

from lab.machine import Machine
from lab.other import SystemBus
from lab.service import Bridge, program
from lab.world import World

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
async def machine():
    out = Path(os.environ.get("LAB_OUT") or tempfile.mkdtemp(prefix="lab-"))
    machine = Machine(out, os.environ["LAB_HOME"], os.environ.get("LAB_DAEMON_ROOT"), bool(os.environ.get("LAB_KVM")))
    try:
        await machine.boot()
        yield machine
    finally:
        await machine.stop()


@pytest.fixture(scope="session")
async def session_world(machine):
    if os.environ.get("LAB_MONITOR"):
        await machine.start("dbus-monitor", "--system", log=machine.out / "bus.log")
    world = World(machine, os.environ.get("LAB_DAEMON_FLAGS", "").split())
    await world.start()
    yield world


@pytest.fixture
async def world(session_world):
    """The world without peripherals, the daemon running, the adapter on."""
    if not session_world.daemon.running:
        await session_world.start_daemon()
    if session_world.adapter is None:
        await session_world.plug()
    if await session_world.adapter_property("Powered") is not True:
        await session_world.power(True)
    yield session_world
    session_world.clear()


@pytest.fixture(scope="session")
async def shared_bridge(session_world):
    if not program().exists():
        pytest.skip(f"{program()} is not built")
    bridge = Bridge(session_world, arguments=["--agent", "just-works"])
    await bridge.start()
    yield bridge
    await bridge.stop()


@pytest.fixture
async def bridge(world, shared_bridge):
    """The bridge that tests share: `--agent just-works`. Clients made through it are let go at the end."""
    if not shared_bridge.process.running:
        await shared_bridge.start()
    await shared_bridge.wait_until_listening()
    yield shared_bridge
    shared_bridge.release_clients()


@pytest.fixture
async def client(bridge):
    """One that gets a code with each error."""
    return await bridge.client(features=["errors"])


@pytest.fixture
async def app(bridge):
    """One as ImpossiBLE's library makes them: no features."""
    return await bridge.client("app")


@pytest.fixture
async def start_bridge(world, shared_bridge):
    """Starts a bridge of the test's own, `await start_bridge("--agent", "none")`, and stops the shared one before:
    two would share one BlueZ agent."""
    bridges = []
    shared_bridge.release_clients()
    await shared_bridge.stop()

    async def start(*arguments, wait=True, verb="serve"):
        bridge = Bridge(world, next(_numbers), arguments, verb)
        bridges.append(bridge)
        await bridge.start(wait=wait)
        return bridge

    yield start
    for bridge in bridges:
        bridge.release_clients()
        await bridge.stop()


@pytest.fixture(scope="session")
async def session_bus(machine):
    bus = SystemBus(machine)
    await bus.start()
    yield bus
    bus.stop()


@pytest.fixture
async def other(session_bus, world):
    """bleak, as another program on the machine."""
    import bleak
    return bleak


@pytest.fixture(autouse=True)
async def _daemon_lives(request, session_world):
    yield
    world = session_world
    if not world.daemon.running and "restarts" not in request.keywords:
        status = await world.daemon.wait()
        await world.start_daemon()
        pytest.fail(f"bluetoothd ended during this test: status {status}, see {world.machine.out}/bluetoothd.log")

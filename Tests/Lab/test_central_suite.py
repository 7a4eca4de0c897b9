"""The central suite with bluetoothd: the program of Tests/CentralSuiteProgram in the machine. Tests/CentralSuiteTests is the
same with virtual devices."""

import asyncio

import pytest

from lab.service import program
from lab.suite import Suite
from lab.times import LONG, seconds


async def test_a_central_manager_behaves_as_with_virtual_devices(world, bridge):
    path = program().parent / "central-suite"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    suite = Suite()
    await suite.start(world)
    living = asyncio.ensure_future(suite.live())
    process = await world.machine.start(
        "env", f"BRIDGE_SOCKET={bridge.socket}", f"TEST_PATIENCE={LONG}", str(path),
        log=world.machine.out / "central-suite.log")
    try:
        status = await asyncio.wait_for(process.wait(), seconds(600))
    finally:
        living.cancel()
        await process.stop()
    lines = process.text.splitlines()
    assert [line for line in lines if line.startswith("failed ")] == []
    assert sum(line.startswith("ok ") for line in lines) >= 29 and status == 0

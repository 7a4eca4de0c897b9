"""The demonstration's world: a heart-rate sensor that beats, and a thermometer that only advertises."""

import asyncio
import random
import struct

from lab.advertising import FLAGS_GENERAL_LE_ONLY, Payload
from lab.gatt import NOTIFY, READ, WRITE, Characteristic, Descriptor, Service


def heart_rate():
    return Service("180D", [
        Characteristic("2A37", NOTIFY),
        Characteristic("2A38", READ, b"\x01"),  # worn on the chest
        Characteristic("2A39", WRITE),
    ])


def battery(level):
    return Service("180F", [Characteristic("2A19", READ | NOTIFY, bytes([level]),
                                           [Descriptor("2901", b"Battery Level")])])


def device_information():
    return Service("180A", [
        Characteristic("2A29", READ, b"Lab Instruments"),
        Characteristic("2A24", READ, b"HR-1"),
        Characteristic("2A26", READ, b"1.0.0"),
    ])


async def live(world):
    sensor = await world.peripheral(
        "Demo Heart Rate", [heart_rate(), battery(87), device_information()], rssi=-48, appearance=0x0341,
        advert=Payload(flags=FLAGS_GENERAL_LE_ONLY, services=["180D", "180F"]),
        scan_response=Payload(name="Demo Heart Rate"))
    await world.peripheral(
        "Demo Thermometer", rssi=-71, connectable=False,
        advert=Payload(flags=FLAGS_GENERAL_LE_ONLY, service_data={"1809": struct.pack("<h", 2150)}),
        scan_response=Payload(name="Demo Thermometer"))
    beats = 64.0
    while True:
        beats = min(max(beats + random.uniform(-3, 3.2), 55), 140)
        await sensor.characteristic("2A37").notify(bytes([0x06, round(beats)]))
        await asyncio.sleep(1)

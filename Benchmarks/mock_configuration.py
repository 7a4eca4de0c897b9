#!/usr/bin/env python3
"""mock_configuration.py DEVICES [EACH INTERVAL [ADVERTISING]]: prints a configuration of virtual devices for the benchmarks.

Device N is called that, and advertises the service F000 + N % 100 and one more. With EACH it has so many characteristics
that count up, each value INTERVAL seconds after the one before; without, two services as sensors have them. ADVERTISING is
the seconds between its advertisements.
"""
import base64
import json
import sys
import uuid


def encoded(value):
    return base64.b64encode(value).decode()


def sensor(group):
    return [
        {"uuid": f"{0xF000 + group:04X}", "characteristics": [
            {"uuid": "2A6E", "properties": 18, "value": encoded(b"twenty bytes of data")},
            {"uuid": "2A6F", "properties": 10, "value": encoded(b"\x05\x06")}]},
        {"uuid": "180F", "characteristics": [
            {"uuid": "2A19", "properties": 18, "value": encoded(b"\x5f"),
             "descriptors": [{"uuid": "2902", "value": encoded(b"\0\0")}]}]},
    ]


def counter(number, interval):
    # Four bytes that say which, four that count, twelve more.
    source = {"kind": "counter", "to": 4294967295, "format": "uint32", "interval": interval,
              "prefix": encoded(number.to_bytes(4, "little")), "suffix": encoded(b"twelve bytes")}
    return {"uuid": f"{0xE000 + number:04X}", "properties": 16, "behavior": {"source": source}}


def device(number, each, interval, advertising):
    group = number % 100
    services = sensor(group)
    if each:
        services = [{"uuid": f"{0xF000 + group:04X}", "characteristics": [
            counter(number * each + i, interval) for i in range(each)]}]
    result = {
        "id": str(uuid.UUID(int=(number + 1) << 64 | 0x8000_0000_0000_0001)).upper(), "name": f"Device {number}",
        "rssi": -40 - number % 50, "advertisedServiceUUIDs": [f"{0xF000 + group:04X}", "180F"],
        "manufacturerData": encoded(b"\xff\xff" + number.to_bytes(4, "little")), "services": services,
    }
    if advertising:
        result["behavior"] = {"advertising": {"interval": advertising}}
    return result


def configuration(devices, each=0, interval=0, advertising=0):
    return {"id": str(uuid.UUID(int=1)), "name": "Benchmark",
            "devices": [device(n, each, interval, advertising) for n in range(devices)]}


if __name__ == "__main__":
    devices, each, interval, advertising = map(float, (sys.argv[1:] + ["0"] * 3)[:4])
    json.dump(configuration(int(devices), int(each), interval, advertising), sys.stdout)

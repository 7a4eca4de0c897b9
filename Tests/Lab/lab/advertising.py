"""What a peripheral says of itself over the air."""

import dataclasses

from bumble.core import UUID

FLAGS_GENERAL_LE_ONLY = 0x06


def uuid_bytes(uuid):
    return UUID(uuid).to_bytes()


@dataclasses.dataclass
class Payload:
    """Fields of one advertising packet; None and empty ones are left out. `raw` overrides all."""

    flags: int | None = None
    name: str | None = None
    short_name: str | None = None
    services: list = dataclasses.field(default_factory=list)
    service_data: dict = dataclasses.field(default_factory=dict)
    manufacturer: dict = dataclasses.field(default_factory=dict)
    tx_power: int | None = None
    solicited: list = dataclasses.field(default_factory=list)
    raw: bytes | None = None

    def __bytes__(self):
        if self.raw is not None:
            return self.raw
        fields = []
        if self.flags is not None:
            fields.append((0x01, bytes([self.flags])))
        for width, kind in ((2, 0x03), (4, 0x05), (16, 0x07)):
            fields += self._uuids(self.services, width, kind)
        for width, kind in ((2, 0x14), (4, 0x1F), (16, 0x15)):
            fields += self._uuids(self.solicited, width, kind)
        for uuid, value in self.service_data.items():
            encoded = uuid_bytes(uuid)
            fields.append(({2: 0x16, 4: 0x20, 16: 0x21}[len(encoded)], encoded + value))
        if self.tx_power is not None:
            fields.append((0x0A, self.tx_power.to_bytes(1, "little", signed=True)))
        for company, value in self.manufacturer.items():
            fields.append((0xFF, company.to_bytes(2, "little") + value))
        if self.short_name is not None:
            fields.append((0x08, self.short_name.encode()))
        if self.name is not None:
            fields.append((0x09, self.name.encode()))
        packet = b"".join(bytes([1 + len(value), kind]) + value for kind, value in fields)
        if len(packet) > 31:
            raise ValueError(f"{len(packet)} bytes of advertising data: 31 fit")
        return packet

    @staticmethod
    def _uuids(uuids, width, kind):
        encoded = [u for u in map(uuid_bytes, uuids) if len(u) == width]
        return [(kind, b"".join(encoded))] if encoded else []

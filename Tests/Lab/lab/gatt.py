"""A GATT server in the test's hands: Bumble's, with the checks and the table that a real device has.

Bumble's own server checks no read or write permission, puts an included service inside the including one's handles, cuts
the UUID in an include declaration to two bytes, and cannot change its table.
"""

import asyncio
import struct

from bumble import att, gatt, utils
from bumble.core import UUID
from bumble.gatt_server import Server
from bumble.profiles.gatt_service import GenericAttributeProfileService

Properties = gatt.Characteristic.Properties
Permissions = att.Attribute.Permissions
READ = Properties.READ
WRITE = Properties.WRITE
COMMAND = Properties.WRITE_WITHOUT_RESPONSE
NOTIFY = Properties.NOTIFY
INDICATE = Properties.INDICATE


def att_error(code):
    return att.ATT_Error(error_code=code)


class Scripted:
    """Reading and writing as a test wants them: `value` kept, every access noted, `on_read`/`on_write` asked first.

    `on_read()` may return bytes instead of the value, `on_write(value)` may swallow it by returning False; both may be
    coroutines, may raise `att_error(code)`, and may never return.
    """

    on_read = None
    on_write = None

    def start_script(self):
        self.reads = 0
        self.writes = []
        self.changed = asyncio.Condition()

    async def read_value(self, bearer):
        self._require(Permissions.READABLE, 0x02)
        self._require_security(bearer, Permissions.READ_REQUIRES_ENCRYPTION, Permissions.READ_REQUIRES_AUTHENTICATION)
        self.reads += 1
        if self.on_read is not None:
            answer = self.on_read()
            answer = await answer if asyncio.iscoroutine(answer) else answer
            if answer is not None:
                return answer
        return await super().read_value(bearer)

    async def write_value(self, bearer, value):
        self._require(Permissions.WRITEABLE, 0x03)
        self._require_security(bearer, Permissions.WRITE_REQUIRES_ENCRYPTION, Permissions.WRITE_REQUIRES_AUTHENTICATION)
        keep = True
        if self.on_write is not None:
            answer = self.on_write(value)
            answer = await answer if asyncio.iscoroutine(answer) else answer
            keep = answer is not False
        self.writes.append(value)
        if keep:
            await super().write_value(bearer, value)
        async with self.changed:
            self.changed.notify_all()

    async def wait_for_writes(self, count, timeout):
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(lambda: len(self.writes) >= count), timeout)
        return self.writes

    def _require(self, permission, code):
        if not self.permissions & permission:
            raise att.ATT_Error(error_code=code, att_handle=self.handle)

    def _require_security(self, bearer, encryption, authentication):
        connection = bearer.connection if att.is_enhanced_bearer(bearer) else bearer
        if self.permissions & authentication and not connection.authenticated:
            raise att.ATT_Error(error_code=0x05, att_handle=self.handle)
        if self.permissions & encryption and not connection.encryption:
            raise att.ATT_Error(error_code=0x0F, att_handle=self.handle)


def permissions_of(properties, protection):
    permissions = Permissions(0)
    if properties & READ:
        permissions |= Permissions.READABLE
    if properties & (WRITE | COMMAND):
        permissions |= Permissions.WRITEABLE
    if protection == "encrypted":
        permissions |= Permissions.READ_REQUIRES_ENCRYPTION | Permissions.WRITE_REQUIRES_ENCRYPTION
    elif protection == "authenticated":
        permissions |= Permissions.READ_REQUIRES_AUTHENTICATION | Permissions.WRITE_REQUIRES_AUTHENTICATION
    return permissions


class Characteristic(Scripted, gatt.Characteristic):
    """`protection`: None, "encrypted" (refused with 0F) or "authenticated" (refused with 05 until paired with MITM)."""

    def __init__(self, uuid, properties, value=b"", descriptors=(), protection=None, permissions=None):
        if permissions is None:
            permissions = permissions_of(properties, protection)
        super().__init__(uuid, properties, permissions, value, list(descriptors))
        self.start_script()
        self.server = None
        self.subscription = {}

    @property
    def subscribers(self):
        """The bearers whose client configuration asks for notifications or indications."""
        return [bearer for bearer, values in self.server.subscribers.items() if any(values.get(self.handle, b"\0\0"))]

    async def wait_for_subscriber(self, timeout, wanted=True):
        async with asyncio.timeout(timeout):
            while bool(self.subscribers) != wanted:
                await asyncio.sleep(0.01)

    async def notify(self, value):
        await self.server.notify_subscribers(self, value)

    async def notify_all(self, values, burst=100, pause=0.5):
        """In bursts: what comes faster than bluetoothd reads is lost in the kernel before anyone sees it."""
        for count, value in enumerate(values, 1):
            await self.notify(value)
            if count % burst == 0:
                await asyncio.sleep(pause)

    async def indicate(self, value):
        """Returns when the other side has confirmed."""
        await self.server.indicate_subscribers(self, value)


class Descriptor(Scripted, gatt.Descriptor):
    def __init__(self, uuid, value=b"", writable=False):
        permissions = Permissions.READABLE | (Permissions.WRITEABLE if writable else Permissions(0))
        super().__init__(uuid, permissions, value)
        self.start_script()


class Service(gatt.Service):
    """`includes`: services that this one refers to; they are in the table by themselves, before it."""

    def __init__(self, uuid, characteristics=(), primary=True, includes=()):
        super().__init__(uuid, characteristics, primary)
        self.includes = list(includes)

    def __getitem__(self, uuid):
        return next(c for c in self.characteristics if c.uuid == UUID(uuid))


class LabServer(Server):
    """A table whose handles stay when services come and go."""

    def __init__(self, device, max_mtu):
        super().__init__(device)
        self.max_mtu = max_mtu

    def next_handle(self):
        return 1 + max((attribute.handle for attribute in self.attributes), default=0)

    def add_service(self, service, handle=None):
        """Adds at `handle`, or after what there is; not over others' handles."""
        for included in getattr(service, "includes", ()):
            if included not in self.services:
                self.add_service(included)
        attributes = [service]
        for included in getattr(service, "includes", ()):
            attributes.append(self._include(included))
        groups = []
        for characteristic in service.characteristics:
            declaration = gatt.CharacteristicDeclaration(characteristic, 0)
            group = [declaration, characteristic, *characteristic.descriptors]
            if characteristic.properties & (NOTIFY | INDICATE) and characteristic.get_descriptor(
                    gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR) is None:
                group.insert(2, gatt.Descriptor(
                    gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR,
                    Permissions.READABLE | Permissions.WRITEABLE, self.make_descriptor_value(characteristic)))
            if isinstance(characteristic, Characteristic):
                characteristic.server = self
            groups.append(group)
            attributes += group
        start = handle or self.next_handle()
        for offset, attribute in enumerate(attributes):
            attribute.handle = attribute.end_group_handle = start + offset
        for group in groups:
            declaration, characteristic = group[0], group[1]
            declaration.value_handle = characteristic.handle
            declaration.value = (struct.pack("<BH", characteristic.properties, characteristic.handle)
                                 + characteristic.uuid.to_pdu_bytes())
            declaration.end_group_handle = characteristic.end_group_handle = group[-1].handle
        service.end_group_handle = attributes[-1].handle
        self.attributes = sorted(self.attributes + attributes, key=lambda attribute: attribute.handle)
        self.services.append(service)
        self.attributes_by_handle.clear()

    @staticmethod
    def _include(service):
        uuid = service.uuid.to_bytes()
        value = struct.pack("<HH", service.handle, service.end_group_handle) + (uuid if len(uuid) == 2 else b"")
        return att.Attribute(gatt.GATT_INCLUDE_ATTRIBUTE_TYPE, Permissions.READABLE, value)

    def remove_service(self, service):
        first, last = service.handle, service.end_group_handle
        self.attributes = [a for a in self.attributes if not first <= a.handle <= last]
        self.services.remove(service)
        self.attributes_by_handle.clear()

    async def announce_change(self, first, last):
        """The Service Changed indication, to all who asked for it; returns when they confirmed."""
        await self.indicate_subscribers(self.service_changed, struct.pack("<HH", first, last))

    @utils.AsyncRunner.run_in_task()
    async def on_att_read_blob_request(self, bearer, request):
        # Bumble refuses with "attribute not long" what ends at the size of a packet; devices answer with nothing left.
        attribute = self.get_attribute(request.attribute_handle)
        try:
            if attribute is None:
                raise att_error(0x01)
            value = await attribute.read_value(bearer)
            if request.value_offset > len(value):
                raise att_error(0x07)
            part = value[request.value_offset:request.value_offset + bearer.att_mtu - 1]
            response = att.ATT_Read_Blob_Response(part_attribute_value=part)
        except att.ATT_Error as error:
            response = att.ATT_Error_Response(request_opcode_in_error=request.op_code,
                                              attribute_handle_in_error=request.attribute_handle,
                                              error_code=error.error_code)
        self.send_response(bearer, response)


def generic_access(name, appearance=0):
    device_name = Characteristic("2A00", READ | WRITE, name.encode())
    return Service("1800", [device_name, Characteristic("2A01", READ, struct.pack("<H", appearance))])


def generic_attribute(database_hash):
    changed = Characteristic("2A05", INDICATE, permissions=Permissions(0))
    characteristics = [changed]
    if database_hash:
        def read_hash(connection):
            return GenericAttributeProfileService.get_database_hash(None, _Shown(connection))
        characteristics += [
            Characteristic("2B29", READ | WRITE, b"\0"),
            gatt.Characteristic("2B2A", READ, Permissions.READABLE, gatt.CharacteristicValue(read=read_hash)),
        ]
    return Service("1801", characteristics), changed


class _Shown:
    def __init__(self, connection):
        self.device = connection.device

"""A virtual Bluetooth LE peripheral that a test holds in its hands."""

import asyncio
import itertools
import secrets

from bumble import hci, l2cap
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink

from .advertising import FLAGS_GENERAL_LE_ONLY, Payload
from .controller import PeripheralController
from .gatt import LabServer, Service, generic_access, generic_attribute

_serial = itertools.count(secrets.randbelow(0x10000) << 8)


def new_address(kind="static"):
    """`public`, `static` (random, stable) or `private` (random, resolvable in form)."""
    tail = f"{next(_serial) & 0xFFFFFF:06X}"
    head = {"public": "00A050", "static": "C0A050", "private": "40A050"}[kind]
    text = ":".join((head + tail)[i:i + 2] for i in range(0, 12, 2))
    return Address(text, Address.PUBLIC_DEVICE_ADDRESS if kind == "public" else Address.RANDOM_DEVICE_ADDRESS)


class _Role:
    """What Bumble's Device wants to know of the advertiser through which a link came."""

    auto_restart = False

    def __init__(self, own_address_type):
        self.own_address_type = own_address_type
        self.advertising_type = None


class Pairing(PairingDelegate):
    """How the peripheral pairs. `accepts` False refuses; `passkey` makes it show that number."""

    def __init__(self, accepts=True, passkey=None, secure_connections=True):
        capability = PairingDelegate.DISPLAY_OUTPUT_ONLY if passkey is not None else PairingDelegate.NO_OUTPUT_NO_INPUT
        super().__init__(capability)
        self.accepts = accepts
        self.passkey = passkey
        self.secure_connections = secure_connections
        self.asked = 0

    async def accept(self):
        self.asked += 1
        return self.accepts

    async def generate_passkey(self):
        return self.passkey

    def config(self, connection):
        return PairingConfig(sc=self.secure_connections, mitm=self.passkey is not None, bonding=True, delegate=self)


class Peripheral:
    """Made by `World.peripheral`. Advertises again after each link unless `readvertises` is False."""

    def __init__(self, air, name, services=(), address="static", advert=None, scan_response=None, connectable=True,
                 scannable=True, rssi=-50, interval=0.25, mtu=517, database_hash=False, pairing=None, gap_name=None,
                 appearance=0):
        self.address = address if isinstance(address, Address) else new_address(address)
        self.name = name
        self.pairing = pairing or Pairing()
        self.readvertises = True
        self.dies_after = None
        self.controller = PeripheralController(f"C-{name}", link=air, public_address=(
            self.address if self.address.is_public else Address("00:00:00:00:00:00", Address.PUBLIC_DEVICE_ADDRESS)))
        self.air = air
        config = DeviceConfiguration(name=name, address=self.address, le_enabled=True, gap_service_enabled=False,
                                     gatt_service_enabled=False, address_resolution_offload=False)
        self.device = Device(config=config, host=Host(self.controller, AsyncPipeSink(self.controller)))
        self.device.keystore = MemoryKeyStore()
        self.device.pairing_config_factory = self.pairing.config
        self.server = self.device.gatt_server = LabServer(self.device, mtu)
        self.gap = generic_access(gap_name if gap_name is not None else name, appearance)
        self.server.add_service(self.gap)
        gatt_service, self.server.service_changed = generic_attribute(database_hash)
        self.server.add_service(gatt_service)
        self.services = list(services)
        for service in self.services:
            if service not in self.server.services:
                self.server.add_service(service)
        self.advertiser = self.controller.le_legacy_advertiser
        self.advertiser.own_address_type = int(not self.address.is_public)
        self.advertiser.interval = interval
        self.advertiser.connectable = connectable
        self.advertiser.scannable = scannable
        self.advertiser.rssi = rssi
        if advert is None:
            advert = Payload(flags=FLAGS_GENERAL_LE_ONLY)
            scan_response = scan_response or Payload(name=name)
        self.advert = advert
        self.scan_response = scan_response or Payload()
        self.links = 0
        self.end_reason = None
        self.controller.on_connecting = self._connecting
        self.device.on("connection", self._connected)
        self._silent_psms = set()
        self._changed = asyncio.Event()

    # Power and advertising

    async def power_on(self):
        await self.device.power_on()
        self.controller.random_address = self.address
        self.device.random_address = self.device.static_address = self.address
        if self.address.is_public:
            self.device.public_address = self.address

    @property
    def address_text(self):
        return self.address.to_string(with_type_qualifier=False).upper()

    def advertise(self):
        self.advertiser.advertising_data = bytes(self.advert)
        self.advertiser.scan_response_data = bytes(self.scan_response)
        self.advertiser.start()

    def stop_advertising(self):
        self.advertiser.stop()

    def change_advert(self, advert=None, scan_response=None):
        self.advert = advert or self.advert
        self.scan_response = scan_response or self.scan_response
        self.advertiser.advertising_data = bytes(self.advert)
        self.advertiser.scan_response_data = bytes(self.scan_response)

    @property
    def rssi(self):
        return self.advertiser.rssi

    @rssi.setter
    def rssi(self, value):
        self.advertiser.rssi = value
        for controller in self.air.controllers:
            if self.address in getattr(controller, "rssi", {}):
                controller.rssi[self.address] = value

    # Links

    def _connecting(self):
        self.device.legacy_advertiser = _Role(
            hci.OwnAddressType.PUBLIC if self.address.is_public else hci.OwnAddressType.RANDOM)

    def _connected(self, connection):
        self.links += 1
        self.end_reason = None
        connection.on("disconnection", self._disconnected)
        self._changed.set()
        if self.dies_after is not None:
            asyncio.get_running_loop().call_later(self.dies_after, self._drop_if, connection)

    def _drop_if(self, connection):
        if self.connection is connection:
            asyncio.ensure_future(self.disconnect(hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR))

    def _disconnected(self, reason):
        self.end_reason = reason
        self._changed.set()
        if self.readvertises:
            self.advertise()

    @property
    def connection(self):
        return next(iter(self.device.connections.values()), None)

    async def wait_until_connected(self, timeout, wanted=True):
        async with asyncio.timeout(timeout):
            while (self.connection is not None) != wanted:
                self._changed.clear()
                await self._changed.wait()

    async def disconnect(self, reason=hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR):
        """Ends the link in good order, as the one who does."""
        if self.connection:
            await self.connection.disconnect(reason)

    def vanish(self):
        """Goes out of range: silence, and a link that times out."""
        self.readvertises = False
        self.stop_advertising()
        self.lose_link()

    def lose_link(self):
        for connection in list(self.controller.le_connections.values()):
            self.air.break_link(self.controller, connection)

    # GATT

    def __getitem__(self, uuid):
        """The first service of that UUID."""
        from bumble.core import UUID
        return next(s for s in self.server.services if isinstance(s, Service) and s.uuid == UUID(uuid))

    def characteristic(self, uuid):
        from bumble.core import UUID
        return next(c for s in self.server.services for c in s.characteristics if c.uuid == UUID(uuid))

    def rename(self, name):
        """Changes the GAP device name, which centrals read when they connect; the adverts stay."""
        self.gap["2A00"].value = name.encode()

    async def change_services(self, remove=(), add=()):
        """Changes the table under a live link and says so."""
        first, last = 0xFFFF, 0
        for service in remove:
            first, last = min(first, service.handle), max(last, service.end_group_handle)
            self.server.remove_service(service)
        for service in add:
            self.server.add_service(service)
            first, last = min(first, service.handle), max(last, service.end_group_handle)
        await self.server.announce_change(first, last)

    # L2CAP

    def serve_l2cap(self, psm, handler, mtu=2048, mps=245, credits=64):
        """`handler(channel)` for each channel; with None an open is never answered."""
        if handler is None:
            self._silence(psm)
            return
        self.device.create_l2cap_server(
            l2cap.LeCreditBasedChannelSpec(psm=psm, mtu=mtu, mps=mps, max_credits=credits), handler)

    def _silence(self, psm):
        manager = self.device.l2cap_channel_manager
        if not self._silent_psms:
            answer = manager.on_l2cap_le_credit_based_connection_request

            def request(connection, cid, packet):
                if packet.le_psm not in self._silent_psms:
                    answer(connection, cid, packet)

            manager.on_l2cap_le_credit_based_connection_request = request
        self._silent_psms.add(psm)


def echo(channel):
    channel.sink = lambda data: channel.write(bytes(data))


class Sink:
    """Collects what comes, and the channels it comes by."""

    def __init__(self):
        self.received = bytearray()
        self.channels = []
        self.closed = 0

    def __call__(self, channel):
        self.channels.append(channel)
        channel.sink = self._data
        channel.on("close", self._close)

    def _data(self, data):
        self.received += data

    def _close(self):
        self.closed += 1

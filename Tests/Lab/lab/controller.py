"""The air: what Bumble's link and controllers leave out, done the way real ones do it."""

import asyncio
import dataclasses
import logging

from bumble import hci, ll
from bumble.controller import Controller, LegacyAdvertiser
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

log = logging.getLogger("lab.air")

Report = hci.HCI_LE_Advertising_Report_Event.Report
EventType = hci.HCI_LE_Advertising_Report_Event.EventType


@dataclasses.dataclass
class Advertisement(ll.AdvertisingPdu):
    """One advertising event as a scanner hears it: the advert, and the answer to a scan request."""

    advertiser_address: hci.Address
    data: bytes
    scan_response: bytes | None
    connectable: bool
    rssi: int


class Air(LocalLink):
    """Carries advertisements and the traffic of links between the kernel's controller and the peripherals'."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # Bumble names the sender by its current random address; a link made from a public one then hears nothing.
        if transport != PhysicalTransport.LE:
            return super().send_acl_data(sender_controller, destination_address, transport, data)
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection is None or receiver is None:
            return
        source = connection.self_address
        asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, source, transport, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        if self.find_le_controller(receiver_address) is None:
            return  # a link that has just ended
        super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def break_link(self, controller, connection, reason=hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR):
        """Ends a link as when the peers no longer hear each other: both learn of it by themselves."""
        peer = self.find_le_controller(connection.peer_address)
        if peer and (other := peer.le_connections.get(connection.self_address)):
            peer.on_le_disconnected(other, reason)
        if connection.peer_address in controller.le_connections:
            controller.on_le_disconnected(connection, reason)


class KernelController(Controller):
    """What the kernel under test drives, through /dev/vhci."""

    # With these bits the kernel uses commands whose events Bumble answers only in part: an enhanced connection
    # complete that never comes, and Disconnects that never reach the controller.
    le_features = (Controller.le_features
                   & ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
                   & ~hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
                   & ~hci.LeFeatureMask.LL_PRIVACY)
    le_acl_data_packet_length = 251
    acl_data_packet_length = 251

    #: Whether the duplicate filter that the host asked for is kept, as silicon does. Off, each advert is reported.
    filters_duplicates = False

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.accept_list = set()
        self.reported = set()
        #: dBm of a link, by the peer's address; as last heard in an advert otherwise.
        self.rssi = {}
        #: Names of the commands that the host sent, for tests of the lab itself.
        self.commands = []

    def on_hci_command_packet(self, command):
        self.commands.append(command.name)
        del self.commands[:-500]
        super().on_hci_command_packet(command)

    # Scanning

    def on_ll_advertising_pdu(self, packet):
        if isinstance(packet, Advertisement):
            self._heard(packet)
        else:
            super().on_ll_advertising_pdu(packet)

    def _heard(self, advert):
        address = advert.advertiser_address
        self.rssi[address] = advert.rssi
        if self.le_scan_enable and self._wants(address):
            self._report(advert)
        pending = self.pending_le_connection
        if pending and advert.connectable and self._connects_to(pending, address):
            pending.peer_address = address
            self.create_le_connection(address)

    def _wants(self, address):
        return not self.le_scanning_filter_policy & 1 or address in self.accept_list

    def _connects_to(self, pending, address):
        if pending.initiator_filter_policy:
            return address in self.accept_list
        return pending.peer_address == address

    def _report(self, advert):
        active = self.le_scan_type == 1
        if advert.connectable:
            kind = EventType.ADV_IND
        else:
            kind = EventType.ADV_NONCONN_IND if advert.scan_response is None else EventType.ADV_SCAN_IND
        parts = [(kind, advert.data)]
        if active and advert.scan_response is not None:
            parts.append((EventType.SCAN_RSP, advert.scan_response))
        for kind, data in parts:
            key = (advert.advertiser_address, kind)
            if self.filters_duplicates and self.filter_duplicates and key in self.reported:
                continue
            self.reported.add(key)
            report = Report(event_type=kind, address_type=advert.advertiser_address.address_type,
                            address=advert.advertiser_address, data=data, rssi=advert.rssi)
            self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accept_list.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accept_list.add(command.address)
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accept_list.discard(command.address)
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    # Links

    def on_hci_le_create_connection_cancel_command(self, command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        event = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address.address_type, peer_address=pending.peer_address,
            connection_interval=0, peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0)
        # After the command's own completion.
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_read_rssi_command(self, command):
        connection = self.find_le_connection_by_handle(command.handle)
        if connection is None:
            status, rssi = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, 127
        else:
            status, rssi = hci.HCI_ErrorCode.SUCCESS, self.rssi.get(connection.peer_address, 127)
        return hci.HCI_Read_RSSI_ReturnParameters(status=status, handle=command.handle, rssi=rssi)

    def on_hci_reset_command(self, command):
        self.forget_everything()
        return super().on_hci_reset_command(command)

    def forget_everything(self):
        """What a reset or a pulled plug does: no scan, no pending connection, and peers that hear nothing more."""
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.accept_list.clear()
        for connection in list(self.le_connections.values()):
            peer = self.link.find_le_controller(connection.peer_address)
            if peer and (other := peer.le_connections.get(connection.self_address)):
                peer.on_le_disconnected(other, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.le_connections.clear()


class Advertiser(LegacyAdvertiser):
    """Sends the peripheral's advertisement at its interval."""

    interval = 0.25
    scannable = True
    connectable = True
    rssi = -50

    def _on_timer_fired(self):
        self.send_advertising_data()
        self.timer_handle = asyncio.get_running_loop().call_later(self.interval, self._on_timer_fired)

    def send_advertising_data(self):
        if self.enabled:
            self.controller.send_advertising_pdu(Advertisement(
                advertiser_address=self.address, data=self.advertising_data,
                scan_response=self.scan_response_data if self.scannable else None,
                connectable=self.connectable, rssi=self.rssi))


class PeripheralController(Controller):
    """A peripheral's own controller. It advertises by itself: no HCI command is wanted for that."""

    le_features = KernelController.le_features
    le_acl_data_packet_length = 251

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.le_legacy_advertiser = Advertiser(self)
        self.on_connecting = lambda: True

    def on_le_connect_ind(self, packet):
        advertiser = self.le_legacy_advertiser
        if advertiser.enabled and advertiser.connectable and advertiser.address == packet.advertiser_address:
            self.on_connecting()
            super().on_le_connect_ind(packet)


class VirtualHCI:
    """Joins a controller to /dev/vhci in the machine; closing it unplugs the adapter."""

    def __init__(self, channel, controller):
        self.channel = channel
        self.controller = controller
        self.index = asyncio.get_running_loop().create_future()
        channel.on_data = self._packet_from_kernel
        controller.set_packet_sink(self)

    @classmethod
    async def plug(cls, machine, controller):
        hci_port = await machine.open_vhci(lambda channel: cls(channel, controller))
        await asyncio.wait_for(hci_port.index, 10)
        return hci_port

    def _packet_from_kernel(self, data):
        if data[0] == 0xFF:  # the vendor packet that answers the creation
            if not self.index.done():
                self.index.set_result(int.from_bytes(data[2:4], "little"))
            return
        try:
            self.controller.on_packet(data)
        except Exception:  # a packet that Bumble cannot take must not end the lab
            log.exception("packet from the kernel: %s", data.hex())

    def on_packet(self, packet):
        if not self.channel.closed.done():
            self.channel.send(packet)

    def unplug(self):
        self.controller.forget_everything()
        self.controller.set_packet_sink(None)
        self.channel.close()

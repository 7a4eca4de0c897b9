// BlueZ's socket interface: L2CAP, raw HCI and the management channel. Only structures and constants are
// used, so nothing is linked. Values that are macros with casts in them, which Swift does not import, follow.
#pragma once
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>

/// HCIGETCONNLIST of <bluetooth/hci.h>: the links of one controller.
static const unsigned long bridge_hci_get_connection_list = HCIGETCONNLIST;
/// HCIGETDEVINFO of <bluetooth/hci.h>.
static const unsigned long bridge_hci_get_device_info = HCIGETDEVINFO;

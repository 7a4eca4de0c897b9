// fake-bluetoothd: just enough of org.bluez to be measured against, as fast as libdbus allows.
//
//   fake-bluetoothd DEVICES SERVED [DELAY_MS] [echo]
//
// DEVICES devices are announced, of which the first SERVED have a service with one characteristic (read, write, write
// without response, notify). DELAY_MS is how long a read takes ("the radio"). With `echo`, each read is announced as
// PropertiesChanged{Value} before its reply, as bluetoothd does.
//
// Besides BlueZ's interfaces it serves bench.Daemon at /: Notify(u count) and Advertise(u count, b vary).
#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define ADAPTER "/org/bluez/hci0"
#define SERVICE_UUID "0000aaaa-1111-2222-3333-444455556666"
#define CHARACTERISTIC_UUID "0000bbbb-1111-2222-3333-444455556666"

static DBusConnection *bus;
static int device_count, served_count, delay_ms;
static bool echo;

struct delayed {
  DBusMessage *call;
  int64_t due_us;
  struct delayed *next;
};
static struct delayed *first_delayed, **last_delayed = &first_delayed;

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void send(DBusMessage *message) {
  dbus_connection_send(bus, message, NULL);
  dbus_message_unref(message);
}

static char *device_path(int index) {
  static char path[64];
  snprintf(path, sizeof path, ADAPTER "/dev_C0_00_00_00_%02X_%02X", index >> 8, index & 255);
  return path;
}

// --- values ---

static void variant(DBusMessageIter *to, int type, const void *value) {
  DBusMessageIter inner;
  char signature[2] = {type, 0};
  dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, signature, &inner);
  dbus_message_iter_append_basic(&inner, type, value);
  dbus_message_iter_close_container(to, &inner);
}

static void property(DBusMessageIter *dict, const char *name, int type, const void *value) {
  DBusMessageIter entry;
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  variant(&entry, type, value);
  dbus_message_iter_close_container(dict, &entry);
}

static void text(DBusMessageIter *dict, const char *name, const char *value) {
  property(dict, name, DBUS_TYPE_STRING, &value);
}
static void path(DBusMessageIter *dict, const char *name, const char *value) {
  property(dict, name, DBUS_TYPE_OBJECT_PATH, &value);
}
static void boolean(DBusMessageIter *dict, const char *name, dbus_bool_t value) {
  property(dict, name, DBUS_TYPE_BOOLEAN, &value);
}

static void texts(DBusMessageIter *dict, const char *name, const char **values, int count) {
  DBusMessageIter entry, box, array;
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "as", &box);
  dbus_message_iter_open_container(&box, DBUS_TYPE_ARRAY, "s", &array);
  for (int i = 0; i < count; i++) dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING, &values[i]);
  dbus_message_iter_close_container(&box, &array);
  dbus_message_iter_close_container(&entry, &box);
  dbus_message_iter_close_container(dict, &entry);
}

static void append_bytes(DBusMessageIter *to, const uint8_t *bytes, int count) {
  DBusMessageIter array;
  dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, count);
  dbus_message_iter_close_container(to, &array);
}

static void bytes_property(DBusMessageIter *dict, const char *name, const uint8_t *bytes, int count) {
  DBusMessageIter entry, box;
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "ay", &box);
  append_bytes(&box, bytes, count);
  dbus_message_iter_close_container(&entry, &box);
  dbus_message_iter_close_container(dict, &entry);
}

static void manufacturer_data(DBusMessageIter *dict, uint32_t number) {
  DBusMessageIter entry, box, array, pair, value;
  const char *name = "ManufacturerData";
  uint16_t company = 0xFFFF;
  uint8_t bytes[8] = {1, 2, 3, 4, number, number >> 8, number >> 16, number >> 24};
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "a{qv}", &box);
  dbus_message_iter_open_container(&box, DBUS_TYPE_ARRAY, "{qv}", &array);
  dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL, &pair);
  dbus_message_iter_append_basic(&pair, DBUS_TYPE_UINT16, &company);
  dbus_message_iter_open_container(&pair, DBUS_TYPE_VARIANT, "ay", &value);
  append_bytes(&value, bytes, 8);
  dbus_message_iter_close_container(&pair, &value);
  dbus_message_iter_close_container(&array, &pair);
  dbus_message_iter_close_container(&box, &array);
  dbus_message_iter_close_container(&entry, &box);
  dbus_message_iter_close_container(dict, &entry);
}

// --- objects ---

static DBusMessageIter object_iter, interfaces_iter, interface_iter, properties_iter;

static void open_object(DBusMessageIter *objects, const char *path) {
  dbus_message_iter_open_container(objects, DBUS_TYPE_DICT_ENTRY, NULL, &object_iter);
  dbus_message_iter_append_basic(&object_iter, DBUS_TYPE_OBJECT_PATH, &path);
  dbus_message_iter_open_container(&object_iter, DBUS_TYPE_ARRAY, "{sa{sv}}", &interfaces_iter);
}
static void close_object(DBusMessageIter *objects) {
  dbus_message_iter_close_container(&object_iter, &interfaces_iter);
  dbus_message_iter_close_container(objects, &object_iter);
}
static DBusMessageIter *open_interface(const char *name) {
  dbus_message_iter_open_container(&interfaces_iter, DBUS_TYPE_DICT_ENTRY, NULL, &interface_iter);
  dbus_message_iter_append_basic(&interface_iter, DBUS_TYPE_STRING, &name);
  dbus_message_iter_open_container(&interface_iter, DBUS_TYPE_ARRAY, "{sv}", &properties_iter);
  return &properties_iter;
}
static void close_interface(void) {
  dbus_message_iter_close_container(&interface_iter, &properties_iter);
  dbus_message_iter_close_container(&interfaces_iter, &interface_iter);
}

static bool connected[65536];
// How many have subscribed: one that lets go late takes nothing from the next.
static int notifying[65536];

static void append_device(DBusMessageIter *objects, int index) {
  char address[24], name[32], own[80], service[96], characteristic[112], descriptor[128];
  snprintf(own, sizeof own, "%s", device_path(index));
  snprintf(address, sizeof address, "C0:00:00:00:%02X:%02X", index >> 8, index & 255);
  snprintf(name, sizeof name, "Device %d", index);
  open_object(objects, own);
  DBusMessageIter *p = open_interface("org.bluez.Device1");
  const char *uuids[] = {SERVICE_UUID};
  dbus_int16_t rssi = -60;
  text(p, "Address", address);
  text(p, "AddressType", "random");
  text(p, "Name", name);
  text(p, "Alias", name);
  path(p, "Adapter", ADAPTER);
  boolean(p, "Paired", FALSE);
  boolean(p, "Bonded", FALSE);
  boolean(p, "Trusted", FALSE);
  boolean(p, "Blocked", FALSE);
  boolean(p, "Connected", connected[index]);
  boolean(p, "ServicesResolved", connected[index]);
  texts(p, "UUIDs", uuids, 1);
  property(p, "RSSI", DBUS_TYPE_INT16, &rssi);
  manufacturer_data(p, 0);
  close_interface();
  close_object(objects);
  if (index >= served_count) return;

  snprintf(service, sizeof service, "%s/service0010", own);
  open_object(objects, service);
  p = open_interface("org.bluez.GattService1");
  text(p, "UUID", SERVICE_UUID);
  path(p, "Device", own);
  boolean(p, "Primary", TRUE);
  close_interface();
  close_object(objects);

  const char *flags[] = {"read", "write", "write-without-response", "notify"};
  snprintf(characteristic, sizeof characteristic, "%s/char0011", service);
  open_object(objects, characteristic);
  p = open_interface("org.bluez.GattCharacteristic1");
  text(p, "UUID", CHARACTERISTIC_UUID);
  path(p, "Service", service);
  bytes_property(p, "Value", NULL, 0);
  boolean(p, "Notifying", FALSE);
  texts(p, "Flags", flags, 4);
  dbus_uint16_t mtu = 247;
  property(p, "MTU", DBUS_TYPE_UINT16, &mtu);
  close_interface();
  close_object(objects);

  snprintf(descriptor, sizeof descriptor, "%s/desc0013", characteristic);
  open_object(objects, descriptor);
  p = open_interface("org.bluez.GattDescriptor1");
  text(p, "UUID", "00002902-0000-1000-8000-00805f9b34fb");
  path(p, "Characteristic", characteristic);
  close_interface();
  close_object(objects);
}

static void managed_objects(DBusMessage *call) {
  DBusMessage *reply = dbus_message_new_method_return(call);
  DBusMessageIter iter, objects;
  dbus_message_iter_init_append(reply, &iter);
  dbus_message_iter_open_container(&iter, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &objects);
  open_object(&objects, "/org/bluez");
  open_interface("org.bluez.AgentManager1");
  close_interface();
  close_object(&objects);
  open_object(&objects, ADAPTER);
  DBusMessageIter *p = open_interface("org.bluez.Adapter1");
  const char *roles[] = {"central", "peripheral"};
  text(p, "Address", "F0:F1:F2:F3:F4:F5");
  text(p, "AddressType", "public");
  text(p, "Name", "bench");
  text(p, "Alias", "bench");
  boolean(p, "Powered", TRUE);
  boolean(p, "Discovering", FALSE);
  texts(p, "Roles", roles, 2);
  close_interface();
  close_object(&objects);
  for (int i = 0; i < device_count; i++) append_device(&objects, i);
  dbus_message_iter_close_container(&iter, &objects);
  send(reply);
}

// --- signals ---

static DBusMessage *properties_changed(const char *object, const char *interface, DBusMessageIter *iter,
                                       DBusMessageIter *changed) {
  DBusMessage *signal = dbus_message_new_signal(object, "org.freedesktop.DBus.Properties", "PropertiesChanged");
  dbus_message_iter_init_append(signal, iter);
  dbus_message_iter_append_basic(iter, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(iter, DBUS_TYPE_ARRAY, "{sv}", changed);
  return signal;
}

static void finish(DBusMessage *signal, DBusMessageIter *iter, DBusMessageIter *changed) {
  DBusMessageIter invalidated;
  dbus_message_iter_close_container(iter, changed);
  dbus_message_iter_open_container(iter, DBUS_TYPE_ARRAY, "s", &invalidated);
  dbus_message_iter_close_container(iter, &invalidated);
  send(signal);
}

static void device_boolean(const char *object, const char *name, bool value) {
  DBusMessageIter iter, changed;
  DBusMessage *signal = properties_changed(object, "org.bluez.Device1", &iter, &changed);
  boolean(&changed, name, value);
  finish(signal, &iter, &changed);
}

static void value_changed(const char *characteristic, const uint8_t *value, int count) {
  DBusMessageIter iter, changed;
  DBusMessage *signal = properties_changed(characteristic, "org.bluez.GattCharacteristic1", &iter, &changed);
  bytes_property(&changed, "Value", value, count);
  finish(signal, &iter, &changed);
}

// Keeps the queue to the bus short, so the bus sets the pace and not this program's memory.
static void pace(uint32_t number) {
  if (number % 16 == 15) dbus_connection_flush(bus);
}

static void advertise(uint32_t count, bool vary) {
  for (uint32_t number = 0; number < count; number++) {
    DBusMessageIter iter, changed;
    DBusMessage *signal =
        properties_changed(device_path(number % device_count), "org.bluez.Device1", &iter, &changed);
    dbus_int16_t rssi = -40 - (number / device_count) % 40;
    property(&changed, "RSSI", DBUS_TYPE_INT16, &rssi);
    manufacturer_data(&changed, vary ? number : 0);
    finish(signal, &iter, &changed);
    pace(number);
  }
}

static void notify(uint32_t count) {
  int subscribed[256], subscribers = 0;
  for (int i = 0; i < served_count && subscribers < 256; i++)
    if (notifying[i]) subscribed[subscribers++] = i;
  if (!subscribers) return;
  char object[112];
  for (uint32_t number = 0; number < count; number++) {
    uint8_t value[20] = {number, number >> 8, number >> 16, number >> 24};
    snprintf(object, sizeof object, "%s/service0010/char0011", device_path(subscribed[number % subscribers]));
    value_changed(object, value, sizeof value);
    pace(number);
  }
}

// --- calls ---

static int device_index(const char *object) {
  unsigned high, low;
  return sscanf(object, ADAPTER "/dev_C0_00_00_00_%2X_%2X", &high, &low) == 2 ? (int)(high << 8 | low) : -1;
}

static void answer(DBusMessage *call) { send(dbus_message_new_method_return(call)); }

static void answer_read(DBusMessage *call) {
  static const uint8_t value[20] = "twenty bytes of data";
  if (echo) value_changed(dbus_message_get_path(call), value, sizeof value);
  DBusMessage *reply = dbus_message_new_method_return(call);
  DBusMessageIter iter;
  dbus_message_iter_init_append(reply, &iter);
  append_bytes(&iter, value, sizeof value);
  send(reply);
}

static void delay(DBusMessage *call) {
  struct delayed *item = malloc(sizeof *item);
  *item = (struct delayed){dbus_message_ref(call), now_us() + delay_ms * 1000, NULL};
  *last_delayed = item;
  last_delayed = &item->next;
}

static DBusHandlerResult filter(DBusConnection *connection, DBusMessage *call, void *data) {
  if (dbus_message_get_type(call) != DBUS_MESSAGE_TYPE_METHOD_CALL) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  const char *member = dbus_message_get_member(call), *object = dbus_message_get_path(call);
  int index = device_index(object);
  if (!strcmp(member, "ReadValue")) {
    if (delay_ms)
      delay(call);
    else
      answer_read(call);
  } else if (!strcmp(member, "WriteValue")) {
    if (!dbus_message_get_no_reply(call)) answer(call);
  } else if (!strcmp(member, "GetManagedObjects")) {
    managed_objects(call);
  } else if (!strcmp(member, "StartDiscovery")) {
    answer(call);
    advertise(device_count, false);
  } else if (!strcmp(member, "Connect") && index >= 0) {
    connected[index] = true;
    device_boolean(object, "Connected", true);
    answer(call);
    device_boolean(object, "ServicesResolved", true);
  } else if (!strcmp(member, "Disconnect") && index >= 0) {
    connected[index] = false;
    device_boolean(object, "ServicesResolved", false);
    device_boolean(object, "Connected", false);
    answer(call);
  } else if ((!strcmp(member, "StartNotify") || !strcmp(member, "StopNotify")) && index >= 0) {
    notifying[index] += member[2] == 'a' ? 1 : notifying[index] ? -1 : 0;
    answer(call);
  } else if (!strcmp(member, "Notify")) {
    uint32_t count = 0;
    dbus_message_get_args(call, NULL, DBUS_TYPE_UINT32, &count, DBUS_TYPE_INVALID);
    answer(call);
    notify(count);
  } else if (!strcmp(member, "Advertise")) {
    uint32_t count = 0;
    dbus_bool_t vary = FALSE;
    dbus_message_get_args(call, NULL, DBUS_TYPE_UINT32, &count, DBUS_TYPE_BOOLEAN, &vary, DBUS_TYPE_INVALID);
    answer(call);
    advertise(count, vary);
  } else {
    answer(call);
  }
  return DBUS_HANDLER_RESULT_HANDLED;
}

// Waits for a message or for the next delayed reply, to the microsecond: libdbus would round up to milliseconds.
// Says whether libdbus has anything to do: the radio's time must not cost time of the core that all share.
static bool wait_for_messages(void) {
  if (dbus_connection_get_dispatch_status(bus) != DBUS_DISPATCH_COMPLETE) return true;
  struct pollfd entry = {.events = dbus_connection_has_messages_to_send(bus) ? POLLIN | POLLOUT : POLLIN};
  dbus_connection_get_unix_fd(bus, &entry.fd);
  int64_t left = first_delayed ? first_delayed->due_us - now_us() : 0;
  struct timespec timeout = {left > 0 ? left / 1000000 : 0, left > 0 ? left % 1000000 * 1000 : 0};
  return ppoll(&entry, 1, first_delayed ? &timeout : NULL, NULL) != 0;
}

static void answer_delayed(void) {
  while (first_delayed && first_delayed->due_us <= now_us()) {
    struct delayed *item = first_delayed;
    first_delayed = item->next;
    if (!first_delayed) last_delayed = &first_delayed;
    answer_read(item->call);
    dbus_message_unref(item->call);
    free(item);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: fake-bluetoothd DEVICES SERVED [DELAY_MS] [echo]\n"), 2;
  device_count = atoi(argv[1]);
  served_count = atoi(argv[2]);
  delay_ms = argc > 3 ? atoi(argv[3]) : 0;
  echo = argc > 4;
  bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
  if (!bus) return fprintf(stderr, "fake-bluetoothd: no bus\n"), 1;
  dbus_connection_add_filter(bus, filter, NULL, NULL);
  if (dbus_bus_request_name(bus, "org.bluez", 0, NULL) != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER) return 1;
  puts("ready");
  fflush(stdout);
  dbus_connection_flush(bus);
  prctl(PR_SET_TIMERSLACK, 1);
  while (!wait_for_messages() || dbus_connection_read_write_dispatch(bus, 0)) answer_delayed();
  return 0;
}

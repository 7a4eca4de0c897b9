// floor: the same work as the bridge's, done by a plain libdbus client. Prints one number.
//
//   floor read N | write N | command N       median microseconds of a blocking call
//   floor reads|writes N IN_FLIGHT DEVICES   calls per second with IN_FLIGHT outstanding, the devices in turn
//   floor commands N                         write commands per second, 16 outstanding
//   floor notify N DEVICES                   notifications per second decoded (and whether in order)
//   floor advertise N                        advertisement signals per second decoded
#include <dbus/dbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static DBusConnection *bus;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static DBusMessage *method(const char *path, const char *interface, const char *member) {
  return dbus_message_new_method_call("org.bluez", path, interface, member);
}

static void characteristic(char *path, size_t size, int device) {
  snprintf(path, size, "/org/bluez/hci0/dev_C0_00_00_00_00_%02X/service0010/char0011", device);
}

static void empty_options(DBusMessageIter *iter) {
  DBusMessageIter options;
  dbus_message_iter_open_container(iter, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(iter, &options);
}

static int turn, devices = 1;

static DBusMessage *operation(const char *kind) {
  char path[128];
  characteristic(path, sizeof path, turn++ % devices);
  DBusMessageIter iter;
  if (!strncmp(kind, "read", 4)) {
    DBusMessage *call = method(path, "org.bluez.GattCharacteristic1", "ReadValue");
    dbus_message_iter_init_append(call, &iter);
    empty_options(&iter);
    return call;
  }
  DBusMessage *call = method(path, "org.bluez.GattCharacteristic1", "WriteValue");
  dbus_message_iter_init_append(call, &iter);
  DBusMessageIter array, options, entry, box;
  static const uint8_t value[20] = "twenty bytes of data";
  const uint8_t *bytes = value;
  const char *key = "type", *type = !strncmp(kind, "write", 5) ? "request" : "command";
  dbus_message_iter_open_container(&iter, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, 20);
  dbus_message_iter_close_container(&iter, &array);
  dbus_message_iter_open_container(&iter, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &box);
  dbus_message_iter_append_basic(&box, DBUS_TYPE_STRING, &type);
  dbus_message_iter_close_container(&entry, &box);
  dbus_message_iter_close_container(&options, &entry);
  dbus_message_iter_close_container(&iter, &options);
  return call;
}

static void fail(const char *what) {
  fprintf(stderr, "floor: %s\n", what);
  exit(1);
}

static volatile int checksum;

static void decode_reply(DBusMessage *reply) {
  DBusMessageIter iter, array;
  if (!reply || dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_METHOD_RETURN) fail("no reply");
  if (dbus_message_iter_init(reply, &iter) && dbus_message_iter_get_arg_type(&iter) == DBUS_TYPE_ARRAY) {
    const uint8_t *bytes;
    int count;
    dbus_message_iter_recurse(&iter, &array);
    dbus_message_iter_get_fixed_array(&array, &bytes, &count);
    checksum += count;
  }
}

static int by_value(const void *a, const void *b) { return *(double *)a < *(double *)b ? -1 : 1; }

static void one_at_a_time(const char *kind, int count) {
  double *times = calloc(count, sizeof *times);
  for (int i = 0; i < count; i++) {
    double start = now_us();
    DBusMessage *call = operation(kind);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, DBUS_TIMEOUT_INFINITE, NULL);
    decode_reply(reply);
    dbus_message_unref(call);
    dbus_message_unref(reply);
    times[i] = now_us() - start;
  }
  qsort(times, count, sizeof *times, by_value);
  printf("%.2f\n", times[count / 2]);
}

static int outstanding, completed;

static void done(DBusPendingCall *pending, void *data) {
  DBusMessage *reply = dbus_pending_call_steal_reply(pending);
  decode_reply(reply);
  dbus_message_unref(reply);
  dbus_pending_call_unref(pending);
  outstanding--;
  completed++;
}

static void in_flight(const char *kind, int count, int limit) {
  double start = now_us();
  int sent = 0;
  while (completed < count) {
    while (outstanding < limit && sent < count) {
      DBusMessage *call = operation(kind);
      DBusPendingCall *pending;
      dbus_connection_send_with_reply(bus, call, &pending, DBUS_TIMEOUT_INFINITE);
      dbus_message_unref(call);
      dbus_pending_call_set_notify(pending, done, NULL, NULL);
      outstanding++;
      sent++;
    }
    dbus_connection_read_write_dispatch(bus, -1);
  }
  printf("%.0f\n", count / ((now_us() - start) / 1e6));
}

static int wanted, seen, in_order = 1;
static const char *awaited;
static double first_us;

// Decodes all of a PropertiesChanged, as a client that uses it must. Only those with the awaited property count: the service may
// still be letting go of what the client before this one held.
static DBusHandlerResult on_signal(DBusConnection *connection, DBusMessage *message, void *data) {
  if (!dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged"))
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
  DBusMessageIter iter, changed, entry, box, array;
  const char *interface, *name;
  int is_awaited = 0;
  dbus_message_iter_init(message, &iter);
  dbus_message_iter_get_basic(&iter, &interface);
  dbus_message_iter_next(&iter);
  dbus_message_iter_recurse(&iter, &changed);
  checksum += strlen(dbus_message_get_path(message)) + strlen(interface);
  for (; dbus_message_iter_get_arg_type(&changed) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&changed)) {
    dbus_message_iter_recurse(&changed, &entry);
    dbus_message_iter_get_basic(&entry, &name);
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &box);
    is_awaited |= !strcmp(name, awaited);
    if (!strcmp(name, "RSSI")) {
      dbus_int16_t rssi;
      dbus_message_iter_get_basic(&box, &rssi);
      checksum += rssi;
    } else if (!strcmp(name, "Value")) {
      const uint8_t *bytes;
      int count;
      dbus_message_iter_recurse(&box, &array);
      dbus_message_iter_get_fixed_array(&array, &bytes, &count);
      uint32_t number;
      memcpy(&number, bytes, 4);
      if ((int)number != seen) in_order = 0;
    } else if (!strcmp(name, "ManufacturerData")) {
      DBusMessageIter pair, value, data;
      uint16_t company;
      const uint8_t *bytes;
      int count;
      dbus_message_iter_recurse(&box, &array);
      dbus_message_iter_recurse(&array, &pair);
      dbus_message_iter_get_basic(&pair, &company);
      dbus_message_iter_next(&pair);
      dbus_message_iter_recurse(&pair, &value);
      dbus_message_iter_recurse(&value, &data);
      dbus_message_iter_get_fixed_array(&data, &bytes, &count);
      checksum += company + bytes[0];
    }
  }
  if (is_awaited && !seen++) first_us = now_us();
  return DBUS_HANDLER_RESULT_HANDLED;
}

static void start(const char *member, uint32_t count, int vary) {
  dbus_bool_t flag = vary;
  DBusMessage *call = method("/", "bench.Daemon", member);
  dbus_message_append_args(call, DBUS_TYPE_UINT32, &count, DBUS_TYPE_INVALID);
  if (!strcmp(member, "Advertise")) dbus_message_append_args(call, DBUS_TYPE_BOOLEAN, &flag, DBUS_TYPE_INVALID);
  dbus_message_set_no_reply(call, TRUE);
  dbus_connection_send(bus, call, NULL);
  dbus_connection_flush(bus);
  dbus_message_unref(call);
}

static void call_all(const char *member) {
  for (int device = 0; device < devices; device++) {
    char path[128];
    characteristic(path, sizeof path, device);
    DBusMessage *call = method(path, "org.bluez.GattCharacteristic1", member);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, -1, NULL);
    dbus_message_unref(call);
    if (reply) dbus_message_unref(reply);
  }
}

static void signals(const char *member, int count) {
  int notifies = !strcmp(member, "Notify");
  wanted = count;
  awaited = notifies ? "Value" : "ManufacturerData";
  dbus_bus_add_match(bus, "type='signal',sender='org.bluez'", NULL);
  dbus_connection_add_filter(bus, on_signal, NULL, NULL);
  if (notifies) call_all("StartNotify");
  start(member, count, 1);
  while (seen < wanted && dbus_connection_read_write_dispatch(bus, -1)) {
  }
  double took_us = now_us() - first_us;
  if (!in_order) fail("out of order");
  if (notifies) call_all("StopNotify");
  printf("%.0f\n", (count - 1) / (took_us / 1e6));
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: see floor.c\n"), 2;
  bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
  if (!bus) fail("no bus");
  const char *kind = argv[1];
  int count = atoi(argv[2]);
  if (!strcmp(kind, "reads") || !strcmp(kind, "writes")) {
    devices = atoi(argv[4]);
    in_flight(kind, count, atoi(argv[3]));
  } else if (!strcmp(kind, "commands"))
    in_flight("command", count, 16);
  else if (!strcmp(kind, "notify")) {
    devices = atoi(argv[3]);
    signals("Notify", count);
  } else if (!strcmp(kind, "advertise"))
    signals("Advertise", count);
  else
    one_at_a_time(kind, count);
  return 0;
}

// client: a client of bridge's socket, as cheap as C makes it, for measuring. Prints one number.
//
//   client SOCKET read N | write N               median microseconds from request to reply
//   client SOCKET reads|writes N IN_FLIGHT DEVICES    replies per second, the devices in turn over one connection
//   client SOCKET clients N DEVICES              replies per second, a connection and one read at a time per device
//   client SOCKET commands N                     writes without response per second, ended by a read
//   client SOCKET notify N DEVICES               notifications per second; fails if one is lost or out of order
//   client SOCKET advertise N SERVICE            reports per second ("" for all); with a service that nobody has, the
//                                                time until a round trip after N rejected ones
//   client SOCKET first                          milliseconds from hello to the first didDiscover
//   client SOCKET up                             waits until the socket can be connected to; prints nothing
#include <dbus/dbus.h>
#include <poll.h>

#include "lines.h"

static void request(struct client *c, const char *kind) {
  if (!strncmp(kind, "read", 4))
    PUT(c, "{\"type\":\"read\",\"id\":\"%s\",\"characteristicId\":\"%s\"}\n", c->id, c->characteristic);
  else
    PUT(c,
        "{\"type\":\"write\",\"id\":\"%s\",\"characteristicId\":\"%s\",\"value\":\"dHdlbnR5IGJ5dGVzIG9mIGRhdGE=\","
        "\"writeType\":%d}\n",
        c->id, c->characteristic, !strncmp(kind, "command", 7));
}

static void one_at_a_time(const char *kind, int count) {
  struct client *c = open_client();
  attach(c, 0);
  double *times = calloc(count, sizeof *times);
  const char *reply = *kind == 'r' ? "didUpdateValue" : "didWriteValue";
  for (int i = 0; i < count; i++) {
    double start = now_us();
    request(c, kind);
    check_reply(expect(c, reply));
    times[i] = now_us() - start;
  }
  qsort(times, count, sizeof *times, by_value);
  printf("%.2f\n", times[count / 2]);
}

static void many_clients(int count, int devices) {
  struct client *clients[256];
  struct pollfd polls[256];
  for (int i = 0; i < devices; i++) {
    clients[i] = open_client();
    attach(clients[i], i);
    polls[i] = (struct pollfd){clients[i]->fd, POLLIN, 0};
  }
  double start = now_us();
  int sent = 0, replies = 0;
  for (; sent < devices && sent < count; sent++) request(clients[sent], "read");
  while (replies < count) {
    poll(polls, devices, -1);
    for (int i = 0; i < devices; i++) {
      if (!(polls[i].revents & POLLIN)) continue;
      fill(clients[i]);
      for (char *line; (line = buffered_line(clients[i]));) {
        if (!is(line, "didUpdateValue")) continue;
        check_reply(line);
        replies++;
        if (sent < count) request(clients[i], "read"), sent++;
      }
    }
  }
  printf("%.0f\n", count / ((now_us() - start) / 1e6));
}

static void in_flight(const char *kind, int count, int limit, int devices) {
  struct client *c = open_client();
  static char ids[256][40], characteristics[256][256];
  for (int i = 0; i < devices; i++) {
    attach(c, i);
    memcpy(ids[i], c->id, sizeof c->id);
    memcpy(characteristics[i], c->characteristic, sizeof c->characteristic);
  }
  const char *reply = *kind == 'r' ? "didUpdateValue" : "didWriteValue";
  double start = now_us();
  int sent = 0, replies = 0;
  while (replies < count) {
    for (; sent < count && sent - replies < limit; sent++) {
      memcpy(c->id, ids[sent % devices], sizeof c->id);
      memcpy(c->characteristic, characteristics[sent % devices], sizeof c->characteristic);
      request(c, kind);
    }
    check_reply(expect(c, reply));
    replies++;
  }
  printf("%.0f\n", count / ((now_us() - start) / 1e6));
}

// Requests are sent in blocks, as an app that floods does.
static void commands(int count) {
  struct client *c = open_client();
  attach(c, 0);
  double start = now_us();
  for (int i = 0; i < count; i++) request(c, "command");
  request(c, "read");
  expect(c, "didUpdateValue");
  printf("%.0f\n", count / ((now_us() - start) / 1e6));
}

static void tell_daemon(const char *member, uint32_t count, int with_flag) {
  DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
  if (!bus) fail("no bus");
  dbus_bool_t vary = TRUE;
  DBusMessage *call = dbus_message_new_method_call("org.bluez", "/", "bench.Daemon", member);
  dbus_message_append_args(call, DBUS_TYPE_UINT32, &count, DBUS_TYPE_INVALID);
  if (with_flag) dbus_message_append_args(call, DBUS_TYPE_BOOLEAN, &vary, DBUS_TYPE_INVALID);
  dbus_message_set_no_reply(call, TRUE);
  dbus_connection_send(bus, call, NULL);
  dbus_connection_flush(bus);
}

// The little-endian number in the first four bytes of the value.
static uint32_t number_of(const char *line) {
  const char *value = strstr(line, "\"value\":\"");
  if (!value) fail("a notification without a value");
  value += 9;
  uint32_t high = sextet(value[0]) << 18 | sextet(value[1]) << 12 | sextet(value[2]) << 6 | sextet(value[3]);
  uint32_t fourth = sextet(value[4]) << 2 | sextet(value[5]) >> 4;
  return (high >> 16 & 255) | (high & 0xFF00) | (high & 255) << 16 | fourth << 24;
}

static void notify(int count, int devices) {
  struct client *c = open_client();
  for (int i = 0; i < devices; i++) {
    attach(c, i);
    PUT(c, "{\"type\":\"setNotify\",\"id\":\"%s\",\"characteristicId\":\"%s\",\"enabled\":true}\n", c->id,
        c->characteristic);
    check_reply(expect(c, "didUpdateNotification"));
  }
  tell_daemon("Notify", count, 0);
  double start = 0;
  for (int i = 0; i < count; i++) {
    uint32_t number = number_of(expect(c, "didUpdateValue"));
    if (number != (uint32_t)i) fail("a notification was lost or came out of order");
    if (!i) start = now_us();
  }
  printf("%.0f\n", (count - 1) / ((now_us() - start) / 1e6));
}

static void advertise(int count, const char *service) {
  struct client *c = open_client();
  hello(c);
  scan(c, service, 1);
  // The answer to an unknown id shows that the scan was taken.
  PUT(c, "{\"type\":\"cancel\",\"id\":\"00000000-0000-0000-0000-000000000000\"}\n");
  expect(c, "didDisconnect");
  usleep(300000);
  tell_daemon("Advertise", count, 1);
  double start = now_us();
  if (*service) {
    // Nothing is reported; the caller takes the service's processor time.
    usleep(200000 + count * 30);
    PUT(c, "{\"type\":\"cancel\",\"id\":\"00000000-0000-0000-0000-000000000000\"}\n");
    expect(c, "didDisconnect");
    printf("0\n");
    return;
  }
  // The last advertisement carries the last number; earlier ones may have been replaced while this client was slow.
  uint32_t reports = 0;
  while (1) {
    char *line = expect(c, "didDiscover");
    char *data = strstr(line, "\"kCBAdvDataManufacturerData\":\"");
    if (!data) continue;
    if (!reports++) start = now_us();
    // FF FF 01 02 03 04 then the number: base64 characters 8 on.
    data += 30 + 8;
    uint32_t high = sextet(data[0]) << 18 | sextet(data[1]) << 12 | sextet(data[2]) << 6 | sextet(data[3]);
    uint32_t number = (high >> 16 & 255) | (high & 0xFF00) | (high & 255) << 16;
    if (number == (uint32_t)count - 1) break;
  }
  double seconds = (now_us() - start) / 1e6;
  fprintf(stderr, "reports %u of %d\n", reports, count);
  printf("%.0f\n", (count - 1) / seconds);
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: see client.c\n"), 2;
  socket_path = argv[1];
  const char *kind = argv[2];
  int count = argc > 3 ? atoi(argv[3]) : 0;
  if (!strcmp(kind, "up")) {
    wait_for_service();
  } else if (!strcmp(kind, "first")) {
    struct client *c = open_client();
    double start = now_us();
    hello(c);
    scan(c, "", 0);
    expect(c, "didDiscover");
    printf("%.2f\n", (now_us() - start) / 1000);
  } else if (!strcmp(kind, "clients")) {
    many_clients(count, atoi(argv[4]));
  } else if (!strcmp(kind, "reads") || !strcmp(kind, "writes")) {
    in_flight(kind, count, atoi(argv[4]), atoi(argv[5]));
  } else if (!strcmp(kind, "commands")) {
    commands(count);
  } else if (!strcmp(kind, "notify")) {
    notify(count, atoi(argv[4]));
  } else if (!strcmp(kind, "advertise")) {
    advertise(count, argc > 4 ? argv[4] : "");
  } else {
    one_at_a_time(kind, count);
  }
  return 0;
}

// mock: clients of a bridge that serves the virtual devices of `scripts/bench`, and a bare echo to compare with. Prints
// numbers, the service's processor time among them.
//
//   mock SOCKET scan CLIENTS DEVICES SECONDS     clients with different filters; each has to get all that its filter
//                                                admits, once without duplicates, and nothing else: reports per second
//                                                with duplicates, microseconds of processor per report; milliseconds
//                                                until all have had all; of a read by one more client, 200 a second,
//                                                median, 99 % and maximum in microseconds, till then and then
//   mock SOCKET everything CLIENTS DEVICES SECONDS   the same without filters; reports may replace each other
//   mock SOCKET notify DEVICES EACH SECONDS      one client subscribed to EACH characteristics of each device: values per
//                                                second, microseconds per value; fails if one is lost or out of order
//   mock SOCKET echo-server                      sends back what comes
//   mock SOCKET echo N                           median microseconds of a line of a read's length there and back
#define _GNU_SOURCE
#include <poll.h>

#include "lines.h"

#define GROUPS 100
#define MANY 16384

// Of the service, or of whatever process holds the socket's other end.
static double service_cpu_us(struct client *c) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  clockid_t clock;
  struct timespec t;
  if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) || clock_getcpuclockid(peer.pid, &clock) ||
      clock_gettime(clock, &t))
    fail("the service's processor time is not to be had");
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

// --- a client that reads meanwhile

struct reader {
  int to, from;
};
struct latencies {
  double median, most, all;
};

static void read_slowly(int control, int results) {
  static double times[1 << 16];
  int count = 0;
  struct client *c = open_client();
  attach(c, 0);
  struct latencies none = {0};
  if (write(results, &none, sizeof none) != sizeof none) _exit(1);
  for (;;) {
    struct pollfd asked = {control, POLLIN, 0};
    if (poll(&asked, 1, 5) == 1) {
      char byte;
      if (read(control, &byte, 1) != 1) _exit(0);
      qsort(times, count, sizeof *times, by_value);
      struct latencies l = {times[count / 2], times[count * 99 / 100], times[count ? count - 1 : 0]};
      if (write(results, &l, sizeof l) != sizeof l) _exit(1);
      count = 0;
    } else if (count < 1 << 16) {
      double start = now_us();
      PUT(c, "{\"type\":\"read\",\"id\":\"%s\",\"characteristicId\":\"%s\"}\n", c->id, c->characteristic);
      check_reply(expect(c, "didUpdateValue"));
      times[count++] = now_us() - start;
    }
  }
}

// In a process of its own, which ends with this one.
static struct reader start_reader(void) {
  int to[2], from[2];
  if (pipe(to) || pipe(from)) fail("no pipe");
  if (!fork()) {
    close(to[1]);
    read_slowly(to[0], from[1]);
  }
  struct latencies none;
  if (read(from[0], &none, sizeof none) != sizeof none) fail("the reader failed");
  return (struct reader){to[1], from[0]};
}

// Since the last time this was asked.
static struct latencies latencies_of(struct reader reader) {
  struct latencies result;
  if (write(reader.to, "", 1) != 1 || read(reader.from, &result, sizeof result) != sizeof result)
    fail("the reader failed");
  return result;
}

// --- scanning

struct scanner {
  struct client *client;
  uint8_t admits[GROUPS];
  uint16_t seen[MANY];
};

static struct scanner *scanners;
static struct pollfd *polls;
static int scanner_count, device_count;

// One, two or three services; device N advertises that of its group, N % GROUPS.
static void send_scan(struct scanner *s, int number, int filtered, int duplicates) {
  static const int steps[] = {0, 37, 61};
  char services[64] = "";
  memset(s->seen, 0, sizeof s->seen);
  memset(s->admits, !filtered, sizeof s->admits);
  for (int i = 0; filtered && i <= number % 3; i++) {
    int group = (number + steps[i]) % GROUPS;
    s->admits[group] = 1;
    sprintf(services + strlen(services), "%s\"%04X\"", i ? "," : "", 0xF000 + group);
  }
  PUT(s->client,
      "{\"type\":\"scan\",\"services\":[%s],\"options\":{\"kCBScanOptionAllowDuplicates\":%s},"
      "\"_scannerKeys\":[\"cbs_1\"]}\n",
      services, duplicates ? "true" : "false");
}

static void note_report(struct scanner *s, const char *line) {
  const char *name = strstr(line, "\"name\":\"Device ");
  if (!name) fail("a report of no device of ours");
  int device = atoi(name + 15);
  if (device < 0 || device >= device_count) fail("a report of a device that is not there");
  if (!s->admits[device % GROUPS]) fail("a client got a report that its filter does not admit");
  s->seen[device]++;
}

// Takes what comes until the time, and gives how many reports there were.
static long take_reports(double until) {
  long count = 0;
  for (double left; (left = until - now_us()) > 0;) {
    poll(polls, scanner_count, left / 1000 + 1);
    for (int i = 0; i < scanner_count; i++) {
      if (!(polls[i].revents & POLLIN)) continue;
      fill(scanners[i].client);
      for (char *line; (line = buffered_line(scanners[i].client));) {
        if (!is(line, "didDiscover")) continue;
        note_report(&scanners[i], line);
        count++;
      }
    }
  }
  return count;
}

static int have_seen_all(void) {
  for (int i = 0; i < scanner_count; i++)
    for (int device = 0; device < device_count; device++)
      if (scanners[i].admits[device % GROUPS] && !scanners[i].seen[device]) return 0;
  return 1;
}

// Until every client has all of its devices, and a second more for what should not come.
// Gives when they had.
static double settle(void) {
  for (double limit = now_us() + 60e6; !have_seen_all();) {
    take_reports(now_us() + 1e4);
    if (now_us() > limit) fail("a client misses a device that its filter admits");
  }
  double now = now_us();
  take_reports(now + 1e6);
  return now;
}

static void check_once(void) {
  for (int i = 0; i < scanner_count; i++)
    for (int device = 0; device < device_count; device++)
      if (scanners[i].seen[device] > 1) fail("a client without duplicates got a device twice");
}

static void scan_all(int clients, int devices, double seconds, int filtered) {
  if (devices > MANY) fail("too many devices");
  scanner_count = clients;
  device_count = devices;
  scanners = calloc(clients, sizeof *scanners);
  polls = calloc(clients, sizeof *polls);
  struct reader reader = start_reader();
  double begun = now_us();
  for (int i = 0; i < clients; i++) {
    scanners[i].client = open_client();
    polls[i] = (struct pollfd){scanners[i].client->fd, POLLIN, 0};
    hello(scanners[i].client);
    send_scan(&scanners[i], i, filtered, 0);
  }
  double had_all = (settle() - begun) / 1e3;
  check_once();
  for (int i = 0; i < clients; i++) send_scan(&scanners[i], i, filtered, 1);
  settle();
  struct latencies first = latencies_of(reader);
  double cpu = service_cpu_us(scanners[0].client), start = now_us();
  long count = take_reports(start + seconds * 1e6);
  cpu = service_cpu_us(scanners[0].client) - cpu;
  double took = now_us() - start;
  struct latencies then = latencies_of(reader);
  printf("%.0f %.3f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", count / (took / 1e6), cpu / count, had_all, first.median,
         first.most, first.all, then.median, then.most, then.all);
}

// --- notifications

// The first nine bytes of the value.
static void decode(const char *line, uint8_t bytes[9]) {
  const char *value = strstr(line, "\"value\":\"");
  if (!value || strcspn(value + 9, "\"") < 12) fail("a notification without a value");
  value += 9;
  for (int i = 0; i < 9; i += 3, value += 4) {
    uint32_t bits = sextet(value[0]) << 18 | sextet(value[1]) << 12 | sextet(value[2]) << 6 | sextet(value[3]);
    bytes[i] = bits >> 16;
    bytes[i + 1] = bits >> 8;
    bytes[i + 2] = bits;
  }
}

static uint32_t little_endian(const uint8_t *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void subscribe(struct client *c, int devices, int each) {
  char(*ids)[2][160] = calloc(devices * each, sizeof *ids);
  for (int device = 0; device < devices; device++) {
    const char *line = attach(c, device);
    for (int i = device * each; i < (device + 1) * each; i++, line++) {
      if (!(line = strstr(line, "{\"id\":\""))) fail("a device has too few characteristics");
      memcpy(ids[i][0], c->id, sizeof c->id);
      copy_field(line, "{\"id\":\"", ids[i][1], sizeof ids[i][1]);
    }
  }
  // Not before: what waits for other replies skips values.
  for (int i = 0; i < devices * each; i++)
    PUT(c, "{\"type\":\"setNotify\",\"id\":\"%s\",\"characteristicId\":\"%s\",\"enabled\":true}\n", ids[i][0],
        ids[i][1]);
  free(ids);
}

static void notify(int devices, int each, double seconds) {
  struct client *c = open_client();
  int total = devices * each;
  uint32_t *next = calloc(total, sizeof *next);
  subscribe(c, devices, each);
  double cpu = 0, start = 0;
  long count = 0;
  // A second to get into its stride.
  for (double begun = now_us(), now = begun; !start || now < start + seconds * 1e6;) {
    struct pollfd readable = {c->fd, POLLIN, 0};
    if (poll(&readable, 1, 5000) != 1) fail("nothing is notified");
    fill(c);
    for (char *line; (line = buffered_line(c));) {
      if (is(line, "didUpdateNotification")) check_reply(line);
      if (is(line, "didDisconnect")) fail("a link was lost");
      if (!is(line, "didUpdateValue")) continue;
      // Four bytes that say which, then the number.
      uint8_t bytes[9];
      decode(line, bytes);
      uint32_t which = little_endian(bytes), number = little_endian(bytes + 4);
      if (which >= (uint32_t)total) fail("a value of no characteristic of ours");
      if (number != next[which]++) fail("a notification was lost or came out of order");
      count++;
    }
    now = now_us();
    if (!start && now > begun + 1e6) start = now, count = 0, cpu = service_cpu_us(c);
  }
  double took = now_us() - start;
  cpu = service_cpu_us(c) - cpu;
  for (int i = 0; i < total; i++)
    if (!next[i]) fail("a characteristic never notified");
  printf("%.0f %.3f\n", count / (took / 1e6), cpu / count);
}

// --- echo

static void echo_server(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
  static char buffer[1 << 16];
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(socket_path);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4)) fail("no socket for the echo");
  puts("ready");
  fflush(stdout);
  while (1) {
    int fd = accept(listener, NULL, NULL);
    for (ssize_t count; (count = read(fd, buffer, sizeof buffer)) > 0;)
      if (write(fd, buffer, count) != count) break;
    close(fd);
  }
}

static void echo(int count) {
  struct client *c = open_client();
  // As long as a read of one of our devices; the reply is some twenty bytes longer.
  char line[200];
  memset(line, 'x', sizeof line);
  line[sizeof line - 1] = '\n';
  double *times = calloc(count, sizeof *times);
  for (int i = 0; i < count; i++) {
    double start = now_us();
    put(c, line, sizeof line);
    next_line(c);
    times[i] = now_us() - start;
  }
  qsort(times, count, sizeof *times, by_value);
  printf("%.2f\n", times[count / 2]);
}

int main(int argc, char **argv) {
  if (argc < 3) return fprintf(stderr, "usage: see mock.c\n"), 2;
  socket_path = argv[1];
  const char *kind = argv[2];
  int first = argc > 3 ? atoi(argv[3]) : 0, second = argc > 4 ? atoi(argv[4]) : 0;
  double seconds = argc > 5 ? atof(argv[5]) : 0;
  if (!strcmp(kind, "scan") || !strcmp(kind, "everything")) {
    scan_all(first, second, seconds, *kind == 's');
  } else if (!strcmp(kind, "notify")) {
    notify(first, second, seconds);
  } else if (!strcmp(kind, "echo-server")) {
    echo_server();
  } else {
    echo(first);
  }
  return 0;
}

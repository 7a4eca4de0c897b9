// mock: clients of a bridge that serves the virtual devices of `scripts/bench`, and a bare echo to compare with. Prints
// numbers, the service's processor time among them.
//
//   mock SOCKET scan CLIENTS DEVICES SECONDS     clients with different filters; each has to get all that its filter
//                                                admits, once without duplicates, and nothing else: reports per second
//                                                with duplicates, microseconds of processor per report
//   mock SOCKET everything CLIENTS DEVICES SECONDS   the same without filters; reports may replace each other
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
static void settle(void) {
  for (double limit = now_us() + 60e6; !have_seen_all();) {
    take_reports(now_us() + 2e5);
    if (now_us() > limit) fail("a client misses a device that its filter admits");
  }
  take_reports(now_us() + 1e6);
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
  for (int i = 0; i < clients; i++) {
    scanners[i].client = open_client();
    polls[i] = (struct pollfd){scanners[i].client->fd, POLLIN, 0};
    hello(scanners[i].client);
    send_scan(&scanners[i], i, filtered, 0);
  }
  settle();
  check_once();
  for (int i = 0; i < clients; i++) send_scan(&scanners[i], i, filtered, 1);
  settle();
  double cpu = service_cpu_us(scanners[0].client), start = now_us();
  long count = take_reports(start + seconds * 1e6);
  cpu = service_cpu_us(scanners[0].client) - cpu;
  double took = now_us() - start;
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
  } else if (!strcmp(kind, "echo-server")) {
    echo_server();
  } else {
    echo(first);
  }
  return 0;
}

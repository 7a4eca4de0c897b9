// What the benchmarks' clients of bridge's socket share: lines out and in, and the way to a device's characteristics.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BUFFER (4 << 20)

struct client {
  int fd;
  char *buffer;
  size_t start, end;
  char id[40], characteristic[256];
};

static const char *socket_path;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void fail(const char *what) {
  fprintf(stderr, "client: %s\n", what);
  exit(1);
}

static int try_connect(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
    close(fd);
    return -1;
  }
  return fd;
}

static struct client *open_client(void) {
  struct client *c = calloc(1, sizeof *c);
  c->buffer = malloc(BUFFER);
  c->fd = try_connect();
  if (c->fd < 0) fail("nobody listens at the socket");
  return c;
}

static void put(struct client *c, const char *line, size_t length) {
  while (length) {
    ssize_t count = write(c->fd, line, length);
    if (count <= 0) fail("the service closed the connection");
    line += count;
    length -= count;
  }
}

#define PUT(c, ...)                                            \
  do {                                                         \
    char line_[1024];                                          \
    int length_ = snprintf(line_, sizeof line_, __VA_ARGS__);  \
    put(c, line_, length_);                                    \
  } while (0)

static void fill(struct client *c) {
  if (c->start == c->end) c->start = c->end = 0;
  if (c->end == BUFFER - 1) {
    memmove(c->buffer, c->buffer + c->start, c->end - c->start);
    c->end -= c->start;
    c->start = 0;
  }
  ssize_t count = read(c->fd, c->buffer + c->end, BUFFER - 1 - c->end);
  if (count <= 0) fail("the service closed the connection");
  c->end += count;
}

// The next whole line, ended by NUL, or NULL if none is buffered.
static char *buffered_line(struct client *c) {
  char *end = memchr(c->buffer + c->start, '\n', c->end - c->start);
  if (!end) return NULL;
  char *line = c->buffer + c->start;
  *end = 0;
  c->start = end + 1 - c->buffer;
  return line;
}

static char *next_line(struct client *c) {
  char *line;
  while (!(line = buffered_line(c))) fill(c);
  return line;
}

static int is(const char *line, const char *type) {
  char pattern[64];
  snprintf(pattern, sizeof pattern, "\"type\":\"%s\"", type);
  return strstr(line, pattern) != NULL;
}

static char *expect(struct client *c, const char *type) {
  while (1) {
    char *line = next_line(c);
    if (is(line, type)) return line;
  }
}

static void copy_field(const char *line, const char *pattern, char *to, size_t size) {
  const char *found = strstr(line, pattern);
  if (!found) fail("a field is missing in a reply");
  found += strlen(pattern);
  size_t length = strcspn(found, "\"");
  snprintf(to, size, "%.*s", (int)length, found);
}

static void hello(struct client *c) {
  PUT(c, "{\"type\":\"hello\",\"clientVersion\":\"3.1.0\",\"bundleId\":\"bench\",\"pid\":%d}\n", getpid());
}

static void scan(struct client *c, const char *service, int duplicates) {
  PUT(c,
      "{\"type\":\"scan\",\"services\":[%s%s%s],\"options\":{\"kCBScanOptionAllowDuplicates\":%s},"
      "\"_scannerKeys\":[\"cbs_1\"]}\n",
      *service ? "\"" : "", service, *service ? "\"" : "", duplicates ? "true" : "false");
}

// Connects to the device called "Device N" and learns its first characteristic's id. Gives the reply with all, until more is
// read.
static char *attach(struct client *c, int device) {
  char name[40], line[512];
  snprintf(name, sizeof name, "\"name\":\"Device %d\"", device);
  hello(c);
  scan(c, "", 0);
  char *found;
  do found = expect(c, "didDiscover");
  while (!strstr(found, name));
  copy_field(found, "\"id\":\"", c->id, sizeof c->id);
  PUT(c, "{\"type\":\"stopScan\"}\n");
  PUT(c, "{\"type\":\"connect\",\"id\":\"%s\",\"options\":{}}\n", c->id);
  expect(c, "didConnect");
  PUT(c, "{\"type\":\"discoverServices\",\"id\":\"%s\",\"services\":[]}\n", c->id);
  copy_field(expect(c, "didDiscoverServices"), "\"services\":[{\"id\":\"", line, sizeof line);
  PUT(c, "{\"type\":\"discoverCharacteristics\",\"id\":\"%s\",\"serviceId\":\"%s\",\"characteristics\":[]}\n", c->id,
      line);
  char *reply = expect(c, "didDiscoverCharacteristics");
  copy_field(reply, "\"characteristics\":[{\"id\":\"", c->characteristic, sizeof c->characteristic);
  return reply;
}

static void check_reply(const char *line) {
  if (!strstr(line, "\"error\":\"\"")) fail(line);
}

static int by_value(const void *a, const void *b) { return *(double *)a < *(double *)b ? -1 : 1; }

static unsigned sextet(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
                                : 63;
}

// Until the service listens.
static void wait_for_service(void) {
  while (try_connect() < 0) usleep(200);
}


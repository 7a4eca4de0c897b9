// The lab's hand inside the virtual machine, and its process 1: one virtio-serial port, many channels.
//
// A frame is a little-endian 32-bit length of what follows, an operation byte, a 32-bit channel, a payload.
//   host -> guest  V open /dev/vhci   U connect to the Unix socket named by the payload
//                  X run the NUL-separated words of the payload   K send signal <u32> to a process
//                  D data   E end of data (half close)   C close
//   guest -> host  H hello   O opened, <u32 errno>   D data   C ended, <u32 wait status of a process>
// The host chooses channel numbers. On vhci a frame is an HCI packet; elsewhere data are bytes in order.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { FREE, VHCI, STREAM, PROCESS };

struct channel {
  enum kind kind;
  uint32_t id;
  int fd;            // -1 once nothing more comes
  pid_t pid;         // PROCESS: 0 once waited for
  int status;
  char *out;         // bytes not yet taken by fd
  size_t out_len;
  int half_close;    // shut down writing when out is empty
};

enum { MAX_CHANNELS = 1500, MAX_FRAME = 1 << 20, CHUNK = 32768 };
static struct channel channels[MAX_CHANNELS];
static int port;

static void die(const char *what) {
  perror(what);
  for (;;) pause();
}

static void write_all(const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(port, bytes, size);
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        poll(&(struct pollfd){.fd = port, .events = POLLOUT}, 1, 100);
        continue;
      }
      die("agent: write port");
    }
    bytes += n;
    size -= n;
  }
}

static void send_frame(char op, uint32_t id, const void *payload, uint32_t size) {
  static char frame[9 + CHUNK];
  uint32_t length = 5 + size;
  memcpy(frame, &length, 4);
  frame[4] = op;
  memcpy(frame + 5, &id, 4);
  memcpy(frame + 9, payload, size);
  write_all(frame, 9 + size);
}

static void send_number(char op, uint32_t id, uint32_t number) { send_frame(op, id, &number, 4); }

static struct channel *find(uint32_t id) {
  for (int i = 0; i < MAX_CHANNELS; i++)
    if (channels[i].kind != FREE && channels[i].id == id) return &channels[i];
  return NULL;
}

static struct channel *allocate(enum kind kind, uint32_t id, int fd) {
  for (int i = 0; i < MAX_CHANNELS; i++)
    if (channels[i].kind == FREE) {
      channels[i] = (struct channel){.kind = kind, .id = id, .fd = fd};
      return &channels[i];
    }
  return NULL;
}

static void close_fd(struct channel *c) {
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
}

static void release(struct channel *c) {
  close_fd(c);
  free(c->out);
  c->out = NULL;
  c->out_len = 0;
  c->kind = FREE;
}

static void open_vhci(uint32_t id) {
  int fd = open("/dev/vhci", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return send_number('O', id, errno);
  const unsigned char create[2] = {0xff, 0x00};  // vendor packet: a primary controller, please
  if (write(fd, create, 2) != 2) {
    send_number('O', id, errno);
    close(fd);
    return;
  }
  allocate(VHCI, id, fd);
  send_number('O', id, 0);
}

static void open_socket(uint32_t id, const char *path, size_t size) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (size >= sizeof address.sun_path) return send_number('O', id, ENAMETOOLONG);
  memcpy(address.sun_path, path, size);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    send_number('O', id, errno);
    if (fd >= 0) close(fd);
    return;
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  allocate(STREAM, id, fd);
  send_number('O', id, 0);
}

static void run(uint32_t id, char *words, size_t size) {
  char *argv[256];
  int argc = 0;
  for (char *word = words; word < words + size && argc < 255; word += strlen(word) + 1) argv[argc++] = word;
  argv[argc] = NULL;
  int pipes[2];
  if (argc == 0 || pipe2(pipes, O_CLOEXEC) < 0) return send_number('O', id, EINVAL);
  pid_t pid = fork();
  if (pid == 0) {
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    execvp(argv[0], argv);
    dprintf(2, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  close(pipes[1]);
  if (pid < 0) {
    close(pipes[0]);
    return send_number('O', id, errno);
  }
  fcntl(pipes[0], F_SETFL, O_NONBLOCK);
  struct channel *c = allocate(PROCESS, id, pipes[0]);
  c->pid = pid;
  send_number('O', id, 0);
}

static void flush_out(struct channel *c) {
  while (c->out_len > 0 && c->fd >= 0) {
    ssize_t n = write(c->fd, c->out, c->out_len);
    if (n < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      c->out_len = 0;  // the other end is gone: reading will tell
      return;
    }
    memmove(c->out, c->out + n, c->out_len - n);
    c->out_len -= n;
  }
  if (c->half_close && c->out_len == 0 && c->fd >= 0) {
    shutdown(c->fd, SHUT_WR);
    c->half_close = 0;
  }
}

static void data(struct channel *c, const char *bytes, size_t size) {
  if (c->fd < 0) return;
  if (c->kind == VHCI) {
    if (write(c->fd, bytes, size) < 0) perror("agent: vhci");
    return;
  }
  if (c->kind != STREAM) return;
  c->out = realloc(c->out, c->out_len + size);
  memcpy(c->out + c->out_len, bytes, size);
  c->out_len += size;
  flush_out(c);
}

static void handle(char op, uint32_t id, char *payload, size_t size) {
  struct channel *c = find(id);
  uint32_t number = 0;
  if (size == 4) memcpy(&number, payload, 4);
  switch (op) {
    case 'V': open_vhci(id); break;
    case 'U': open_socket(id, payload, size); break;
    case 'X': run(id, payload, size); break;
    case 'K': if (c && c->kind == PROCESS && c->pid > 0) kill(c->pid, number); break;
    case 'D': if (c) data(c, payload, size); break;
    case 'E': if (c && c->kind == STREAM) { c->half_close = 1; flush_out(c); } break;
    case 'C': if (c && c->kind != PROCESS) release(c); break;
  }
}

static void read_port(void) {
  static char buffer[MAX_FRAME * 2 + 1];
  static size_t used;
  ssize_t n = read(port, buffer + used, MAX_FRAME * 2 - used);
  if (n <= 0) {
    if (n < 0 && errno == EAGAIN) return;
    usleep(50000);  // nobody at the other end (yet)
    return;
  }
  used += n;
  size_t at = 0;
  while (used - at >= 4) {
    uint32_t length, id;
    memcpy(&length, buffer + at, 4);
    if (length < 5 || length > MAX_FRAME) die("agent: bad frame");
    if (used - at - 4 < length) break;
    memcpy(&id, buffer + at + 5, 4);
    // run() and open_socket() need a terminated payload; the byte behind belongs to the next frame.
    char *payload = buffer + at + 9, *end = buffer + at + 4 + length, kept = *end;
    *end = 0;
    handle(buffer[at + 4], id, payload, length - 5);
    *end = kept;
    at += 4 + length;
  }
  memmove(buffer, buffer + at, used - at);
  used -= at;
}

static void finish_if_done(struct channel *c) {
  if (c->kind == PROCESS && c->pid == 0) {
    send_number('C', c->id, c->status);
    release(c);
  }
}

static void read_channel(struct channel *c) {
  static char chunk[CHUNK];
  ssize_t n = read(c->fd, chunk, sizeof chunk);
  if (n > 0) return send_frame('D', c->id, chunk, n);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (c->kind == PROCESS) {
    close_fd(c);
    return;
  }
  send_number('C', c->id, n < 0 ? errno : 0);
  release(c);
}

static void reap(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    for (int i = 0; i < MAX_CHANNELS; i++)
      if (channels[i].kind == PROCESS && channels[i].pid == pid) {
        channels[i].pid = 0;
        channels[i].status = status;
        // What it wrote before it ended is still in the pipe; what its children write later is not waited for.
        for (int reads = 0; channels[i].fd >= 0 && reads < 1000; reads++) {
          struct pollfd ready = {.fd = channels[i].fd, .events = POLLIN};
          if (poll(&ready, 1, 0) <= 0) break;
          read_channel(&channels[i]);
        }
        finish_if_done(&channels[i]);
      }
}

int main(int argc, char **argv) {
  port = open(argc > 1 ? argv[1] : "/dev/vport0p1", O_RDWR | O_CLOEXEC);
  if (port < 0) die("agent: port");
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  send_frame('H', 0, "", 0);
  for (;;) {
    static struct pollfd fds[MAX_CHANNELS + 2];
    static struct channel *owners[MAX_CHANNELS + 2];
    int count = 2;
    fds[0] = (struct pollfd){.fd = port, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = children, .events = POLLIN};
    for (int i = 0; i < MAX_CHANNELS; i++) {
      struct channel *c = &channels[i];
      if (c->kind == FREE || c->fd < 0) continue;
      owners[count] = c;
      fds[count++] = (struct pollfd){.fd = c->fd, .events = POLLIN | (c->out_len > 0 ? POLLOUT : 0)};
    }
    if (poll(fds, count, -1) < 0) continue;
    if (fds[0].revents) read_port();
    for (int i = 2; i < count; i++) {
      struct channel *c = owners[i];
      if (c->kind == FREE || c->fd != fds[i].fd) continue;
      if (fds[i].revents & POLLOUT) flush_out(c);
      if (c->fd >= 0 && fds[i].revents & (POLLIN | POLLHUP | POLLERR)) read_channel(c);
    }
    if (fds[1].revents) {
      struct signalfd_siginfo info;
      while (read(children, &info, sizeof info) > 0) {}
      reap();
    }
  }
}

// Linux calls that the Glibc module leaves out.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/file.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>

// glibc shows these with _GNU_SOURCE only, which the Glibc module is built without.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

/// SO_PEERCRED's value, unix(7).
struct peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

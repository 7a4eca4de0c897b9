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
#include <sys/syscall.h>
#include <unistd.h>

// glibc shows these with _GNU_SOURCE only, which the Glibc module is built without.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int pipe2(int descriptors[2], int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/// A descriptor that becomes readable when the process ends, pidfd_open(2); glibc before 2.36 has no name for it.
static inline int open_process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// SO_PEERCRED's value, unix(7).
struct peer_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

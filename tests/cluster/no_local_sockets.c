/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before a program: it gets no Unix socket, as under a security profile of a container that forbids them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
  int (*next)(int, int, int);
  void* const found = dlsym(RTLD_NEXT, "socket");
  if (domain == AF_UNIX) {
    errno = EACCES;
    return -1;
  }
  memcpy(&next, &found, sizeof next); /* ISO C has no conversion */
  return next(domain, type, protocol);
}

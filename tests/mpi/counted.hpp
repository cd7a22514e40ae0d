// SPDX-License-Identifier: BSD-3-Clause
// What a stretch of code asks of others: memory, locks, the system. Included once in a program, whose whole process is
// counted, libraries too.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstddef>

extern "C" void* __libc_malloc(std::size_t bytes);

namespace counted {

inline volatile long allocations = 0;
inline volatile long locks = 0;
inline volatile sig_atomic_t system_calls = 0;
inline volatile sig_atomic_t last_system_call = 0;

// Read by the kernel at every system call: whether it raises SIGSYS instead.
inline volatile char gate = SYSCALL_DISPATCH_FILTER_ALLOW;

// The call that was caught is not made, and fails with a strange result: the test has failed anyway.
inline void caught(int, siginfo_t* information, void*) {
  gate = SYSCALL_DISPATCH_FILTER_ALLOW;
  system_calls = system_calls + 1;
  last_system_call = information->si_syscall;
}

// Whether this kernel lets system calls be caught (PR_SET_SYSCALL_USER_DISPATCH, Linux 5.11).
inline bool catch_system_calls() {
  struct sigaction action = {};
  action.sa_sigaction = caught;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGSYS, &action, nullptr) == 0 &&
         prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &gate) == 0;
}

// Counts from construction to destruction. Without system calls where the kernel cannot catch them: then `can_catch`
// is false.
class Stretch {
 public:
  explicit Stretch(bool can_catch) {
    allocations = 0;
    locks = 0;
    if (can_catch) gate = SYSCALL_DISPATCH_FILTER_BLOCK;
  }
  ~Stretch() { gate = SYSCALL_DISPATCH_FILTER_ALLOW; }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;
};

}  // namespace counted

// These stand before the C library's for every library of the process.
extern "C" inline __attribute__((used, visibility("default"))) void* malloc(std::size_t bytes) {
  counted::allocations = counted::allocations + 1;
  return __libc_malloc(bytes);
}

extern "C" inline __attribute__((used, visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const Lock lock = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  counted::locks = counted::locks + 1;
  return lock(mutex);
}

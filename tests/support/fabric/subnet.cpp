// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/subnet.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"

namespace fabric {
namespace {

std::uint64_t own_mark = 0;
bool in_child_of_fork = false;

std::string file_name() {
  return "/dev/shm/bowline-fabric-" + settings().id;
}

void prepare(int file) {
  if (ftruncate(file, 0) != 0 || ftruncate(file, sizeof(Subnet)) != 0) {
    misuse("no shared memory for the fabric: %s", std::strerror(errno));
  }
}

void* map(int file) {
  void* mapped = mmap(nullptr, sizeof(Subnet), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (mapped == MAP_FAILED) misuse("the fabric's file cannot be mapped: %s", std::strerror(errno));
  madvise(mapped, sizeof(Subnet), MADV_DONTDUMP);
  return mapped;
}

// All the rest begins as zeros.
void initialize(Subnet& fresh) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&fresh.mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

// Whether the file that was opened is still the one with the name: the last process of a fabric removes it.
bool still_named(int file) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(file_name().c_str(), &named) == 0 && opened.st_ino == named.st_ino;
}

// Each process of a fabric holds a shared lock on the fabric's file. A process that gets the exclusive lock is the only
// one, so it initializes the file, whose contents may be those of processes that have been killed.
Subnet* join_file(int& file) {
  for (;;) {
    file = open(file_name().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) misuse("%s cannot be opened: %s", file_name().c_str(), std::strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && still_named(file)) {
      prepare(file);
      void* mapped = map(file);
      initialize(*static_cast<Subnet*>(mapped));
      munmap(mapped, sizeof(Subnet));
    }
    if (flock(file, LOCK_SH) == 0 && still_named(file)) {
      struct stat found {};
      if (fstat(file, &found) == 0 && found.st_size == sizeof(Subnet)) return static_cast<Subnet*>(map(file));
    }
    close(file);
  }
}

void free_entries(Subnet& fabric, int process) {
  for (auto& entry : fabric.regions) entry.used = entry.used && entry.process != process;
  const auto release = [process](auto& entry) {
    if (entry.process == process) entry.process = nobody;
  };
  for (auto& entry : fabric.channels) release(entry);
  for (auto& entry : fabric.queue_pairs) release(entry);
  for (auto& entry : fabric.completion_queues) release(entry);
  for (auto& entry : fabric.receive_queues) release(entry);
}

struct Membership {
  Subnet* fabric = nullptr;
  int file = -1;
  int process = nobody;
};

// Kept until the process ends: threads may poll while static objects are destroyed.
Membership& membership() {
  static auto* joined = new Membership;
  return *joined;
}

void lock(Subnet& fabric) {
  const int error = pthread_mutex_lock(&fabric.mutex);
  if (error == EOWNERDEAD) {
    pthread_mutex_consistent(&fabric.mutex);
  } else if (error != 0) {
    misuse("the fabric's lock: %s", std::strerror(error));
  }
}

void leave() {
  Membership& joined = membership();
  if (in_child_of_fork) return;
  // Not unmapped: other threads may still use it. The last process removes the file.
  if (flock(joined.file, LOCK_EX | LOCK_NB) == 0 && still_named(joined.file)) unlink(file_name().c_str());
}

void join() {
  Membership& joined = membership();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // other processes read and write our memory; without Yama it fails
  if (getrandom(&own_mark, sizeof own_mark, 0) != sizeof own_mark) misuse("no random number for the process");
  joined.fabric = join_file(joined.file);
  lock(*joined.fabric);
  for (int process = 1; process != most_processes; ++process) {
    if (joined.fabric->processes[process].pid != 0 && !alive(process)) {
      free_entries(*joined.fabric, process);
      joined.fabric->processes[process].pid = 0;
    }
    if (joined.process == nobody && joined.fabric->processes[process].pid == 0) joined.process = process;
  }
  if (joined.process == nobody) misuse("the fabric has %d processes already", most_processes);
  joined.fabric->processes[joined.process] = {getpid(), own_mark, reinterpret_cast<std::uint64_t>(&own_mark), 0};
  pthread_mutex_unlock(&joined.fabric->mutex);
  pthread_atfork(nullptr, nullptr, [] { in_child_of_fork = true; });
  std::atexit(leave);
}

}  // namespace

Subnet& subnet() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, join);
  if (in_child_of_fork) misuse("a child of fork uses the device that its parent opened");
  return *membership().fabric;
}

int own_process() {
  return membership().process;
}

SubnetLock::SubnetLock() {
  lock(subnet());
}
SubnetLock::~SubnetLock() {
  pthread_mutex_unlock(&subnet().mutex);
}

bool alive(int process) {
  Membership& joined = membership();
  if (process == joined.process) return true;
  const Process& entry = joined.fabric->processes[process];
  std::uint64_t found = 0;
  const iovec here{&found, sizeof found};
  const iovec there{reinterpret_cast<void*>(entry.mark_address), sizeof found};
  const ssize_t read = process_vm_readv(entry.pid, &here, 1, &there, 1, 0);
  if (read < 0 && errno == EPERM) misuse("process %d may not be read: run both as one user", entry.pid);
  return read == sizeof found && found == entry.mark;
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace fabric

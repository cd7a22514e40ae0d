// SPDX-License-Identifier: BSD-3-Clause
#include "failing_allocations.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

constexpr long never = -1;
std::atomic<long> first{never};  // number of the request that fails
std::atomic<bool> all_later{false};
std::atomic<long> count{0};
std::atomic<bool> has_failed{false};
const bool traces = std::getenv("FAILING_TRACE") != nullptr;

// For whoever looks for the cause of a wrong end.
void show_place() {
  void* frames[24];
  first = never;
  backtrace_symbols_fd(frames, backtrace(frames, 24), STDERR_FILENO);
}

const auto terminates = std::set_terminate([] {
  show_place();
  std::abort();
});

/// Where the code and the data of the MPI library are.
struct Library {
  ElfW(Addr) begin = 0;
  ElfW(Addr) end = 0;

  bool has(const void* address) const {
    const auto place = reinterpret_cast<ElfW(Addr)>(address);
    return begin <= place && place < end;
  }
};
Library library;

int find_library(dl_phdr_info* object, std::size_t, void*) {
  Library found{.begin = object->dlpi_addr, .end = object->dlpi_addr};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_LOAD) found.end = object->dlpi_addr + part.p_vaddr + part.p_memsz;
  }
  if (!found.has(dlsym(RTLD_DEFAULT, "MPI_Init"))) return 0;
  library = found;
  return 1;
}

bool fails() {
  const long at = first.load(std::memory_order_relaxed);
  if (at == never) return false;
  const long number = count.fetch_add(1, std::memory_order_relaxed);
  if (number != at && !(all_later.load(std::memory_order_relaxed) && number > at)) return false;
  if (!has_failed.exchange(true) && traces) show_place();
  return true;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void* make(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
  static const auto real = next<void* (*)(std::size_t, std::size_t)>("aligned_alloc");
  return fails() ? nullptr : real(alignment, whole);
}

void* make_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = make(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return make_or_throw(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return make_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return make(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

extern "C" {

// A library with a C++ library inside (BOWLINE_STATIC_CXX) has its own operator new, which calls this one. The requests
// of other libraries do not fail.
void* malloc(std::size_t bytes) noexcept {
  if (!library.has(__builtin_return_address(0)) || !fails()) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return make(bytes, alignment);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  void* const made = make(bytes, alignment);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}
void* mmap(void* place, std::size_t bytes, int protection, int flags, int descriptor, off_t offset) noexcept {
  static const auto real = next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (!fails()) return real(place, bytes, protection, flags, descriptor, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}
int memfd_create(const char* name, unsigned flags) noexcept {
  static const auto real = next<int (*)(const char*, unsigned)>("memfd_create");
  if (!fails()) return real(name, flags);
  errno = ENOMEM;
  return -1;
}

}  // extern "C"

namespace failing {

void start(long after, bool all) {
  if (library.begin == 0) dl_iterate_phdr(find_library, nullptr);
  has_failed = false;
  count = 0;
  all_later = all;
  first = after;
}
bool stop() {
  first = never;
  return has_failed;
}
long requests() {
  return count;
}

}  // namespace failing

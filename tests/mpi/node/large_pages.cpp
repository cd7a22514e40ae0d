// SPDX-License-Identifier: BSD-3-Clause
// Loaded before a program: the kernel then has pages of 64 KiB, as that of many ARM processors, as far as the places of
// mappings in files are concerned.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace {

constexpr long page_bytes = 64 << 10;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" long sysconf(int name) noexcept {
  static auto* const real = next<long(int)>("sysconf");
  return name == _SC_PAGESIZE ? page_bytes : real(name);
}

extern "C" void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) noexcept {
  static auto* const real = next<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if ((flags & MAP_ANONYMOUS) == 0 && offset % page_bytes != 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return real(address, length, protection, flags, file, offset);
}

extern "C" void* mmap64(void* address, size_t length, int protection, int flags, int file, off64_t offset) noexcept {
  return mmap(address, length, protection, flags, file, offset);
}

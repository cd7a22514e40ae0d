// SPDX-License-Identifier: BSD-3-Clause
// An audit library of glibc's loader (rtld-audit(7)). mpiexec names it in LD_AUDIT for programs of which it cannot see
// what they load: scripts, interpreters, commands that run others. In every process below them the loader asks this
// library where the MPI libraries are. So they are Bowline's, whatever LD_LIBRARY_PATH, an RPATH or dlopen says. If a
// process loads another MPI library all the same, this library tells mpiexec.
//
// Every process of a script loads this library, so it uses no other library: the loader would load a second C library
// for it, which takes ten times as long. It has no hooks for calls (la_symbind, la_pltenter), so calls between the
// libraries of the program are as fast as without it.
#include "base/library_audit.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <initializer_list>

extern "C" {
// Set by the loader: the number of arguments, the arguments, 0, the environment.
extern void* __libc_stack_end;  // NOLINT(readability-identifier-naming): glibc's name
unsigned la_version(unsigned version);
char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag);
unsigned la_objopen(link_map* map, Lmid_t list, uintptr_t* cookie);
}

namespace bowline::audit {
namespace {

/// Returns a negative number for an error.
long system_call(long number, const void* first, long second, long third, long fourth = 0) {
#ifdef __x86_64__
  long result = 0;
  register long last asm("r10") = fourth;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(first), "S"(second), "d"(third), "r"(last)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long number_ asm("x8") = number;
  register long first_ asm("x0") = reinterpret_cast<long>(first);
  register long second_ asm("x1") = second;
  register long third_ asm("x2") = third;
  register long fourth_ asm("x3") = fourth;
  asm volatile("svc 0" : "+r"(first_) : "r"(number_), "r"(second_), "r"(third_), "r"(fourth_) : "memory");
  return first_;
#else
  return syscall(number, first, second, third, fourth);
#endif
}

long open_file(const char* path, int flags) {
  return system_call(SYS_openat, reinterpret_cast<const void*>(AT_FDCWD), reinterpret_cast<long>(path), flags, 0600);
}

long close_file(long descriptor) {
  return system_call(SYS_close, reinterpret_cast<const void*>(descriptor), 0, 0);
}

bool exists(const char* path) {
  return system_call(SYS_faccessat, reinterpret_cast<const void*>(AT_FDCWD), reinterpret_cast<long>(path), F_OK) == 0;
}

/// The text behind `prefix`; nullptr if `text` does not begin with `prefix`.
const char* after(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return nullptr;
  }
  return text;
}

bool contains(const char* text, const char* part) {
  for (; *text != '\0'; ++text) {
    if (after(text, part) != nullptr) return true;
  }
  return false;
}

const char* file_name(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

/// A path in memory of its own, because a program may overwrite its environment.
class Path {
 public:
  /// Sets the path. Returns false, and leaves the path empty, if it is too long.
  bool set(const char* first, const char* second = "", const char* third = "") {
    size_ = 0;
    for (const char* part : {first, second, third}) {
      for (; *part != '\0'; ++part) {
        if (size_ + 1 == sizeof text_) return remove_all();
        text_[size_++] = *part;
      }
    }
    text_[size_] = '\0';
    return size_ != 0;
  }
  void remove_last_name() {
    while (size_ != 0 && text_[--size_] != '/') continue;
    text_[size_] = '\0';
  }
  char* text() { return text_; }

 private:
  bool remove_all() {
    text_[0] = '\0';
    size_ = 0;
    return false;
  }

  char text_[4096];
  std::size_t size_;
};

// The loader holds a lock when it calls this library, so these variables need no lock.
constinit Path folder{};   ///< with a folder for each foreign ABI
constinit Path own{};      ///< with the libraries of the standard ABI
constinit Path report{};   ///< the file for mpiexec; empty: mpiexec does not want any
constinit Path library{};  ///< the last answer to the loader

const char* variable(const char* name) {
  auto** const stack = static_cast<char**>(__libc_stack_end);
  for (char** entry = stack + 1 + *reinterpret_cast<long*>(stack) + 1; *entry != nullptr; ++entry) {
    const char* const rest = after(*entry, name);
    if (rest != nullptr && *rest == '=') return rest + 1;
  }
  return "";
}

/// Whether the name is a soname of an MPI library, not a path, and not a name without version for linkers.
bool is_soname(const char* name) {
  return after(name, "libmpi") != nullptr && contains(name, ".so.") && !contains(name, "/");
}

/// Whether the file of this name implements MPI for C. Other libraries of MPI call the C library.
bool implements_mpi(const char* name) {
  for (const char* begin : {"libmpi.so", "libmpich.so", "libmpi_abi.so", "libmpi_amd", "libmpi_aocc", "libmpi_cray",
                            "libmpi_gnu", "libmpi_ibm", "libmpi_intel", "libmpi_nvidia"}) {
    if (after(name, begin) != nullptr) return true;
  }
  return false;
}

bool is_ours(const char* path) {
  const char* const front = after(path, folder.text());
  const char* const standard = after(path, own.text());
  return (front != nullptr && *front == '/') || (standard != nullptr && after(standard, "/libmpi_abi.so") != nullptr);
}

/// Adds the path, with the 0 at its end, to the paths that the processes of this rank have written.
void tell(const char* path) {
  if (*report.text() == '\0') return;
  const long file = open_file(report.text(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  long size = 1;
  while (path[size - 1] != '\0') ++size;
  system_call(SYS_write, reinterpret_cast<const void*>(file), reinterpret_cast<long>(path), size);
  close_file(file);
}

}  // namespace
}  // namespace bowline::audit

using namespace bowline::audit;  // NOLINT(google-build-using-namespace): the loader's functions belong to no namespace

unsigned la_version(unsigned version) {
  constexpr unsigned known = 2;
  // With version 1, up to glibc 2.34, an audit library makes all calls between libraries slow.
  if (version < known || !folder.set(variable(folder_variable))) return 0;
  own.set(folder.text());
  own.remove_last_name();
  report.set(variable(report_variable));
  return known;
}

char* la_objsearch(const char* name, uintptr_t*, unsigned flag) {
  if (flag == LA_SER_ORIG && is_soname(name)) {
    for (const char* abi : {"/mpich/", "/openmpi/"}) {
      if (library.set(folder.text(), abi, name) && exists(library.text())) return library.text();
    }
    // Libraries of another MPI may stand beside the libraries of the standard ABI.
    if (contains(name, "_abi.so.") && library.set(own.text(), "/", name) && exists(library.text()))
      return library.text();
  }
  return const_cast<char*>(name);
}

unsigned la_objopen(link_map* map, Lmid_t, uintptr_t*) {
  if (implements_mpi(file_name(map->l_name)) && !is_ours(map->l_name)) tell(map->l_name);
  return 0;  // calls to and from the library are of no interest
}

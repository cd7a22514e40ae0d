// SPDX-License-Identifier: BSD-3-Clause
// See library_search.hpp.
#include "launcher/abi/library_search.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace bowline::launcher {
namespace {

// The cache is a header, then entries, then strings; offsets of strings count from the beginning of the header.
struct CacheHeader {
  char magic[20];
  std::uint32_t entries;
  std::uint32_t string_bytes;
  std::uint32_t unused[5];
};
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name;
  std::uint32_t file;
  std::uint32_t os_version;
  std::uint64_t hardware;  ///< features that the processor must have; 0: the library is for every processor
};
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";

/// Whether the loader of this machine's programs takes a library with these flags: the low byte tells the C library,
/// the next one the architecture. On x86-64 a cache may list the libraries for i386 (0x0003) and x32 (0x0803) too.
constexpr bool for_this_machine(std::int32_t flags) {
  constexpr std::int32_t any_libc = 0x0001, glibc = 0x0003;
#ifdef __x86_64__
  constexpr std::int32_t own = 0x0300;
#elif defined(__aarch64__)
  constexpr std::int32_t own = 0x0a00;
#elif defined(__powerpc64__)
  constexpr std::int32_t own = 0x0500;
#elif defined(__riscv)
  constexpr std::int32_t own = 0x1000;  // floating-point arguments in registers of 64 bits
#else
  const std::int32_t own = flags & 0xff00;
#endif
  return flags == any_libc || flags == (own | glibc);
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Object>
Object object_at(const std::string& bytes, std::size_t offset) {
  Object object;
  std::memcpy(&object, bytes.data() + offset, sizeof object);
  return object;
}

/// $ORIGIN stands for the directory of the file in which it stands.
std::string replace_origin(std::string directory, const ElfFile& file) {
  std::error_code error;
  const std::string origin = std::filesystem::canonical(file.path, error).parent_path().string();
  for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
    const std::size_t place = directory.find(name);
    if (place != std::string::npos) directory.replace(place, name.size(), origin);
  }
  return directory;
}

}  // namespace

LibrarySearch::LibrarySearch(std::string library_path, const char* cache)
    : library_path_(std::move(library_path)), cache_(read_file(cache)) {}

/// The file for a soname; empty if the cache does not know it. The loader may prefer a file that needs features of the
/// processor. Such files are variants of one library and need the same libraries, so the file for all processors serves
/// as well, and a variant is used only if there is no such file.
std::string LibrarySearch::find_in_cache(const std::string& name) const {
  const std::size_t begin = cache_.find(cache_magic);
  if (begin == std::string::npos || cache_.size() - begin < sizeof(CacheHeader)) return {};
  const std::size_t first = begin + sizeof(CacheHeader);
  const std::size_t entries = std::min<std::size_t>(object_at<CacheHeader>(cache_, begin).entries,
                                                    (cache_.size() - first) / sizeof(CacheEntry));
  std::string variant;
  for (std::size_t i = 0; i < entries; ++i) {
    const auto entry = object_at<CacheEntry>(cache_, first + i * sizeof(CacheEntry));
    if (!for_this_machine(entry.flags) || begin + std::max(entry.name, entry.file) >= cache_.size()) continue;
    if (name != cache_.c_str() + begin + entry.name) continue;
    const char* const file = cache_.c_str() + begin + entry.file;
    if (entry.hardware == 0) return file;
    if (variant.empty()) variant = file;
  }
  return variant;
}

std::optional<ElfFile> LibrarySearch::find_in(const std::string& directories, const std::string& name,
                                              const ElfFile& wanting) {
  for (std::size_t begin = 0; begin < directories.size();) {
    const std::size_t end = std::min(directories.find_first_of(":;", begin), directories.size());
    const std::string directory = replace_origin(directories.substr(begin, end - begin), wanting);
    if (auto found = read_elf(std::filesystem::path(directory.empty() ? "." : directory) / name)) return found;
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<ElfFile> LibrarySearch::find(const std::string& name, const ElfFile& wanting,
                                           const ElfFile& program) const {
  if (name.find('/') != std::string::npos) return read_elf(name);
  if (wanting.runpath.empty()) {
    for (const ElfFile* file : {&wanting, &program}) {
      if (!file->runpath.empty()) continue;
      if (auto found = find_in(file->rpath, name, *file)) return found;
    }
  }
  if (auto found = find_in(library_path_, name, wanting)) return found;
  if (auto found = find_in(wanting.runpath, name, wanting)) return found;
  if (auto found = read_elf(find_in_cache(name))) return found;
  return find_in("/lib64:/usr/lib64:/lib:/usr/lib", name, wanting);
}

}  // namespace bowline::launcher

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
  std::uint64_t hardware;
};
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";

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

/// $ORIGIN stands for the directory of the file that names it.
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

LibrarySearch::LibrarySearch(std::string library_path)
    : library_path_(std::move(library_path)), cache_(read_file("/etc/ld.so.cache")) {}

/// The file for a soname; empty if the cache does not know it. Of several files, the first is the loader's choice.
std::string LibrarySearch::find_in_cache(const std::string& name) const {
  const std::size_t begin = cache_.find(cache_magic);
  if (begin == std::string::npos || cache_.size() - begin < sizeof(CacheHeader)) return {};
  const std::size_t first = begin + sizeof(CacheHeader);
  const std::size_t entries = std::min<std::size_t>(object_at<CacheHeader>(cache_, begin).entries,
                                                    (cache_.size() - first) / sizeof(CacheEntry));
  for (std::size_t i = 0; i < entries; ++i) {
    const auto entry = object_at<CacheEntry>(cache_, first + i * sizeof(CacheEntry));
    if (begin + std::max(entry.name, entry.file) >= cache_.size()) continue;
    if (name == cache_.c_str() + begin + entry.name) return cache_.c_str() + begin + entry.file;
  }
  return {};
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

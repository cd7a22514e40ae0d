// SPDX-License-Identifier: BSD-3-Clause
// See elf_file.hpp.
#include "launcher/abi/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <span>

namespace bowline::launcher {
namespace {

/// A file in memory. Every access is checked, because the file may be damaged.
class Image {
 public:
  explicit Image(const std::filesystem::path& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      void* const memory = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), static_cast<size_t>(status.st_size)};
    }
    close(fd);
  }
  ~Image() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// The object at this offset; nothing if the file ends before its end.
  template <class Object>
  std::optional<Object> at(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Object)) return std::nullopt;
    Object object;
    std::memcpy(&object, bytes_.data() + offset, sizeof object);
    return object;
  }
  /// The string that ends with a zero byte; empty if there is none.
  std::string string_at(std::size_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* const begin = bytes_.data() + offset;
    const void* const end = std::memchr(begin, '\0', bytes_.size() - offset);
    return end == nullptr ? std::string() : std::string(begin, static_cast<const char*>(end));
  }

 private:
  std::span<const char> bytes_;
};

constexpr bool this_machine(const Elf64_Ehdr& header) {
#ifdef __x86_64__
  constexpr int machine = EM_X86_64;
#elif defined(__aarch64__)
  constexpr int machine = EM_AARCH64;
#elif defined(__powerpc64__)
  constexpr int machine = EM_PPC64;
#elif defined(__riscv)
  constexpr int machine = EM_RISCV;
#else
  const int machine = header.e_machine;
#endif
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine;
}

std::vector<Elf64_Phdr> program_headers(const Image& image, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> result;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto found = image.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!found) break;
    result.push_back(*found);
  }
  return result;
}

/// Where the byte that is loaded to this address stands in the file; a place behind the end of the file if it is not in
/// the file.
std::size_t offset_of(const std::vector<Elf64_Phdr>& segments, Elf64_Addr address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  }
  return SIZE_MAX;
}

std::vector<Elf64_Dyn> dynamic_section(const Image& image, const std::vector<Elf64_Phdr>& segments) {
  std::vector<Elf64_Dyn> result;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::size_t offset = 0; offset < segment.p_filesz; offset += sizeof(Elf64_Dyn)) {
      const auto entry = image.at<Elf64_Dyn>(segment.p_offset + offset);
      if (!entry || entry->d_tag == DT_NULL) break;
      result.push_back(*entry);
    }
  }
  return result;
}

}  // namespace

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  const Image image(path);
  const auto header = image.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || !this_machine(*header)) return std::nullopt;
  const std::vector<Elf64_Phdr> segments = program_headers(image, *header);
  const std::vector<Elf64_Dyn> entries = dynamic_section(image, segments);
  std::size_t strings = SIZE_MAX;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_STRTAB) strings = offset_of(segments, entry.d_un.d_ptr);
  }
  if (strings == SIZE_MAX) return std::nullopt;
  ElfFile file{.path = path, .needed = {}, .rpath = {}, .runpath = {}};
  for (const Elf64_Dyn& entry : entries) {
    const auto text = [&] { return image.string_at(strings + entry.d_un.d_val); };
    if (entry.d_tag == DT_NEEDED) file.needed.push_back(text());
    if (entry.d_tag == DT_RPATH) file.rpath = text();
    if (entry.d_tag == DT_RUNPATH) file.runpath = text();
  }
  return file;
}

}  // namespace bowline::launcher

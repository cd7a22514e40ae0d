// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/core_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/procfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "launcher/queues/queue_error.hpp"

namespace bowline::launcher {
namespace {

bool is_core(Elf* elf) {
  GElf_Ehdr header;
  return elf != nullptr && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != nullptr &&
         header.e_type == ET_CORE && header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

}  // namespace

void CoreFile::EndElf::operator()(Elf* elf) const noexcept {
  elf_end(elf);
}

CoreFile::CoreFile(const std::string& path) : ProcessMemory(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) throw QueueError("{} cannot be read: {}", path, std::strerror(errno));
  elf_version(EV_CURRENT);
  elf_.reset(elf_begin(file_, ELF_C_READ_MMAP, nullptr));
  std::size_t bytes = 0;
  const char* const content = is_core(elf_.get()) ? elf_rawfile(elf_.get(), &bytes) : nullptr;
  if (content == nullptr) {
    close(file_);
    throw QueueError(
        "{} is no core file of a 64-bit process: give the process id of a rank, or a core file that is "
        "not compressed",
        path);
  }
  content_ = {reinterpret_cast<const std::byte*>(content), bytes};
  read_segments(path);
}

CoreFile::~CoreFile() {
  elf_.reset();
  close(file_);
}

void CoreFile::read_segments(const std::string& path) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) == nullptr) break;
    whole_ = std::max(whole_, header.p_offset + header.p_filesz);
    if (header.p_type == PT_NOTE) read_notes(header.p_offset, header.p_filesz);
    if (header.p_type != PT_LOAD || header.p_offset >= content_.size()) continue;
    const std::uint64_t bytes = std::min<std::uint64_t>(header.p_filesz, content_.size() - header.p_offset);
    if (bytes == 0 || header.p_vaddr + bytes < bytes) continue;
    segments_.push_back({.range = {header.p_vaddr, header.p_vaddr + bytes},
                         .offset = header.p_offset,
                         .writable = (header.p_flags & PF_W) != 0});
  }
  std::ranges::sort(segments_, {}, [](const Segment& segment) { return segment.range.begin; });
  if (!segments_.empty()) return;
  elf_.reset();
  close(file_);
  throw QueueError("{} has no memory of a process: {}", path, advice());
}

void CoreFile::read_notes(std::uint64_t offset, std::uint64_t bytes) {
  if (offset > content_.size() || bytes > content_.size() - offset) return;
  Elf_Data* const notes = elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(offset), bytes, ELF_T_NHDR);
  if (notes == nullptr) return;
  GElf_Nhdr note;
  std::size_t name = 0, description = 0;
  for (std::size_t at = 0; (at = gelf_getnote(notes, at, &note, &name, &description)) > 0;) {
    const auto* const begin = static_cast<const std::byte*>(notes->d_buf) + description;
    const std::span<const std::byte> content(begin, note.n_descsz);
    if (note.n_type == NT_FILE) note_files(content);
    if (note.n_type != NT_PRPSINFO || content.size() < sizeof(elf_prpsinfo)) continue;
    elf_prpsinfo facts;
    std::memcpy(&facts, content.data(), sizeof facts);
    process_ = facts.pr_pid;
  }
}

/// The table has the number of entries, the unit of their offsets, and for each entry where it begins and ends in
/// memory and where in its file.
void CoreFile::note_files(std::span<const std::byte> table) {
  constexpr std::size_t head_words = 2, entry_words = 3, word = sizeof(std::uint64_t);
  const auto number = [table](std::size_t index) {
    std::uint64_t value = 0;
    std::memcpy(&value, table.data() + index * word, word);
    return value;
  };
  const std::size_t words = table.size() / word;
  const std::size_t entries = words < head_words ? 0 : std::min(number(0), (words - head_words) / entry_words);
  for (std::size_t i = 0; i < entries; ++i)
    files_.push_back({number(head_words + i * entry_words), number(head_words + i * entry_words + 1)});
}

bool CoreFile::read(std::uint64_t address, std::span<std::byte> into) const noexcept {
  while (!into.empty()) {
    const auto after =
        std::ranges::upper_bound(segments_, address, {}, [](const Segment& segment) { return segment.range.begin; });
    if (after == segments_.begin()) return false;
    const Segment& segment = *std::prev(after);
    if (address >= segment.range.end) return false;
    const std::size_t length = std::min<std::uint64_t>(into.size(), segment.range.end - address);
    std::memcpy(into.data(), content_.data() + segment.offset + (address - segment.range.begin), length);
    into = into.subspan(length);
    address += length;
  }
  return true;
}

/// All writable memory if the file does not tell which memory is that of files.
std::vector<MemoryRange> CoreFile::writable_of_files() const {
  std::vector<MemoryRange> ranges;
  for (const Segment& segment : segments_) {
    const auto is_in = [&](const MemoryRange& file) {
      return segment.range.begin >= file.begin && segment.range.begin < file.end;
    };
    if (segment.writable && (files_.empty() || std::ranges::any_of(files_, is_in))) ranges.push_back(segment.range);
  }
  return ranges;
}

std::string CoreFile::advice() const {
  if (whole_ <= content_.size()) return "the core file is damaged, or was not written by the kernel or gdb";
  return fmt::format("the core file is truncated, to {} of {} bytes: look at \"ulimit -c\" and the room on its disk",
                     content_.size(), whole_);
}

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/storage/faulty_storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/tunable.hpp"

namespace bowline::mpiio {
namespace {

TextTunable io_faults(TunableTraits(Category::files).for_developers(), "io_faults",
                      "faults with commas between them, as short,write:ENOSPC@65536",
                      "faults that tests add to every file: see src/mpiio/storage/faulty_storage.hpp");

Faults of_all;

constexpr std::array<std::pair<std::string_view, int>, 5> known_errors = {
    {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"ENOLCK", ENOLCK}, {"ENOSYS", ENOSYS}}};

[[noreturn]] void refuse(std::string_view word) {
  throw Error(ErrorClass::arg,
              fmt::format("the fault \"{}\" is not known; allowed are short, interrupt, remote, read:NAME@OFFSET, "
                          "write:NAME@OFFSET, sync:NAME, lock:NAME and truncate:NAME, with EIO, ENOSPC, EDQUOT, ENOLCK "
                          "or ENOSYS as NAME, and commas between them",
                          word));
}

int error_named(std::string_view name, std::string_view word) {
  const auto found = std::ranges::find(known_errors, name, [](const auto& known) { return known.first; });
  if (found == known_errors.end()) refuse(word);
  return found->second;
}

/// "EIO@4096".
Faults::At fault_at(std::string_view text, std::string_view word) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) refuse(word);
  const auto offset = parse_number(text.substr(at + 1));
  if (!offset) refuse(word);
  return {error_named(text.substr(0, at), word), *offset};
}

void add_fault(Faults& faults, std::string_view word) {
  const auto after = [&](std::string_view prefix) { return word.substr(prefix.size()); };
  if (word == "short") {
    faults.short_calls = true;
  } else if (word == "interrupt") {
    faults.interruptions = true;
  } else if (word == "remote") {
    faults.remote = true;
  } else if (word.starts_with("read:")) {
    faults.read = fault_at(after("read:"), word);
  } else if (word.starts_with("write:")) {
    faults.write = fault_at(after("write:"), word);
  } else if (word.starts_with("sync:")) {
    faults.sync = error_named(after("sync:"), word);
  } else if (word.starts_with("lock:")) {
    faults.locks = error_named(after("lock:"), word);
  } else if (word.starts_with("truncate:")) {
    faults.truncate = error_named(after("truncate:"), word);
  } else {
    refuse(word);
  }
}

}  // namespace

Faults Faults::parse(std::string_view text) {
  Faults faults;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add_fault(faults, text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return faults;
}

void load_faults() {
  of_all = Faults::parse(io_faults.value());
}

const Faults& faults_of_all() noexcept {
  return of_all;
}

/// How many of these bytes the next call may move; a negative error number if it fails.
ssize_t FaultyStorage::allowed(Offset offset, std::size_t bytes, const std::optional<Faults::At>& fault) noexcept {
  if (fault && offset + static_cast<Offset>(bytes) > fault->offset) {
    if (offset >= fault->offset) return -fault->error;
    bytes = static_cast<std::size_t>(fault->offset - offset);
  }
  const std::lock_guard hold(mutex_);
  if (faults_.interruptions && random_() % 4 == 0) return -EINTR;
  if (faults_.short_calls && bytes > 1 && random_() % 2 == 0) bytes = 1 + random_() % bytes;
  return static_cast<ssize_t>(bytes);
}

ssize_t FaultyStorage::read_some(Offset offset, std::span<std::byte> target) noexcept {
  const ssize_t bytes = allowed(offset, target.size(), faults_.read);
  return bytes < 0 ? bytes : inner_->read_some(offset, target.first(static_cast<std::size_t>(bytes)));
}

ssize_t FaultyStorage::write_some(Offset offset, std::span<const std::byte> source) noexcept {
  const ssize_t bytes = allowed(offset, source.size(), faults_.write);
  return bytes < 0 ? bytes : inner_->write_some(offset, source.first(static_cast<std::size_t>(bytes)));
}

// A list may end anywhere, so its first piece alone is a valid part of the list.

ssize_t FaultyStorage::read_list_some(Offset offset, std::span<const iovec> targets) noexcept {
  if (targets.empty()) return 0;
  return read_some(offset, {static_cast<std::byte*>(targets.front().iov_base), targets.front().iov_len});
}

ssize_t FaultyStorage::write_list_some(Offset offset, std::span<const iovec> sources) noexcept {
  if (sources.empty()) return 0;
  return write_some(offset, {static_cast<const std::byte*>(sources.front().iov_base), sources.front().iov_len});
}

}  // namespace bowline::mpiio

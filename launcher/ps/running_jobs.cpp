// SPDX-License-Identifier: BSD-3-Clause
// See running_jobs.hpp.
#include "launcher/ps/running_jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "launcher/job/rank_process.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

std::optional<pid_t> number_in(const std::string& name) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

/// The entries of a folder, nothing if it cannot be read: a process may end at any time.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
    entries.push_back(each->path());
  return entries;
}

std::string target_of(const fs::path& link) {
  std::error_code error;
  return fs::read_symlink(link, error).native();
}

bool is_launcher(pid_t process) {
  const std::string program = target_of(fmt::format("/proc/{}/exe", process));
  return fs::path(program).filename().native().starts_with("mpiexec");
}

/// The process that the user has started, of which the one that keeps the board is a child (launcher/job/guard.hpp).
pid_t launcher_of(pid_t keeper) {
  std::ifstream status(fmt::format("/proc/{}/status", keeper));
  for (std::string name, value; status >> name && std::getline(status, value);) {
    if (name != "PPid:") continue;
    const pid_t parent = std::stoi(value);
    return is_launcher(parent) ? parent : keeper;
  }
  return keeper;
}

std::string command_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  std::ranges::replace_if(
      words, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return words;
}

RankStage stage_of(const WaitSlot::Line& line) {
  if (line.state == WaitSlot::State::unused) return RankStage::started;
  const bool is_there = kill(line.process, 0) == 0 || errno == EPERM;
  return is_there ? RankStage::initialized : RankStage::ended;
}

}  // namespace

BoardView::BoardView(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat facts {};
  WaitBoardHeader header{};
  const bool is_whole = fstat(file, &facts) == 0 && pread(file, &header, sizeof header, 0) == sizeof header &&
                        static_cast<std::size_t>(facts.st_size) == WaitBoardTicket::bytes_for(header.slots);
  if (is_whole) {
    bytes_ = static_cast<std::size_t>(facts.st_size);
    void* const address = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
    if (address != MAP_FAILED) memory_ = static_cast<const std::byte*>(address);
  }
  close(file);
}

BoardView::~BoardView() {
  if (memory_ != nullptr) munmap(const_cast<std::byte*>(memory_), bytes_);
}

std::vector<RankView> BoardView::ranks() const {
  std::vector<RankView> ranks;
  const std::uint32_t slots = reinterpret_cast<const WaitBoardHeader*>(memory_)->slots;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    WaitSlot::Line line = reinterpret_cast<const WaitSlot*>(memory_ + WaitBoardTicket::offset_of(slot))->read();
    const RankStage stage = stage_of(line);
    const bool stopped = stage == RankStage::initialized && is_stopped(line.process);
    ranks.push_back({.stage = stage, .line = std::move(line), .stopped = stopped});
  }
  add_places(ranks);
  return ranks;
}

std::vector<RunningJob> running_jobs(std::span<const pid_t> launchers) {
  std::vector<RunningJob> jobs;
  for (const fs::path& entry : entries_of("/proc")) {
    const pid_t keeper = number_in(entry.filename()).value_or(0);
    if (keeper == 0 || !is_launcher(keeper)) continue;
    const pid_t launcher = launcher_of(keeper);
    if (!launchers.empty() && std::ranges::find(launchers, launcher) == launchers.end()) continue;
    std::vector<fs::path> files = entries_of(entry / "fd");
    std::ranges::sort(files, {}, [](const fs::path& file) { return number_in(file.filename()).value_or(0); });
    for (const fs::path& file : files) {
      if (!target_of(file).starts_with("/memfd:bowline-wait-board")) continue;
      BoardView board(file);
      if (board.valid()) jobs.push_back({launcher, command_of(launcher), std::move(board)});
    }
  }
  std::ranges::stable_sort(jobs, {}, &RunningJob::launcher);
  return jobs;
}

}  // namespace bowline::launcher

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
#include <string_view>
#include <system_error>
#include <utility>

#include "launcher/debug/await_debugger.hpp"
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

/// The memory files that a process has open: their paths below /proc, in the order of their descriptors, and names.
std::vector<std::pair<fs::path, std::string>> memory_files_of(pid_t process) {
  constexpr std::string_view mark = "/memfd:", deleted = " (deleted)";
  std::vector<fs::path> files = entries_of(fmt::format("/proc/{}/fd", process));
  std::ranges::sort(files, {}, [](const fs::path& file) { return number_in(file.filename()).value_or(0); });
  std::vector<std::pair<fs::path, std::string>> found;
  for (fs::path& file : files) {
    std::string name = target_of(file);
    if (!name.starts_with(mark)) continue;
    name.erase(0, mark.size());
    if (name.ends_with(deleted)) name.resize(name.size() - deleted.size());
    found.emplace_back(std::move(file), std::move(name));
  }
  return found;
}

bool is_launcher(pid_t process) {
  const std::string program = target_of(fmt::format("/proc/{}/exe", process));
  return fs::path(program).filename().native().starts_with("mpiexec");
}

/// Such a process has the launcher's program and files, but is a rank.
bool waits_for_gdb(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  return std::getline(file, name) && name == waiting_name;
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

void BoardView::read(std::vector<RankView>& ranks, pid_t process) const {
  const std::uint32_t slots = reinterpret_cast<const WaitBoardHeader*>(memory_)->slots;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    WaitSlot::Line line = reinterpret_cast<const WaitSlot*>(memory_ + WaitBoardTicket::offset_of(slot))->read();
    if (process != 0) line.process = process;
    const RankStage stage = stage_of(line);
    const bool stopped = stage == RankStage::initialized && is_stopped(line.process);
    ranks.push_back({.stage = stage, .line = std::move(line), .stopped = stopped});
  }
}

std::vector<RankView> RunningJob::ranks() const {
  std::vector<RankView> ranks;
  for (std::size_t i = 0; i < boards.size(); ++i) boards[i].read(ranks, processes.empty() ? 0 : processes[i]);
  add_places(ranks);
  return ranks;
}

namespace {

/// The jobs of the mpiexec whose boards this process keeps.
void add_jobs_of_keeper(pid_t keeper, pid_t launcher, std::vector<RunningJob>& jobs) {
  for (const auto& [file, name] : memory_files_of(keeper)) {
    if (!name.starts_with("bowline-wait-board")) continue;
    BoardView board(file);
    if (!board.valid()) continue;
    RunningJob& job = jobs.emplace_back(RunningJob{.launcher = launcher, .command = command_of(launcher)});
    std::vector<RankView> ranks;
    board.read(ranks);
    job.size = static_cast<int>(ranks.size());
    for (int rank = 0; rank < job.size; ++rank) job.numbers.push_back(rank);
    job.boards.push_back(std::move(board));
  }
}

/// A rank that another launcher has started.
struct FoundRank {
  RankBoardName name;
  pid_t process;
  BoardView board;
};

void add_ranks_of(pid_t process, std::vector<FoundRank>& ranks) {
  for (const auto& [file, name] : memory_files_of(process)) {
    std::optional<RankBoardName> rank = RankBoardName::parse(name);
    if (!rank) continue;
    BoardView board(file);
    if (board.valid()) ranks.push_back({std::move(*rank), process, std::move(board)});
  }
}

/// Adds the jobs of these ranks, of which one must be among `processes`, unless that is empty.
void add_jobs_of(std::vector<FoundRank> ranks, std::span<const pid_t> processes, std::vector<RunningJob>& jobs) {
  const auto order = [](const FoundRank& rank) {
    return std::pair<std::string_view, int>(rank.name.job, rank.name.rank);
  };
  std::ranges::stable_sort(ranks, {}, order);
  for (std::size_t first = 0, end = 0; first < ranks.size(); first = end) {
    bool wanted = processes.empty();
    for (end = first; end < ranks.size() && ranks[end].name.job == ranks[first].name.job; ++end)
      wanted = wanted || std::ranges::find(processes, ranks[end].process) != processes.end();
    if (!wanted) continue;
    RunningJob& job = jobs.emplace_back(RunningJob{
        .name = ranks[first].name.job, .command = command_of(ranks[first].process), .size = ranks[first].name.ranks});
    for (std::size_t each = first; each < end; ++each) {
      // A process that was forked from a rank has its files, too.
      if (!job.numbers.empty() && job.numbers.back() == ranks[each].name.rank) continue;
      job.numbers.push_back(ranks[each].name.rank);
      job.boards.push_back(std::move(ranks[each].board));
      job.processes.push_back(ranks[each].process);
    }
  }
}

}  // namespace

std::vector<RunningJob> running_jobs(std::span<const pid_t> processes) {
  std::vector<RunningJob> jobs;
  std::vector<FoundRank> ranks;
  for (const fs::path& entry : entries_of("/proc")) {
    const pid_t process = number_in(entry.filename()).value_or(0);
    if (process == 0 || waits_for_gdb(process)) continue;
    if (!is_launcher(process)) {
      add_ranks_of(process, ranks);
      continue;
    }
    const pid_t launcher = launcher_of(process);
    if (processes.empty() || std::ranges::find(processes, launcher) != processes.end())
      add_jobs_of_keeper(process, launcher, jobs);
  }
  std::ranges::stable_sort(jobs, {}, &RunningJob::launcher);
  add_jobs_of(std::move(ranks), processes, jobs);
  return jobs;
}

}  // namespace bowline::launcher

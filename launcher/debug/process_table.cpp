// SPDX-License-Identifier: BSD-3-Clause
// See process_table.hpp.
#include "launcher/debug/process_table.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launcher/debug/mpir.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t failure_bytes = 1024;

/// Debuggers open the file. The name may be that of a file in a directory that is gone.
std::string absolute_program(const App& app, const std::string& program) {
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(std::filesystem::path(app.wdir) / program, error);
  return error ? program : full.lexically_normal().string();
}

}  // namespace

ProcessTable::ProcessTable(const Job& job) : host_(job.host), size_(job.options.ranks()) {
  bytes_ = static_cast<std::size_t>(size_) * sizeof(MPIR_PROCDESC) + failure_bytes;
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw LaunchError("cannot start the job: {}", strerror(errno));
  if (pipe2(news_, O_CLOEXEC | O_NONBLOCK) != 0) {
    const int error = errno;
    munmap(memory_, bytes_);
    throw LaunchError("cannot start the job: {}", strerror(error));
  }
  entries_ = static_cast<MPIR_PROCDESC*>(memory_);
  failure_ = reinterpret_cast<char*>(entries_ + size_);
  for (std::size_t app = 0; app < job.programs.size(); ++app)
    programs_.push_back(absolute_program(job.options.apps[app], job.programs[app]));
  MPIR_PROCDESC* entry = entries_;
  for (std::size_t app = 0; app < programs_.size(); ++app) {
    const MPIR_PROCDESC first{.host_name = host_.data(), .executable_name = programs_[app].data(), .pid = 0};
    entry = std::fill_n(entry, job.options.apps[app].ranks, first);
  }
}

ProcessTable::~ProcessTable() {
  MPIR_proctable_size = 0;
  MPIR_proctable = nullptr;
  MPIR_debug_abort_string = nullptr;
  munmap(memory_, bytes_);
  close(news_[0]);
  close(news_[1]);
}

void ProcessTable::set(int rank, pid_t process) noexcept {
  if (rank < size_) entries_[rank].pid = process;
}

void ProcessTable::tell(News news) noexcept {
  (void)!write(news_[1], &news, sizeof news);
}

void ProcessTable::tell_started() noexcept {
  tell(News::started);
}

void ProcessTable::tell_failure(const std::string& sentence) noexcept {
  failure_[sentence.copy(failure_, failure_bytes - 1)] = '\0';
  tell(News::failed);
}

std::optional<ProcessTable::News> ProcessTable::show_next() {
  News news{};
  if (read(news_[0], &news, sizeof news) != sizeof news) return std::nullopt;
  if (news == News::started) {
    MPIR_proctable = entries_;
    MPIR_proctable_size = size_;
    MPIR_debug_state = MPIR_DEBUG_SPAWNED;
  } else {
    MPIR_debug_abort_string = failure_;
    MPIR_debug_state = MPIR_DEBUG_ABORTING;
  }
  MPIR_Breakpoint();
  return news;
}

pid_t ProcessTable::process_of(int rank) const noexcept {
  return entries_[rank].pid;
}

}  // namespace bowline::launcher

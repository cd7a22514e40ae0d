// SPDX-License-Identifier: BSD-3-Clause
// See rank_failure.hpp.
#include "launcher/job/rank_failure.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>

#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

std::string name_of(int rank, const std::string& host) {
  return fmt::format("rank {} on {}", rank, host);
}

}  // namespace

std::optional<Failure> describe_exit(int rank, const std::string& host, int status, bool initialized) {
  const std::string who = name_of(rank, host);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return Failure{128 + signal, fmt::format("{} was killed by signal {}{}", who, describe_signal(signal),
                                             WCOREDUMP(status) ? ", core dumped" : "")};
  }
  if (const int code = WEXITSTATUS(status); code != 0) {
    return Failure{code,
                   fmt::format("{} exited with status {}{}", who, code, initialized ? " without MPI_Finalize" : "")};
  }
  if (initialized) {
    return Failure{status_not_finalized, who + " exited without MPI_Finalize after it had called MPI_Init"};
  }
  return std::nullopt;
}

Failure describe_leaving(int rank, const std::string& host) {
  return {status_not_finalized, name_of(rank, host) + " exited with status 0"};
}

bool has_crashed(int status) noexcept {
  constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  return WIFSIGNALED(status) && std::ranges::find(crashes, WTERMSIG(status)) != crashes.end();
}

Failure describe_abort(const PmixEvent& event, const std::string& host) {
  // A code whose low byte is zero would look like success.
  const int status = event.code != 0 && (event.code & 0xff) == 0 ? 1 : event.code & 0xff;
  std::string text = event.text;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  // Ranks of Bowline send a whole sentence that begins with their name; other programs send some words, or no words.
  const std::string who = name_of(event.of.rank, host);
  if (text.starts_with(who)) return {status, text};
  return {status, fmt::format("{} called MPI_Abort with code {}{}{}", who, event.code, text.empty() ? "" : ": ", text)};
}

std::string others_ended(int others) {
  if (others <= 0) return "";
  return others == 1 ? "; the other rank is ended" : fmt::format("; the other {} ranks are ended", others);
}

std::string some_ended(int others) {
  if (others <= 0) return "; it alone is ended";
  return fmt::format("; it and {} other {} of its communicator are ended", others, others == 1 ? "rank" : "ranks");
}

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// See pmix_losses.hpp.
#include "launcher/job/pmix_losses.hpp"

#include <fcntl.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "launcher/job/pmix_calls.hpp"
#include "wireup/pmix_structures.hpp"

namespace bowline::launcher {
namespace {

std::mutex mutex;
std::set<RankId>& lost() {
  static std::set<RankId> processes;
  return processes;
}

void on_forgotten(pmix_status_t, void*) {}

/// PMIx counts the process no longer in its collectives. The server must have noticed the end of the connection before,
/// or it would not complete those in progress.
void forget(const pmix_proc_t& process) {
  {
    const std::lock_guard lock(mutex);
    lost().insert({.job = process.nspace, .rank = static_cast<int>(process.rank)});
  }
  pmix_server().deregister_client(&process, on_forgotten, nullptr);
}

/// Called on PMIx's thread. Several losses may come as one event: the further ones are in its attributes.
void on_lost_connection(size_t, pmix_status_t, const pmix_proc_t* source, pmix_info_t info[], size_t infos,
                        pmix_info_t[], size_t, pmix_event_notification_cbfunc_fn_t done, void* context) {
  try {
    forget(*source);
    for (const pmix_info_t& each : std::span(info, info == nullptr ? 0 : infos)) {
      if (std::string_view(each.key) == PMIX_PROCID && each.value.type == PMIX_PROC) forget(*each.value.data.proc);
    }
  } catch (const std::exception&) {  // no memory: a later collective with the process hangs
  }
  if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, context);
}

/// An event that PMIx is told of. It uses the attributes until it calls back.
struct Told {
  pmix_proc_t source;
  pmix_info_t text;
};

void on_told(pmix_status_t, void* context) {
  const std::unique_ptr<Told> told(static_cast<Told*>(context));
  wireup::clear(told->text.value);
}

}  // namespace

PmixExpectsLosses::PmixExpectsLosses() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);  // as long as PMIx, which is until the process ends
  const std::pair<const char*, int> variables[] = {{"PMIX_MCA_pmix_event_caching_window", 0},  // seconds
                                                   {"PMIX_OUTPUT_STDERR_FD", nowhere}};
  for (const auto& [name, value] : variables) {
    if (value < 0 || std::getenv(name) != nullptr) continue;
    setenv(name, std::to_string(value).c_str(), 1);
    set_.push_back(name);
  }
}

PmixExpectsLosses::~PmixExpectsLosses() {
  for (const char* const name : set_) unsetenv(name);
}

void watch_lost_connections() {
  pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
  const pmix_status_t status =
      pmix_server().register_event_handler(&code, 1, nullptr, 0, on_lost_connection, nullptr, nullptr);
  if (status < 0) check_pmix(status, "PMIx_Register_event_handler");
}

pmix_status_t status_of_collective(const pmix_proc_t processes[], std::size_t count) {
  const std::lock_guard lock(mutex);
  for (const pmix_proc_t& each : std::span(processes, count)) {
    const auto is_each = [&](const RankId& process) {
      return process.job == each.nspace &&
             (each.rank == PMIX_RANK_WILDCARD || process.rank == static_cast<int>(each.rank));
    };
    for (const RankId& process : lost()) {
      if (is_each(process)) return PMIX_ERR_LOST_CONNECTION;
    }
  }
  return PMIX_SUCCESS;
}

void forget_losses_of(const std::string& job) {
  const std::lock_guard lock(mutex);
  std::erase_if(lost(), [&](const RankId& process) { return process.job == job; });
}

void tell_loss(const RankId& lost_rank, bool by_signal, const std::string& sentence) noexcept {
  try {
    auto told = std::make_unique<Told>();
    told->source = wireup::pmix_process(lost_rank.job, static_cast<pmix_rank_t>(lost_rank.rank));
    wireup::load(told->text, PMIX_EVENT_TEXT_MESSAGE, sentence.c_str(), PMIX_STRING);
    const pmix_status_t code = by_signal ? PMIX_ERR_PROC_ABORTED_BY_SIG : PMIX_ERR_PROC_TERM_WO_SYNC;
    const pmix_status_t status =
        pmix_server().notify_event(code, &told->source, PMIX_RANGE_GLOBAL, &told->text, 1, on_told, told.get());
    if (status == PMIX_SUCCESS)
      static_cast<void>(told.release());  // on_told() owns it now
    else
      wireup::clear(told->text.value);
  } catch (const std::exception&) {  // no memory
  }
}

}  // namespace bowline::launcher

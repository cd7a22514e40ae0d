// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/report/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/diagnosis/mpi_call.hpp"
#include "base/error.hpp"
#include "base/events/event.hpp"
#include "base/log.hpp"
#include "base/profile/cpu_sampler.hpp"
#include "base/tunable.hpp"
#include "proto/long_wait.hpp"
#include "runtime/report/rank_folder.hpp"

namespace bowline::runtime {
namespace {

TextTunable report(TunableTraits(Category::diagnosis).for_users(), "report", "the name of a folder",
                   "a folder into which each rank writes at its end where its time went, for bowline-report; mpiexec "
                   "--report does all of that by itself");

constexpr std::chrono::milliseconds between_samples{10};
constexpr unsigned samples_per_look_at_memory = 25;

constinit Report* collecting = nullptr;  // for the signal handler

/// Throws Error.
void write_file(const std::string& path, const std::string& text) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "we"), std::fclose);
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0) {
    throw Error(ErrorClass::io, fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
  }
}

}  // namespace

Report::Report() : waits_(sites_) {
  WaitProfile::use(&waits_);
  MessageSizes::count_announced_in(&announced_);
}

Report* Report::make() {
  if (!report.value().empty() && !is_spawned() && collecting == nullptr) collecting = new Report;
  return collecting;
}

void Report::begin(const WhoReports& who) {
  folder_ = folder_for_ranks(report.value(), "BOWLINE_REPORT",
                             fmt::format("rank {} will be missing in the report", who.rank));
  uses_.emplace();
  began_ = event_time();
  memory_.look();
  not_sampled_ = CpuSampler::start(between_samples, &Report::sample);
}

std::unique_ptr<transport::Endpoint> Report::counted(int peer, std::string way,
                                                     std::unique_ptr<transport::Endpoint> endpoint) {
  if (collecting == nullptr) return endpoint;
  return collecting->traffic_.counted(peer, std::move(way), std::move(endpoint));
}

/// A wait measures itself.
void Report::sample(std::uint64_t nanoseconds) noexcept {
  Report& self = *collecting;
  if (self.samples_++ % samples_per_look_at_memory == 0) self.memory_.look();
  if (proto::LongWait::any()) return;
  const MpiCall call = mpi_call_interrupted();
  if (call.returns_to == 0 && std::string_view(call.function) == MpiCall{}.function) return;  // the program computes
  self.sites_.of(call).worked.fetch_add(nanoseconds, std::memory_order_relaxed);
}

/// Another program may read the folder while ranks still write: a record gets its name when it is whole.
void Report::write(const WhoReports& who) noexcept {
  CpuSampler::stop();
  ended_ = event_time();
  WaitProfile::use(nullptr);
  MessageSizes::count_announced_in(nullptr);
  if (uses_.has_value()) uses_->end();
  if (folder_.empty()) return;
  try {
    const std::string path = fmt::format("{}/rank-{}.json", folder_, who.rank), unfinished = path + ".part";
    write_file(unfinished, record_of(*this, who));
    if (std::rename(unfinished.c_str(), path.c_str()) != 0)
      throw Error(ErrorClass::io, fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
  } catch (const std::exception& error) {
    log::warning("rank {} is missing in the report: BOWLINE_REPORT={}: {}", who.rank, folder_, error.what());
  }
}

}  // namespace bowline::runtime

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace bowline::runtime {
namespace {

/// What the bytes begin with. Then come, for each job, its name's length, its number of ranks and its name; then the
/// processes.
struct Lengths {
  std::uint32_t jobs, processes;
};
struct JobHeader {
  std::uint32_t length;
  std::int32_t ranks;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  std::span<const std::byte> take(std::size_t size) {
    if (size > left_.size()) {
      throw Error(ErrorClass::other,
                  "what a process of another job has told of its communicator cannot be read: do "
                  "both jobs run the same version of Bowline?");
    }
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> left_;
};

template <class Value>
void add(std::vector<std::byte>& bytes, std::span<const Value> values) {
  const std::size_t before = bytes.size();
  bytes.resize(before + values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data() + before, values.data(), values.size_bytes());
}

}  // namespace

Roster Roster::of(const comm::Group& group, std::span<const std::uint64_t> nodes, const comm::ProcessTable& table) {
  Roster roster;
  for (int rank = 0; rank < group.size(); ++rank) {
    const ProcessId id = table[group.process(rank)];
    int job = roster.job_named(id.job);
    if (job < 0) {
      job = static_cast<int>(roster.jobs.size());
      roster.jobs.push_back({std::string(id.job), table.ranks_of(id.job)});
    }
    roster.processes.push_back({job, id.rank, nodes[static_cast<std::size_t>(rank)]});
  }
  return roster;
}

int Roster::job_named(std::string_view name) const noexcept {
  const auto found = std::ranges::find(jobs, name, &Job::name);
  return found == jobs.end() ? -1 : static_cast<int>(found - jobs.begin());
}

Side Roster::side(int job) const {
  const Job& described = jobs[static_cast<std::size_t>(job)];
  Side side{.job = described.name, .ranks = described.ranks, .members = {}};
  for (const Process& each : processes) {
    if (each.job == job) side.members.push_back({each.rank, each.node});
  }
  std::ranges::sort(side.members, {}, &Member::rank);
  return side;
}

std::vector<int> Roster::indices(const comm::ProcessTable& table) const {
  std::vector<int> all;
  for (const Process& each : processes) {
    const std::string& job = jobs[static_cast<std::size_t>(each.job)].name;
    const auto index = table.index_of({job, each.rank});
    if (!index) {
      throw Error(ErrorClass::comm,
                  fmt::format("this process is not connected to rank {} of job {}: join the jobs with "
                              "MPI_Comm_connect and MPI_Comm_accept",
                              each.rank, job));
    }
    all.push_back(*index);
  }
  return all;
}

std::vector<std::byte> Roster::bytes() const {
  std::vector<std::byte> all;
  const Lengths lengths{static_cast<std::uint32_t>(jobs.size()), static_cast<std::uint32_t>(processes.size())};
  add<Lengths>(all, {&lengths, 1});
  for (const Job& each : jobs) {
    const JobHeader header{static_cast<std::uint32_t>(each.name.size()), each.ranks};
    add<JobHeader>(all, {&header, 1});
    add<char>(all, each.name);
  }
  add<Process>(all, processes);
  return all;
}

Roster Roster::read(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Roster roster;
  const auto lengths = reader.take<Lengths>();
  for (std::uint32_t job = 0; job < lengths.jobs; ++job) {
    const auto header = reader.take<JobHeader>();
    const auto name = reader.take(header.length);
    roster.jobs.push_back({std::string(reinterpret_cast<const char*>(name.data()), name.size()), header.ranks});
  }
  for (std::uint32_t i = 0; i < lengths.processes; ++i) {
    roster.processes.push_back(reader.take<Process>());
    const std::int32_t job = roster.processes.back().job;
    if (job < 0 || job >= static_cast<std::int32_t>(lengths.jobs)) reader.take(bytes.size() + 1);
  }
  return roster;
}

}  // namespace bowline::runtime

// SPDX-License-Identifier: BSD-3-Clause
// A rank of one of two jobs that are joined by hand, through files of a folder: joined FOLDER A|B together|parts
//
// Each process exchanges messages with each of the other job, short and long ones, and job A sleeps meanwhile. Then
// both jobs end `together`, job A later than job B; or the jobs part, job B leaves, and job A goes on without it.
// An argument `elsewhere` behind these makes the processes take the other job's node for another one.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/lock.hpp"
#include "comm/index_space.hpp"
#include "dtype/predefined.hpp"
#include "proto/context.hpp"
#include "proto/engine.hpp"
#include "runtime/jobs/jobs.hpp"
#include "runtime/process_parts.hpp"
#include "runtime/runtime.hpp"

namespace {

using namespace bowline;
using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t connection = 11;
constexpr std::uint32_t context = proto::make_context(1000, 0, proto::Purpose::point_to_point);
constexpr std::chrono::seconds patience{30};
constexpr std::chrono::milliseconds late{300};  // much longer than a process waits before it sleeps

// ---- the folder

std::filesystem::path folder;

void write(const std::string& name, const Bytes& bytes) {
  const auto unfinished =
      folder / (name + "." + std::to_string(runtime::this_process().wireup().identity().rank) + "~");
  std::ofstream(unfinished, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  std::filesystem::rename(unfinished, folder / name);
}

void await(const std::string& name) {
  const auto deadline = Clock::now() + patience;
  while (!std::filesystem::exists(folder / name)) {
    if (Clock::now() > deadline) throw std::runtime_error("nobody writes " + name);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Bytes read(const std::string& name) {
  await(name);
  std::ifstream file(folder / name, std::ios::binary);
  Bytes bytes(std::filesystem::file_size(folder / name));
  file.read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes));
  return bytes;
}

std::string name_of(char job, int rank, const char* what) {
  return fmt::format("{}.{}.{}", job, rank, what);
}

// ---- joining

struct Told {
  runtime::Member member;
  int ranks;
  char job[256];
};

void tell(char own, std::uint64_t node) {
  const wireup::Identity& identity = runtime::this_process().wireup().identity();
  Told told{{identity.rank, node}, identity.size, {}};
  std::strncpy(told.job, identity.job.c_str(), sizeof told.job - 1);
  Bytes bytes(sizeof told);
  std::memcpy(bytes.data(), &told, sizeof told);
  write(name_of(own, identity.rank, "member"), bytes);
}

runtime::Side side_of(char job) {
  runtime::Side side;
  for (int rank = 0, ranks = 1; rank < ranks; ++rank) {
    Told told;
    std::memcpy(&told, read(name_of(job, rank, "member")).data(), sizeof told);
    side.job = told.job;
    side.ranks = ranks = told.ranks;
    side.members.push_back(told.member);
  }
  return side;
}

/// Joins the jobs and returns the process indices of the other one.
std::vector<int> join(char own, char other, bool elsewhere) {
  runtime::Runtime& mpi = runtime::this_process();
  const int rank = mpi.wireup().identity().rank;
  tell(own, elsewhere ? static_cast<std::uint64_t>(own) : mpi.jobs().self().node);
  const runtime::Side mine = side_of(own), theirs = side_of(other);
  write(name_of(own, rank, "contact"), mpi.jobs().prepare(connection, mine, theirs).bytes());
  std::vector<runtime::Contact> contacts;
  std::vector<int> processes;
  for (const runtime::Member& each : theirs.members) {
    contacts.push_back(runtime::Contact::read(read(name_of(other, each.rank, "contact"))));
    processes.push_back(mpi.processes().index_of({theirs.job, each.rank}).value());
  }
  mpi.jobs().connect(connection, contacts);
  return processes;
}

// ---- messages

Bytes pattern(std::size_t bytes, int seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>(i * 7 + i / 253 + static_cast<std::size_t>(seed));
  return data;
}

constexpr int within = 5, between = 6;  // tags: of messages within a job, and between the two

/// Sends to each of these processes and receives from each; messages are told apart by the senders' ranks and the tag.
void exchange(const std::vector<int>& processes, const std::vector<int>& ranks, std::size_t bytes, int tag = within) {
  proto::Engine& engine = runtime::this_process().lanes()[0];
  const LockGuard hold(engine.lock());
  const int own = runtime::this_process().wireup().identity().rank;
  std::vector<Bytes> heard(processes.size(), Bytes(bytes));
  std::vector<proto::Request*> requests;
  Bytes said = pattern(bytes, own);
  for (std::size_t i = 0; i < processes.size(); ++i)
    requests.push_back(&engine.ireceive({context, ranks[i], tag}, {heard[i].data(), bytes, &dtype::byte_type()}));
  for (const int process : processes) {
    requests.push_back(&engine.isend(process, {.context = context, .source = own, .tag = tag},
                                     {said.data(), bytes, &dtype::byte_type()}));
  }
  for (proto::Request* const request : requests) {
    engine.wait(*request);
    if (request->failure != nullptr) throw Error(*request->failure);
    engine.release(*request);
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (heard[i] != pattern(bytes, ranks[i]))
      throw std::runtime_error(fmt::format("rank {} sent other bytes", ranks[i]));
  }
}

std::vector<int> numbers(std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i);
  return all;
}

void run(char own, const std::string& ending, bool elsewhere) {
  runtime::Runtime& mpi = runtime::this_process();
  mpi.init(0);
  const int rank = mpi.wireup().identity().rank, size = mpi.job_size();
  const std::vector<int> mine = numbers(static_cast<std::size_t>(size));
  exchange(mine, mine, 1000);  // before the other job is known
  const std::vector<int> others = join(own, own == 'A' ? 'B' : 'A', elsewhere);
  const std::vector<int> ranks = numbers(others.size());
  if (own == 'B') std::this_thread::sleep_for(late);
  for (const std::size_t bytes : {8, 3000, 300'000}) exchange(others, ranks, bytes, between);
  exchange(mine, mine, 300'000);
  if (ending == "parts") {
    mpi.jobs().disconnect(connection);
    if (own == 'A') {
      for (const int each : ranks) await(name_of('B', each, "end"));
      exchange(mine, mine, 300'000);
    }
  } else if (own == 'A') {
    std::this_thread::sleep_for(late);
    exchange(mine, mine, 1000);
  }
  mpi.finalize();
  write(name_of(own, rank, "end"), {});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw std::invalid_argument("joined FOLDER A|B together|parts [elsewhere]");
    folder = argv[1];
    run(argv[2][0], argv[3], argc > 4);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "joined: %s\n", error.what());
    std::_Exit(1);
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// Processes start others: spawn [alone|parted], as its own parent and child. A child finds what it is to do in its
// arguments. The program asks for MPI_THREAD_MULTIPLE.
//
//   alone    there is no launcher, whose words would be in the sentences of errors
//   parted   only: children that have parted fail, which harms nobody
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "errors_and_hints.hpp"
#include "spawning.hpp"
#include "two_jobs.hpp"

namespace {

using spawning::Arguments;
using spawning::program_name;
using spawning::spawn;

// ---- what parents do

void families_use_everything() {
  for (const int processes : {1, 2, 3}) {
    MPI_Comm children = spawn(MPI_COMM_WORLD, check::size - 1, processes, {"use"});
    CHECK_EQ(two_jobs::remote_size_of(children), processes);
    two_jobs::use_all(children, false, "");
    CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
  }
}

/// Each rank has children of its own, at the same time as the others.
void each_rank_spawns() {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm children = spawn(MPI_COMM_SELF, 0, 1 + check::rank % 2, {"use"});
    two_jobs::use_all(children, false, "");
    CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
  }
}

void threads_spawn() {
  std::vector<std::thread> threads;
  std::vector<MPI_Comm> made(3, MPI_COMM_NULL);
  for (MPI_Comm& children : made) {
    threads.emplace_back([&children] {
      Arguments words{"greet"};
      MPI_Comm_spawn(program_name.c_str(), words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
      int greeting = 0;
      MPI_Recv(&greeting, 1, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE);
      if (greeting == 4711) MPI_Comm_disconnect(&children);
    });
  }
  for (std::thread& each : threads) each.join();
  for (const MPI_Comm each : made) CHECK_EQ(each, MPI_COMM_NULL);
}

/// Children of a communicator of parents and children meet both, and leave before them.
void generations_meet() {
  MPI_Comm children = spawn(MPI_COMM_WORLD, 0, 2, {"second"}), both = MPI_COMM_NULL;
  CHECK_EQ(MPI_Intercomm_merge(children, 0, &both), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
  MPI_Comm third = spawn(both, 0, 2, {"use"});
  two_jobs::use_all(third, false, "");
  CHECK_EQ(MPI_Comm_disconnect(&third), MPI_SUCCESS);
  two_jobs::use_collectives(both);
  CHECK_EQ(MPI_Comm_disconnect(&both), MPI_SUCCESS);
}

/// Only the first rank knows the children; all others meet them through it.
void all_meet_the_children_of_one() {
  MPI_Comm children = MPI_COMM_NULL, all = MPI_COMM_NULL;
  if (check::rank == 0) children = spawn(MPI_COMM_SELF, 0, 2, {"through"});
  CHECK_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 0, children, 0, 12, &all), MPI_SUCCESS);
  two_jobs::use_all(all, false, "");
  CHECK_EQ(MPI_Comm_disconnect(&all), MPI_SUCCESS);
  if (check::rank == 0) CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
}

/// Fails at all members, with this class, and codes for each process; nothing else happens.
void check_failure(const std::string& command, int processes, MPI_Info info, int error_class, const char* words) {
  MPI_Comm children = MPI_COMM_SELF;
  std::vector<int> codes(static_cast<std::size_t>(std::max(processes, 1)), -1);
  const int code =
      MPI_Comm_spawn(command.c_str(), MPI_ARGV_NULL, processes, info, 0, MPI_COMM_WORLD, &children, codes.data());
  CHECK_EQ(class_of(code), error_class);
  if (text_of(code).find(words) == std::string::npos) CHECK_EQ(text_of(code), words);
  CHECK_EQ(children, MPI_COMM_NULL);
  if (error_class == MPI_ERR_SPAWN) CHECK_EQ(std::ranges::count(codes, MPI_ERR_SPAWN), std::ssize(codes));
}

/// `launched`: by mpiexec, whose words reach the sentence; otherwise they are on standard error.
void failures_are_told(bool launched) {
  check_failure("/no/such/program", 2, MPI_INFO_NULL, MPI_ERR_SPAWN, launched ? "/no/such/program" : "have ended");
  check_failure("", 1, MPI_INFO_NULL, MPI_ERR_ARG, "the command is empty");
  check_failure(program_name, -1, MPI_INFO_NULL, MPI_ERR_ARG, "maxprocs is -1");
  check_failure(program_name, 1, Hints({{"soft", "many"}}), MPI_ERR_INFO_VALUE, "the info key soft is \"many\"");
  check_failure(program_name, 1, Hints({{"file", "/no/such/file"}}), MPI_ERR_INFO_VALUE, "/no/such/file");
  if (launched) check_failure(program_name, 1, Hints({{"wdir", "/no/such/place"}}), MPI_ERR_SPAWN, "/no/such/place");
  check_failure("/bin/true", 1, MPI_INFO_NULL, MPI_ERR_SPAWN, "before they called MPI_Init");
}

void hints_reach_the_children() {
  const std::string here = std::filesystem::temp_directory_path();
  const Hints hints({{"wdir", here}, {"env", "SPAWN_TEST=a b\nPMIX_RANK=77"}, {"arch", "any"}, {"unknown", "x"}});
  MPI_Comm children = spawn(MPI_COMM_SELF, 0, 1, {"surroundings"}, hints);
  std::array<char, 4096> text{};
  MPI_Recv(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 0, children, MPI_STATUS_IGNORE);
  CHECK_EQ(std::string(text.data()), std::filesystem::canonical(here).string() + "|a b");
  CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
}

void soft_allows_fewer() {
  MPI_Comm children = MPI_COMM_NULL;
  std::array<int, 3> codes{-1, -1, -1};
  Arguments words{"use"};
  CHECK_EQ(
      MPI_Comm_spawn(program_name.c_str(), words, 3, Hints({{"soft", "2"}}), 0, MPI_COMM_SELF, &children, codes.data()),
      MPI_SUCCESS);
  CHECK_EQ(two_jobs::remote_size_of(children), 2);
  CHECK_EQ(std::ranges::count(codes, MPI_SUCCESS), 2);
  two_jobs::use_all(children, false, "");
  CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

/// Nothing stays open of children that have left.
void nothing_is_left() {
  std::size_t before = 0;
  for (int round = 0; round < 12; ++round) {
    if (round == 4) before = open_descriptors();
    MPI_Comm children = spawn(MPI_COMM_SELF, 0, 1, {"leave"});
    CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
  }
  CHECK(open_descriptors() <= before + 1);
}

/// A child that has parted may fail.
void parted_children_harm_nobody() {
  for (const char* const how : {"abort", "fail"}) {
    MPI_Comm children = spawn(MPI_COMM_SELF, 0, 1, {"part", how});
    CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
  }
}

// ---- what children do

int be_child(MPI_Comm parent, int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  MPI_Comm_get_name(parent, name.data(), &length);
  CHECK_EQ(std::string(name.data()), "MPI_COMM_PARENT");
  CHECK(std::getenv("BOWLINE_PARENT_PORT") == nullptr);
  if (task == "use") {
    two_jobs::use_all(parent, true, "");
  } else if (task == "greet") {
    const int greeting = 4711;
    MPI_Send(&greeting, 1, MPI_INT, 0, 0, parent);
  } else if (task == "through") {
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Intercomm_create(MPI_COMM_WORLD, 0, parent, 0, 12, &all);
    two_jobs::use_all(all, true, "");
    MPI_Comm_disconnect(&all);
  } else if (task == "second") {
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Intercomm_merge(parent, 1, &both);
    MPI_Comm_disconnect(&parent);
    MPI_Comm third = spawn(both, 0, 2, {"use"});
    two_jobs::use_all(third, false, "");
    MPI_Comm_disconnect(&third);
    two_jobs::use_collectives(both);
    MPI_Comm_disconnect(&both);
  } else if (task == "surroundings") {
    const char* const variable = std::getenv("SPAWN_TEST");
    const std::string text = std::filesystem::current_path().string() + "|" + (variable == nullptr ? "" : variable);
    MPI_Send(text.c_str(), static_cast<int>(text.size()) + 1, MPI_CHAR, 0, 0, parent);
  }
  if (parent != MPI_COMM_NULL) CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
  MPI_Comm none = MPI_COMM_SELF;
  MPI_Comm_get_parent(&none);
  CHECK_EQ(none, MPI_COMM_NULL);
  if (task == "part" && std::string(argv[2]) == "abort") MPI_Abort(MPI_COMM_WORLD, 9);
  if (task == "part") _exit(7);
  return spawning::finish_child();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  program_name = std::filesystem::canonical("/proc/self/exe");
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return be_child(parent, argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const std::string section = argc > 1 ? argv[1] : "";
  if (section == "parted") {
    parted_children_harm_nobody();
    return program.finish();
  }
  families_use_everything();
  each_rank_spawns();
  threads_spawn();
  generations_meet();
  all_meet_the_children_of_one();
  failures_are_told(section != "alone");
  hints_reach_the_children();
  soft_allows_fewer();
  nothing_is_left();
  return program.finish();
}

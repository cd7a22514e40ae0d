// SPDX-License-Identifier: BSD-3-Clause
// What children and parents know of each other, and whether children go on without parents: offspring [alone|outlived],
// as its own parent and child. A child finds what it is to do in its arguments.
//
//   alone    there is no launcher
//   outlived FOLDER [parted]   only: a child goes on when this process has died. The child writes its process number
//            into a file "child" while the parent lives, waits for a file "go", and ends with a file "done"
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "errors_and_hints.hpp"
#include "spawning.hpp"
#include "two_jobs.hpp"

namespace {

using spawning::Arguments;
using spawning::program_name;
using spawning::spawn;

constexpr const char* parent_set = "mpi://PARENT";

// ---- process sets

/// A session whose errors are returned.
class Session {
 public:
  Session() { CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_), MPI_SUCCESS); }
  ~Session() { CHECK_EQ(MPI_Session_finalize(&session_), MPI_SUCCESS); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool lists(const std::string& name) const {
    int sets = 0;
    MPI_Session_get_num_psets(session_, MPI_INFO_NULL, &sets);
    for (int set = 0; set < sets; ++set) {
      std::array<char, MPI_MAX_PSET_NAME_LEN> text{};
      int length = static_cast<int>(text.size());
      CHECK_EQ(MPI_Session_get_nth_pset(session_, MPI_INFO_NULL, set, &length, text.data()), MPI_SUCCESS);
      if (name == text.data()) return true;
    }
    return false;
  }
  std::string size_of(const char* name) const {
    MPI_Info info = MPI_INFO_NULL;
    if (MPI_Session_get_pset_info(session_, name, &info) != MPI_SUCCESS) return "";
    std::array<char, 16> text{};
    int length = static_cast<int>(text.size()), found = 0;
    MPI_Info_get_string(info, "mpi_size", &length, text.data(), &found);
    MPI_Info_free(&info);
    return text.data();
  }
  int group(const char* name, MPI_Group* group) const { return MPI_Group_from_session_pset(session_, name, group); }

 private:
  MPI_Session session_ = MPI_SESSION_NULL;
};

/// A process that was not spawned, or has parted from its parents, has no such set.
void knows_no_parents() {
  const Session session;
  MPI_Group group = MPI_GROUP_NULL;
  CHECK(!session.lists(parent_set));
  CHECK_EQ(class_of(session.group(parent_set, &group)), MPI_ERR_ARG);
  CHECK_EQ(session.size_of(parent_set), "");
}

/// A communicator of all members of the group, which all call this.
void use_together(MPI_Group group) {
  MPI_Comm all = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_create_from_group(group, "family", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all), MPI_SUCCESS);
  two_jobs::use_collectives(all);
  CHECK_EQ(MPI_Comm_disconnect(&all), MPI_SUCCESS);
}

/// The same group as the parents make of the communicator's sides, from process sets.
void meet_parents_by_sets(MPI_Comm parent) {
  const Session session;
  CHECK(session.lists(parent_set));
  CHECK_EQ(session.size_of("MPI://parent"), std::to_string(two_jobs::remote_size_of(parent)));
  MPI_Group parents = MPI_GROUP_NULL, remote = MPI_GROUP_NULL, own = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  CHECK_EQ(session.group(parent_set, &parents), MPI_SUCCESS);
  MPI_Comm_remote_group(parent, &remote);
  int likeness = MPI_UNEQUAL;
  MPI_Group_compare(parents, remote, &likeness);
  CHECK_EQ(likeness, MPI_IDENT);
  CHECK_EQ(session.group("mpi://WORLD", &own), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_union(parents, own, &all), MPI_SUCCESS);
  use_together(all);
  for (MPI_Group* each : {&parents, &remote, &own, &all}) MPI_Group_free(each);
}

void children_name_their_parents() {
  knows_no_parents();
  MPI_Comm children = spawn(MPI_COMM_WORLD, 0, 2, {"sets"});
  MPI_Group own = MPI_GROUP_NULL, remote = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  MPI_Comm_group(children, &own);
  MPI_Comm_remote_group(children, &remote);
  MPI_Group_union(own, remote, &all);
  use_together(all);
  for (MPI_Group* each : {&own, &remote, &all}) MPI_Group_free(each);
  CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
}

// ---- several programs

void several_programs_start_together() {
  std::array<char*, 4> commands;
  commands.fill(program_name.data());
  Arguments first{"tell", "one"}, second{"tell", ":", "two words", ""}, third{"tell", "nobody"}, fourth{"tell"};
  std::array<char**, 4> arguments{first, second, third, fourth};
  const std::array<int, 4> processes{1, 2, 0, 1};
  const std::array<MPI_Info, 4> hints{MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
  std::array<int, 4> codes{-1, -1, -1, -1};
  MPI_Comm children = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_spawn_multiple(4, commands.data(), arguments.data(), processes.data(), hints.data(), 0,
                                   MPI_COMM_SELF, &children, codes.data()),
           MPI_SUCCESS);
  CHECK_EQ(std::ranges::count(codes, MPI_SUCCESS), 4);
  // Each tells its number of arguments, the length of its last one, and the number of its program: one without
  // processes has a number, too.
  const int expected[4][3] = {{3, 3, 0}, {5, 0, 1}, {5, 0, 1}, {2, 4, 3}};
  for (int rank = 0; rank < 4; ++rank) {
    int told[3];
    MPI_Recv(told, 3, MPI_INT, rank, 0, children, MPI_STATUS_IGNORE);
    CHECK(std::equal(told, told + 3, expected[rank]));
  }
  CHECK_EQ(MPI_Comm_disconnect(&children), MPI_SUCCESS);
}

/// A program whose name looks like an option.
void a_name_begins_with_a_dash() {
  const std::string folder = std::filesystem::temp_directory_path() / ("offspring." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink(program_name, folder + "/-child");
  Arguments words{"tell"};
  MPI_Comm child = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_spawn("-child", words, 1, Hints({{"path", folder}}), 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE),
           MPI_SUCCESS);
  int told[3];
  MPI_Recv(told, 3, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
  CHECK_EQ(told[2], 0);
  CHECK_EQ(MPI_Comm_disconnect(&child), MPI_SUCCESS);
  std::filesystem::remove_all(folder);
}

// ---- children that outlive their parents

/// The parent's end; without its MPI_Finalize.
[[noreturn]] void be_outlived(char* folder, bool parted) {
  MPI_Comm children = spawn(MPI_COMM_SELF, 0, 1, {"outlive", folder, parted ? "parted" : "connected"},
                            Hints({{"bowline_outlive", "true"}}));
  MPI_Barrier(children);
  if (parted) MPI_Comm_disconnect(&children);
  _exit(3);
}

void outlive(const std::filesystem::path& folder) {
  for (int round = 0; round < 6000 && !std::filesystem::exists(folder / "go"); ++round) usleep(10000);
  std::ofstream(folder / "done");
}

// ---- what children do

int be_child(MPI_Comm parent, int argc, char** argv) {
  const std::string task = argv[1];
  if (task == "sets") {
    meet_parents_by_sets(parent);
  } else if (task == "tell") {
    int* number = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    const int told[3] = {argc, static_cast<int>(std::strlen(argv[argc - 1])), found != 0 ? *number : -1};
    MPI_Send(told, 3, MPI_INT, 0, 0, parent);
  } else if (task == "outlive") {
    // Before the barrier: the test reads the file as soon as the parent has ended.
    std::ofstream(std::filesystem::path(argv[2]) / "child") << getpid() << std::endl;
    MPI_Barrier(parent);
    if (std::string(argv[3]) == "connected") {
      outlive(argv[2]);
      _exit(0);  // nobody answers any more
    }
  }
  CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
  knows_no_parents();
  if (task == "outlive") outlive(argv[2]);
  return spawning::finish_child();
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  program_name = std::filesystem::canonical("/proc/self/exe");
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return be_child(parent, argc, argv);
  const std::string section = argc > 1 ? argv[1] : "";
  if (section == "outlived") be_outlived(argv[2], argc > 3);
  children_name_their_parents();
  several_programs_start_together();
  if (section == "alone") a_name_begins_with_a_dash();
  return program.finish();
}

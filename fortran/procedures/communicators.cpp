// SPDX-License-Identifier: BSD-3-Clause
// Procedures that make communicators and need more than a conversion of each argument: MPI_Comm_spawn, whose arguments
// are arrays of strings, and MPI_Comm_idup and MPIX_Comm_ishrink, whose results are stored after they have returned.
#include <string>
#include <string_view>
#include <vector>

#include "procedures/arrays.hpp"
#include "procedures/texts.hpp"
#include "written.hpp"

namespace bowline::fortran {
namespace {

/// Arrays of C strings.
class Arguments {
 public:
  void add(std::string_view text) { texts_.emplace_back(text); }
  /// Ends with a null pointer.
  char** get() {
    pointers_.clear();
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// The arguments that begin at `first`, `step` characters apart, up to a blank one.
Arguments arguments_at(const char* first, std::size_t length, std::size_t step) {
  Arguments made;
  for (const char* next = first;; next += step) {
    const std::string_view text = without_ends({next, length});
    if (text.empty()) return made;
    made.add(text);
  }
}

/// Whether this process is the root, where the arguments that say what to start are significant.
bool is_root(const MPI_Fint* comm, const int* root) {
  if (members_of(comm, PrivateInterface::Members::peers) == 0) return false;
  int rank = -1;
  PMPI_Comm_rank(handle<MPI_Comm>(comm), &rank);
  return rank == *root;
}

int* errcodes(int* given) noexcept {
  return sentinel::is_errcodes_ignore(given) ? MPI_ERRCODES_IGNORE : given;
}

void deliver(void* target, MPI_Comm made) {
  *static_cast<MPI_Fint*>(target) = number_of(made);
}

int duplicate(const MPI_Fint* comm, MPI_Info info, const char* function, MPI_Fint* newcomm, MPI_Fint* request) {
  *newcomm = number_of(MPI_COMM_NULL);
  return interface().duplicate_communicator(handle<MPI_Comm>(comm), info, function, deliver, newcomm,
                                            ResultHandle<MPI_Request>(request));
}

}  // namespace

namespace written {

int comm_idup(const MPI_Fint* comm, MPI_Fint* newcomm, MPI_Fint* request) {
  return duplicate(comm, MPI_INFO_NULL, "MPI_Comm_idup", newcomm, request);
}

int comm_idup_with_info(const MPI_Fint* comm, const MPI_Fint* info, MPI_Fint* newcomm, MPI_Fint* request) {
  return duplicate(comm, handle<MPI_Info>(info), "MPI_Comm_idup_with_info", newcomm, request);
}

int comm_ishrink(const MPI_Fint* comm, MPI_Fint* newcomm, MPI_Fint* request) {
  *newcomm = number_of(MPI_COMM_NULL);
  return interface().shrink_communicator(handle<MPI_Comm>(comm), deliver, newcomm, ResultHandle<MPI_Request>(request));
}

int comm_spawn(decltype(PMPI_Comm_spawn)* callee, const char* command, const char* argv, const int* maxprocs,
               const MPI_Fint* info, const int* root, const MPI_Fint* comm, MPI_Fint* intercomm, int* array_of_errcodes,
               std::size_t command_length, std::size_t argv_length) {
  ResultHandle<MPI_Comm> made(intercomm);
  if (!is_root(comm, root)) {
    return callee(nullptr, MPI_ARGV_NULL, 0, MPI_INFO_NULL, *root, handle<MPI_Comm>(comm), made,
                  errcodes(array_of_errcodes));
  }
  Arguments arguments;
  char** given = MPI_ARGV_NULL;
  if (!sentinel::is_argv_null(argv)) {
    arguments = arguments_at(argv, argv_length, argv_length);
    given = arguments.get();
  }
  return callee(StrippedText(command, command_length), given, *maxprocs, handle<MPI_Info>(info), *root,
                handle<MPI_Comm>(comm), made, errcodes(array_of_errcodes));
}

int comm_spawn_multiple(decltype(PMPI_Comm_spawn_multiple)* callee, const int* count, const char* array_of_commands,
                        const char* array_of_argv, const int* array_of_maxprocs, const MPI_Fint* array_of_info,
                        const int* root, const MPI_Fint* comm, MPI_Fint* intercomm, int* array_of_errcodes,
                        std::size_t array_of_commands_length, std::size_t array_of_argv_length) {
  ResultHandle<MPI_Comm> made(intercomm);
  if (!is_root(comm, root)) {
    return callee(0, nullptr, MPI_ARGVS_NULL, nullptr, nullptr, *root, handle<MPI_Comm>(comm), made,
                  errcodes(array_of_errcodes));
  }
  const std::size_t commands = length_of(count);
  const bool has_arguments = !sentinel::is_argvs_null(array_of_argv);
  Arguments names;
  std::vector<Arguments> arguments(commands);
  std::vector<char**> lists(commands);
  for (std::size_t i = 0; i < commands; ++i) {
    names.add(without_ends({array_of_commands + i * array_of_commands_length, array_of_commands_length}));
    if (!has_arguments) continue;
    arguments[i] =
        arguments_at(array_of_argv + i * array_of_argv_length, array_of_argv_length, commands * array_of_argv_length);
    lists[i] = arguments[i].get();
  }
  return callee(*count, names.get(), has_arguments ? lists.data() : MPI_ARGVS_NULL, array_of_maxprocs,
                Handles<MPI_Info>(array_of_info, commands), *root, handle<MPI_Comm>(comm), made,
                errcodes(array_of_errcodes));
}

}  // namespace written
}  // namespace bowline::fortran

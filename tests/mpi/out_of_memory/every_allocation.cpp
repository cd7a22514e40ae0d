// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a program when a request for memory fails, for one request after the other.
//
//   every_allocation CHAPTER each [STEP]              one rank: repeats the chapter and lets request 0, STEP, 2 STEP
//   ...
//                                                     fail; each call that fails returns an error for that, and the
//                                                     chapter works as soon as there is memory
//   every_allocation CHAPTER one|all RANK N           request N of that rank fails, or that and all later ones, while
//                                                     the chapter runs; a call that fails aborts the job
//   every_allocation CHAPTER init-one|init-all RANK N the same from before MPI_Init to after MPI_Finalize
//
// The exit status is 0 if all went well, 3 for an error that tells of memory, and something else for what is wrong.
// After the last request, the program says "no request N".
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "chapter.hpp"
#include "failing_allocations.hpp"

namespace {

using chapter::Chapter;

constexpr int exit_refused = 3, exit_wrong = 4;

const Chapter* const chapters[] = {&chapter::messages,      &chapter::reductions, &chapter::types,
                                   &chapter::communicators, &chapter::topologies, &chapter::attributes,
                                   &chapter::windows,       &chapter::files,      &chapter::sessions};

// Whether the error may tell that there is no memory. A member of a collective call that fails elsewhere gets
// MPI_ERR_OTHER, and of several requests one has the error.
bool is_allowed(int error) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(error, &error_class);
  return error_class == MPI_ERR_NO_MEM || error_class == MPI_ERR_OTHER || error_class == MPI_ERR_IN_STATUS;
}

// Runs a chapter. Returns 0, exit_refused or exit_wrong.
int outcome(const Chapter& what, const char*& words, int& error) {
  error = MPI_SUCCESS;
  try {
    what.run();
    return 0;
  } catch (const chapter::Refused& refused) {
    error = refused.error;
    words = "refused";
    return is_allowed(error) ? exit_refused : exit_wrong;
  } catch (const chapter::Wrong& wrong) {
    words = wrong.what;
    return exit_wrong;
  }
}

void tell(long number, const char* words, int error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (error != MPI_SUCCESS) MPI_Error_string(error, text, &length);
  std::fprintf(stderr, "rank %d, request %ld: %s (%d) %s\n", chapter::rank, number, words, error, text);
}

int each(const Chapter& what, long step) {
  const char* words = "";
  int error = MPI_SUCCESS, wrong = 0;
  long refused = 0, number = 0;
  for (bool failed = true; failed; number += step) {
    failing::start(number, false);
    const int result = outcome(what, words, error);
    failed = failing::stop();
    refused += result == exit_refused;
    if (result == exit_wrong || (result != 0 && !failed)) {
      tell(number, words, error);
      ++wrong;
    }
    if (outcome(what, words, error) != 0) {
      tell(number, "does not work any more when there is memory again:", error);
      return exit_wrong;
    }
  }
  if (refused == 0) std::fprintf(stderr, "nothing has failed: the test tests nothing\n");
  std::printf("%.*s: %ld requests, %ld errors\n", static_cast<int>(what.name.size()), what.name.data(), number,
              refused);
  return wrong == 0 && refused > 0 ? 0 : exit_wrong;
}

void return_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &chapter::rank);
  MPI_Comm_size(MPI_COMM_WORLD, &chapter::size);
}

[[noreturn]] void give_up(int status) {
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

}  // namespace

void chapter::end_job(int error) {
  failing::stop();
  tell(failing::requests(), "refused", error);
  give_up(is_allowed(error) ? exit_refused : exit_wrong);
}

namespace {

// The launcher tells it before MPI_Init.
int rank_of_launcher() {
  const char* const text = std::getenv("PMIX_RANK");
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "arguments: CHAPTER each [STEP], or CHAPTER HOW RANK N\n"), exit_wrong;
  const Chapter* what = nullptr;
  for (const Chapter* each : chapters) {
    if (each->name == argv[1]) what = each;
  }
  if (what == nullptr) return std::fprintf(stderr, "there is no chapter %s\n", argv[1]), exit_wrong;
  const bool repeats = std::strcmp(argv[2], "each") == 0;
  const bool from_start = std::strncmp(argv[2], "init-", 5) == 0;
  const bool all = std::strstr(argv[2], "all") != nullptr;
  const long number = argc > 4 ? std::atol(argv[4]) : 0;
  const bool mine = !repeats && argc > 4 && std::atoi(argv[3]) == rank_of_launcher();
  if (from_start && mine) failing::start(number, all);
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return exit_wrong;
  return_errors();
  int status = 0;
  if (repeats) {
    const char* words = "";
    int error = MPI_SUCCESS;
    if (outcome(*what, words, error) != 0) return tell(-1, words, error), exit_wrong;
    status = each(*what, argc > 3 ? std::atol(argv[3]) : 1);
  } else {
    if (!from_start && mine) failing::start(number, all);
    const char* words = "";
    int error = MPI_SUCCESS;
    status = outcome(*what, words, error);
    if (!from_start) failing::stop();
    if (status != 0) {
      tell(number, words, error);
      give_up(status);
    }
  }
  MPI_Finalize();
  const bool reached = failing::stop();
  if (mine && !reached) std::printf("no request %ld\n", number);
  return status;
}

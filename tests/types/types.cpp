// SPDX-License-Identifier: BSD-3-Clause
// The property test of datatypes: random type trees, and for each everything that MPI says and does with the type
// compared with the type map, element by element. With several ranks the messages go round in a ring.
//
//   types [--count N] [--seed S] [--first I] [--depth D] [--show] [--peer NAME]
//
// With BOWLINE_CHECK=strict in the environment the bounds are those of the standard's type map to the letter.
// A failure names the seed and the number of the tree, shows the tree, and the smallest one found that fails too.
// --show shows every tree. --peer mpich (or openmpi) leaves out what that implementation is known to do otherwise, so
// that the test itself can be tried with another one: mpicxx.mpich -std=c++20 -O2 -Itests tests/types/*.cpp.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "mpi/check.hpp"
#include "types/checks.hpp"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using namespace types;

struct Options {
  std::int64_t count = 1000;
  std::int64_t first = 0;
  std::uint64_t seed = 1;
  bool show = false;
  std::string peer{};
  Scope scope{};
};

// What two releases get wrong, MPICH 4.0.2 and Open MPI 4.1.4, or read otherwise than the standard's definitions.
bool allow_for(Options& options, const std::string& peer) {
  options.peer = peer;
  options.scope.taste.aligned = true;  // their extents of types with odd displacements are not those of the type map
  options.scope.taste.empty = false;   // types without data move bounds
  if (peer == "mpich") {
    options.scope.taste.pairs = false;        // no external32 size
    options.scope.taste.long_double = false;  // moves 10 of 16 bytes
    options.scope.taste.mixed_markers =
        false;                             // a struct's upper bound may be that of the data although there are markers
    options.scope.taste.backward = false;  // negative extents
    options.scope.taste.darray = false;    // wrong true lower bounds
    options.scope.bottom = false;
    options.scope.external = options.scope.elements = false;  // crash with some structs
    return true;
  }
  if (peer == "openmpi") {
    options.scope.taste.pairs = false;     // MPI_Get_elements takes some of them for one element
    options.scope.taste.backward = false;  // wrong true lower bounds
    return true;
  }
  return false;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--show") {
      options.show = true;
      continue;
    }
    const std::string value = ++i < argc ? argv[i] : "";
    const std::int64_t number = std::strtoll(value.c_str(), nullptr, 10);
    if (word == "--count") {
      options.count = number;
    } else if (word == "--seed") {
      options.seed = static_cast<std::uint64_t>(number);
    } else if (word == "--first") {
      options.first = number;
    } else if (word == "--depth") {
      options.scope.taste.depth = static_cast<int>(number);
    } else if (word != "--peer" || !allow_for(options, value)) {
      std::cerr << "types: '" << word << " " << value << "' is no option: see the head of types.cpp\n";
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  return options;
}

// Leaves out, and says so, what the library does not have at all.
void ask_for_external32(Options& options) {
  char name[] = "external32";
  MPI_Aint size = 0;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Pack_external_size(name, 1, MPI_INT, &size), &error_class);
  if (error_class != MPI_ERR_UNSUPPORTED_OPERATION) return;
  options.scope.external = false;
  if (check::rank == 0) std::cout << "external32 is not there and not looked at\n";
}

// Which tree is being looked at, for the case that the process dies of it.
std::array<char, 200> under_way{};

void tell_what_was_under_way() {
  const ssize_t written = write(STDERR_FILENO, under_way.data(), std::strlen(under_way.data()));
  static_cast<void>(written);
}

void tell_and_die(int signal_number) {
  tell_what_was_under_way();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void prepare_for_death() {
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(tell_what_was_under_way);
    return;
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(number, tell_and_die);
}

std::string again(const Options& options, std::int64_t number) {
  return "--seed " + std::to_string(options.seed) + " --first " + std::to_string(number) + " --count 1 --depth " +
         std::to_string(options.scope.taste.depth) + (options.peer.empty() ? "" : " --peer " + options.peer);
}

// Every tree has random numbers of its own, so that it can be had without those before it.
std::uint64_t seed_of(const Options& options, std::int64_t number) {
  std::seed_seq sequence{options.seed, static_cast<std::uint64_t>(number)};
  std::array<std::uint32_t, 2> words{};
  sequence.generate(words.begin(), words.end());
  return std::uint64_t{words[0]} << 32 | words[1];
}

Sample sample(const Options& options, std::int64_t number) {
  Random random(seed_of(options, number));
  Taste taste = options.scope.taste;
  const std::int64_t size = between(random, 0, 99);
  if (size < 85) taste.entries = size < 50 ? 40 : 400;
  if (chance(random, 50)) taste.leaf = static_cast<std::size_t>(between(random, 0, 12));
  return random_sample(random, taste);
}

// The smallest tree found that fails the same check, by leaving out one thing after the other while that goes.
std::pair<Tree, Outcome> smallest(const Options& options, std::int64_t number, Tree tree, Outcome outcome) {
  int attempts = 3000;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Tree& candidate : simpler(tree)) {
      if (--attempts < 0) break;
      Outcome other = check_all(candidate, map_of(candidate), seed_of(options, number), options.scope);
      if (other.check != outcome.check) continue;
      tree = std::move(candidate);
      outcome = std::move(other);
      smaller = true;
      break;
    }
  }
  return {std::move(tree), std::move(outcome)};
}

void report(const Options& options, std::int64_t number, const Tree& tree, const Outcome& outcome) {
  const auto [least, why] = smallest(options, number, tree, outcome);
  std::ostringstream message;
  message << "rank " << check::rank << ": tree " << number << " of seed " << options.seed << ": " << outcome.check
          << ": " << outcome.text << "\n"
          << text(tree, 2) << "  the smallest that fails: " << why.text << "\n"
          << text(least, 4) << "  again: types " << again(options, number) << "\n";
  std::cerr << message.str() << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Options options = parse(argc, argv);
  const char* const strictness = std::getenv("BOWLINE_CHECK");
  padding_counts = strictness == nullptr || std::strcmp(strictness, "strict") != 0;
  ask_for_external32(options);
  prepare_for_death();
  std::int64_t failures = 0, entries = 0, depths = 0;
  for (std::int64_t i = options.first; i < options.first + options.count && failures < 3; ++i) {
    const auto [tree, map] = sample(options, i);
    std::snprintf(under_way.data(), under_way.size(), "\nrank %d died of: types %s --show\n", check::rank,
                  again(options, i).c_str());
    if (options.show && check::rank == 0) std::cerr << "tree " << i << ":\n" << text(tree, 2);
    const Outcome outcome = check_all(tree, map, seed_of(options, i), options.scope);
    if (outcome.failed()) {
      ++failures;
      report(options, i, tree, outcome);
    }
    entries += static_cast<std::int64_t>(map.entries.size());
    depths += depth(tree);
  }
  CHECK_EQ(failures, 0);
  const std::int64_t trees = std::max<std::int64_t>(options.count, 1);
  if (check::rank == 0) {
    std::cout << options.count << " trees of seed " << options.seed << ", on average " << entries / trees
              << " entries and " << depths * 10 / trees << " tenths deep\n";
  }
  return program.finish();
}

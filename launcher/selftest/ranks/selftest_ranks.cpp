// SPDX-License-Identifier: BSD-3-Clause
// selftest_ranks PART [ARGUMENT]
//
// The ranks of bowline-info --selftest: a program of MPI like any user's. It makes one part of the test, and says what
// it has found on standard output (part.hpp).
#include <cstdio>
#include <string>

#include "launcher/selftest/ranks/part.hpp"

namespace bowline::selftest {
namespace {

/// Returns whether there is such a part.
bool run(const std::string& part, const std::string& argument) {
  if (part == "self")
    test_self();
  else if (part == "messages")
    test_messages();
  else if (part == "long_messages")
    test_long_messages(argument);
  else if (part == "window")
    test_window(argument == "allocated");
  else if (part == "file")
    test_file(argument);
  else if (part == "collectives")
    test_collectives();
  else
    return false;
  report_wrong();
  return true;
}

}  // namespace
}  // namespace bowline::selftest

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "", argument = argc > 2 ? argv[2] : "";
  if (part == "machine") {
    bowline::selftest::measure_machine(argument);
    return 0;
  }
  MPI_Init(&argc, &argv);
  const bool known = bowline::selftest::run(part, argument);
  if (!known && bowline::selftest::world().rank == 0)
    std::fprintf(stderr, "selftest_ranks: bowline-info --selftest starts this program; there is no part '%s'\n",
                 part.c_str());
  MPI_Finalize();
  return known ? 0 : 2;
}

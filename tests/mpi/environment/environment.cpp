// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init_thread with the level given as argument (0 to 3), what may be called before and after, clocks, names,
// errors' texts.
#include <cstring>
#include <string>

#include "check.hpp"

namespace {

constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

void check_state(int initialized, int finalized) {
  int flag = -1;
  CHECK_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag, initialized);
  CHECK_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag, finalized);
}

void version() {
  int version = 0, subversion = -1, length = -1;
  CHECK_EQ(MPI_Get_version(&version, &subversion), MPI_SUCCESS);
  CHECK_EQ(version, MPI_VERSION);
  CHECK_EQ(subversion, MPI_SUBVERSION);
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '?');
  CHECK_EQ(MPI_Get_library_version(text.data(), &length), MPI_SUCCESS);
  CHECK_EQ(std::strlen(text.c_str()), static_cast<std::size_t>(length));
  CHECK(length > 0);
}

void wall_clock() {
  const double tick = MPI_Wtick();
  CHECK(tick > 0 && tick < 0.01);
  double last = MPI_Wtime();
  const double start = last;
  int steps = 0;
  while (last - start < 0.002) {
    const double now = MPI_Wtime();
    if (now < last) return check::report(__FILE__, __LINE__, "MPI_Wtime went back");
    if (now > last) ++steps;
    last = now;
  }
  CHECK(steps > 5);
}

void processor_name() {
  std::string name(MPI_MAX_PROCESSOR_NAME, '?');
  int length = -1;
  CHECK_EQ(MPI_Get_processor_name(name.data(), &length), MPI_SUCCESS);
  CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
  CHECK_EQ(std::strlen(name.c_str()), static_cast<std::size_t>(length));
}

void error_texts() {
  // Every class from MPI_SUCCESS on has its text; codes of classes are their own class.
  std::string previous;
  for (int error_class = MPI_SUCCESS; error_class <= MPI_ERR_ABI; ++error_class) {
    std::string text(MPI_MAX_ERROR_STRING, '?');
    int length = -1, back = -1;
    CHECK_EQ(MPI_Error_string(error_class, text.data(), &length), MPI_SUCCESS);
    CHECK(length > 0 && length < MPI_MAX_ERROR_STRING);
    text.resize(std::strlen(text.c_str()));
    CHECK_EQ(text.size(), static_cast<std::size_t>(length));
    CHECK(text != previous);
    previous = text;
    CHECK_EQ(MPI_Error_class(error_class, &back), MPI_SUCCESS);
    CHECK_EQ(back, error_class);
  }
}

void address() {
  int values[4] = {};
  MPI_Aint first = 0, third = 0;
  CHECK_EQ(MPI_Get_address(&values[0], &first), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_address(&values[2], &third), MPI_SUCCESS);
  CHECK_EQ(third - first, static_cast<MPI_Aint>(2 * sizeof(int)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::strlen(argv[1]) != 1 || argv[1][0] < '0' || argv[1][0] > '3') {
    std::fprintf(stderr, "usage: environment LEVEL, with 0 (single), 1 (funneled), 2 (serialized) or 3 (multiple)\n");
    return 2;
  }
  const int required = levels[argv[1][0] - '0'];
  check_state(0, 0);
  version();

  int provided = -1;
  CHECK_EQ(MPI_Init_thread(&argc, &argv, required, &provided), MPI_SUCCESS);
  CHECK(provided >= required && provided <= MPI_THREAD_MULTIPLE);
  CHECK_EQ(argc, 2);
  check::Program program;
  program.learn();

  check_state(1, 0);
  version();
  wall_clock();
  processor_name();
  error_texts();
  address();

  // The state after MPI_Finalize belongs to the result, so that finish() cannot be the last word.
  const int result = program.finish();
  const long failed_before = check::failed;
  check_state(1, 1);
  version();
  return check::failed == failed_before ? result : EXIT_FAILURE;
}

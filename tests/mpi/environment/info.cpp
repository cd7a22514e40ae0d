// SPDX-License-Identifier: BSD-3-Clause
// Info objects, before MPI_Init, while MPI runs and after MPI_Finalize.
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

std::string value_of(MPI_Info info, const char* key) {
  std::array<char, MPI_MAX_INFO_VAL> text{};
  int length = MPI_MAX_INFO_VAL, flag = -1;
  CHECK_EQ(MPI_Info_get_string(info, key, &length, text.data(), &flag), MPI_SUCCESS);
  if (flag == 0) return "(none)";
  CHECK_EQ(static_cast<std::size_t>(length), std::strlen(text.data()) + 1);
  return text.data();
}

std::string nth_key(MPI_Info info, int n) {
  std::array<char, MPI_MAX_INFO_KEY> text{};
  CHECK_EQ(MPI_Info_get_nthkey(info, n, text.data()), MPI_SUCCESS);
  return text.data();
}

int keys_of(MPI_Info info) {
  int count = -1;
  CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
  return count;
}

std::vector<std::pair<std::string, std::string>> all_of(MPI_Info info) {
  std::vector<std::pair<std::string, std::string>> all;
  for (int n = 0; n < keys_of(info); ++n) all.emplace_back(nth_key(info, n), value_of(info, nth_key(info, n).c_str()));
  return all;
}

void set_and_get() {
  MPI_Info info, copy;
  CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  CHECK_EQ(keys_of(info), 0);
  CHECK_EQ(MPI_Info_set(info, "zebra", "striped"), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_set(info, "ant", "small"), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_set(info, "zebra", "black and white"), MPI_SUCCESS);
  CHECK_EQ(keys_of(info), 2);
  CHECK_EQ(nth_key(info, 0), "zebra");
  CHECK_EQ(nth_key(info, 1), "ant");
  CHECK_EQ(value_of(info, "zebra"), "black and white");
  CHECK_EQ(value_of(info, "lion"), "(none)");

  CHECK_EQ(MPI_Info_dup(info, &copy), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_delete(info, "zebra"), MPI_SUCCESS);
  CHECK_EQ(keys_of(info), 1);
  CHECK_EQ(value_of(copy, "zebra"), "black and white");
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  CHECK(info == MPI_INFO_NULL);
  CHECK_EQ(MPI_Info_free(&copy), MPI_SUCCESS);
}

// What does not fit is cut off, and the length says how much there would be.
void short_buffers() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "abcdef");
  char text[16] = "---------------";
  int length = 4, flag = -1;
  CHECK_EQ(MPI_Info_get_string(info, "key", &length, text, &flag), MPI_SUCCESS);
  CHECK(flag == 1 && length == 7 && std::string(text) == "abc" && text[4] == '-');
  length = 0;
  CHECK_EQ(MPI_Info_get_string(info, "key", &length, nullptr, &flag), MPI_SUCCESS);
  CHECK_EQ(length, 7);
  CHECK_EQ(MPI_Info_get_valuelen(info, "key", &length, &flag), MPI_SUCCESS);
  CHECK(flag == 1 && length == 6);
  length = -5;
  CHECK_EQ(MPI_Info_get_valuelen(info, "none", &length, &flag), MPI_SUCCESS);
  CHECK(flag == 0 && length == -5);
  CHECK_EQ(MPI_Info_get(info, "key", 2, text, &flag), MPI_SUCCESS);
  CHECK(flag == 1 && std::string(text) == "ab");
  const std::string longest_key(MPI_MAX_INFO_KEY - 1, 'k'), longest_value(MPI_MAX_INFO_VAL - 1, 'v');
  CHECK_EQ(MPI_Info_set(info, longest_key.c_str(), longest_value.c_str()), MPI_SUCCESS);
  CHECK_EQ(value_of(info, longest_key.c_str()), longest_value);
  CHECK_EQ(nth_key(info, 1), longest_key);
  MPI_Info_free(&info);
}

void environment(char** argv) {
  CHECK(value_of(MPI_INFO_ENV, "command").find("info") != std::string::npos);
  CHECK(value_of(MPI_INFO_ENV, "wdir").front() == '/');
  CHECK_EQ(value_of(MPI_INFO_ENV, "mpi_memory_alloc_kinds"), "mpi,system");
  MPI_Info info;
  const char* const words[] = {"cook", "two", "eggs", nullptr};
  CHECK_EQ(MPI_Info_create_env(3, const_cast<char**>(words), &info), MPI_SUCCESS);
  CHECK_EQ(value_of(info, "command"), "cook");
  CHECK_EQ(value_of(info, "argv"), "two eggs");
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_create_env(1, argv, &info), MPI_SUCCESS);
  CHECK_EQ(value_of(info, "command"), argv[0]);
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  set_and_get();
  short_buffers();
  environment(argv);
  MPI_Info early = MPI_INFO_NULL, late = MPI_INFO_NULL;
  CHECK_EQ(MPI_Info_create_env(argc, argv, &early), MPI_SUCCESS);
  check::Program program(argc, argv);
  CHECK_EQ(MPI_Info_create_env(argc, argv, &late), MPI_SUCCESS);
  CHECK(all_of(early) == all_of(late));
  CHECK_EQ(MPI_Info_free(&early), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_free(&late), MPI_SUCCESS);
  set_and_get();
  environment(argv);
  CHECK_EQ(value_of(MPI_INFO_ENV, "maxprocs"), std::to_string(check::size));
  const int result = program.finish();
  const long failed_before = check::failed;
  set_and_get();
  return check::failed == failed_before ? result : EXIT_FAILURE;
}

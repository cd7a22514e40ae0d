// SPDX-License-Identifier: BSD-3-Clause
// Windows as objects: every flavour, their attributes, names, groups, hints, error handlers and numbers; the memory
// that they share.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

template <class T>
T* attribute(MPI_Win win, int key) {
  void* value = nullptr;
  int flag = 0;
  CHECK_EQ(MPI_Win_get_attr(win, key, &value, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  return static_cast<T*>(value);
}

void expect_attributes(MPI_Win win, const void* base, MPI_Aint size, int unit, int flavor) {
  CHECK_EQ(static_cast<const void*>(attribute<char>(win, MPI_WIN_BASE)), base);
  CHECK_EQ(*attribute<MPI_Aint>(win, MPI_WIN_SIZE), size);
  CHECK_EQ(*attribute<int>(win, MPI_WIN_DISP_UNIT), unit);
  CHECK_EQ(*attribute<int>(win, MPI_WIN_CREATE_FLAVOR), flavor);
  CHECK_EQ(*attribute<int>(win, MPI_WIN_MODEL), MPI_WIN_UNIFIED);
}

void free_window(MPI_Win& win) {
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  CHECK_EQ(win, MPI_WIN_NULL);
}

/// Every rank has other numbers; the last one has no memory.
MPI_Aint size_of(int rank) {
  return rank == check::size - 1 && check::size > 1 ? 0 : 24 * (rank + 1);
}
int unit_of(int rank) {
  return 1 << rank % 4;
}

void flavours() {
  MPI_Win win = MPI_WIN_NULL;
  std::vector<char> memory(static_cast<std::size_t>(size_of(check::rank)) + 1);
  CHECK_EQ(MPI_Win_create(memory.data(), size_of(check::rank), unit_of(check::rank), MPI_INFO_NULL, world, &win),
           MPI_SUCCESS);
  expect_attributes(win, memory.data(), size_of(check::rank), unit_of(check::rank), MPI_WIN_FLAVOR_CREATE);
  free_window(win);
  char* base = nullptr;
  CHECK_EQ(MPI_Win_allocate(size_of(check::rank), unit_of(check::rank), MPI_INFO_NULL, world, &base, &win),
           MPI_SUCCESS);
  expect_attributes(win, base, size_of(check::rank), unit_of(check::rank), MPI_WIN_FLAVOR_ALLOCATE);
  std::memset(base, 1, static_cast<std::size_t>(size_of(check::rank)));
  free_window(win);
  CHECK_EQ(MPI_Win_allocate_c(size_of(check::rank), 8, MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
  free_window(win);
  CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win), MPI_SUCCESS);
  expect_attributes(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  free_window(win);
  CHECK_EQ(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_SUCCESS);
  expect_attributes(win, nullptr, 0, 1, MPI_WIN_FLAVOR_CREATE);
  free_window(win);
}

MPI_Info info_with(const std::vector<std::array<const char*, 2>>& entries) {
  MPI_Info info;
  CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  for (const auto& [key, value] : entries) CHECK_EQ(MPI_Info_set(info, key, value), MPI_SUCCESS);
  return info;
}

/// All members write and read each other's memory by loads and stores.
void shared_memory(MPI_Comm node, MPI_Info info, bool contiguous, std::size_t alignment) {
  int rank = -1, size = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);
  const auto length = [&](int of) { return of == size - 1 && size > 1 ? 0 : 3 + of; };  // ints
  int* base = nullptr;
  MPI_Win win;
  CHECK_EQ(MPI_Win_allocate_shared(length(rank) * MPI_Aint{sizeof(int)}, sizeof(int), info, node, &base, &win),
           MPI_SUCCESS);
  expect_attributes(win, base, length(rank) * MPI_Aint{sizeof(int)}, sizeof(int), MPI_WIN_FLAVOR_SHARED);
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  const int right = (rank + 1) % size;
  MPI_Aint bytes = -1;
  int unit = -1, *theirs = nullptr;
  CHECK_EQ(MPI_Win_shared_query(win, right, &bytes, &unit, &theirs), MPI_SUCCESS);
  CHECK_EQ(bytes, length(right) * MPI_Aint{sizeof(int)});
  CHECK_EQ(unit, static_cast<int>(sizeof(int)));
  for (int i = 0; i < length(right); ++i) theirs[i] = 100 * rank + i;
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  const int left = (rank + size - 1) % size;
  for (int i = 0; i < length(rank); ++i) CHECK_EQ(base[i], 100 * left + i);
  // The first rank that has memory.
  MPI_Aint bytes_of_first = -1;
  int* first = nullptr;
  CHECK_EQ(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes_of_first, &unit, &first), MPI_SUCCESS);
  CHECK_EQ(bytes_of_first, length(0) * MPI_Aint{sizeof(int)});
  if (rank == 0) CHECK_EQ(first, base);
  if (contiguous) {
    int* expected = first;
    for (int i = 0; i < size; ++i) {
      CHECK_EQ(MPI_Win_shared_query(win, i, &bytes, &unit, &theirs), MPI_SUCCESS);
      CHECK_EQ(theirs, expected);  // also where nothing lies
      if (i == rank) CHECK_EQ(theirs, base);
      expected += length(i);
    }
  }
  if (!contiguous && length(rank) == 0) CHECK_EQ(base, nullptr);
  if (!contiguous && length(right) == 0) {
    CHECK_EQ(MPI_Win_shared_query(win, right, &bytes, &unit, &theirs), MPI_SUCCESS);
    CHECK_EQ(theirs, nullptr);
  }
  if (!contiguous || rank == 0) CHECK_EQ(reinterpret_cast<std::uintptr_t>(base) % alignment, 0U);
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  free_window(win);
}

void shared_windows() {
  MPI_Comm node;
  CHECK_EQ(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), MPI_SUCCESS);
  shared_memory(node, MPI_INFO_NULL, true, 64);
  MPI_Info apart = info_with({{"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", "256"}});
  shared_memory(node, apart, false, 256);
  MPI_Info wide = info_with({{"alloc_shared_noncontig", "true"}, {"mpi_minimum_memory_alignment", "65536"}});
  shared_memory(node, wide, false, 65536);
  MPI_Info_free(&apart);
  MPI_Info_free(&wide);
  CHECK_EQ(MPI_Comm_free(&node), MPI_SUCCESS);
}

/// Windows that were not made to be shared say which memory is shared, if any.
void queries() {
  int* base = nullptr;
  MPI_Win win;
  CHECK_EQ(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
  base[0] = check::rank;
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  for (int rank = 0; rank < check::size; ++rank) {
    MPI_Aint bytes = -1;
    int unit = -1, *theirs = nullptr;
    CHECK_EQ(MPI_Win_shared_query(win, rank, &bytes, &unit, &theirs), MPI_SUCCESS);
    if (rank == check::rank) CHECK_EQ(theirs, base);
    if (theirs == nullptr) {
      CHECK_EQ(bytes, 0);
      continue;
    }
    CHECK_EQ(bytes, MPI_Aint{2 * sizeof(int)});
    CHECK_EQ(theirs[0], rank);
  }
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  free_window(win);
}

/// MPI_PROC_NULL stands for the lowest rank that has memory, which begins with a number of its own.
void query_for_the_lowest(MPI_Win win, int* base, int lowest) {
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  if (check::rank == lowest) *base = 4711;
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
  MPI_Aint bytes = -1, expected_bytes = 0;
  int unit = -1, *found = nullptr, *expected = nullptr;
  CHECK_EQ(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found), MPI_SUCCESS);
  if (lowest < check::size) CHECK_EQ(MPI_Win_shared_query(win, lowest, &expected_bytes, &unit, &expected), MPI_SUCCESS);
  CHECK_EQ(bytes, expected_bytes);
  CHECK_EQ(found, expected);
  if (check::rank == lowest) CHECK_EQ(bytes, MPI_Aint{sizeof(int)} * (1 + lowest));
  if (bytes > 0) CHECK_EQ(*found, 4711);
  CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
}

void lowest_ranks() {
  for (const int lowest : {0, 1, check::size}) {
    const MPI_Aint bytes = check::rank < lowest ? 0 : MPI_Aint{sizeof(int)} * (1 + check::rank);
    std::vector<int> memory(static_cast<std::size_t>(check::rank) + 1);
    MPI_Win win;
    CHECK_EQ(MPI_Win_create(memory.data(), bytes, sizeof(int), MPI_INFO_NULL, world, &win), MPI_SUCCESS);
    query_for_the_lowest(win, memory.data(), lowest);
    MPI_Aint of_right = -1;
    int unit = -1, *base = nullptr;
    CHECK_EQ(MPI_Win_shared_query(win, check::right(), &of_right, &unit, &base), MPI_SUCCESS);
    CHECK_EQ(of_right, check::size == 1 ? bytes : 0);  // the program's memory is not shared
    free_window(win);
    CHECK_EQ(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
    query_for_the_lowest(win, base, lowest);
    free_window(win);
  }
}

std::string value_of(MPI_Info info, const char* key) {
  char text[MPI_MAX_INFO_VAL];
  int flag = 0, length = sizeof text;
  CHECK_EQ(MPI_Info_get_string(info, key, &length, text, &flag), MPI_SUCCESS);
  return flag != 0 ? text : "";
}

void names_and_hints() {
  MPI_Info info = info_with({{"no_locks", "true"},
                             {"accumulate_ordering", "rar,waw"},
                             {"accumulate_ops", "same_op"},
                             {"unknown", "value"},
                             {"same_size", "perhaps"},
                             {"mpi_accumulate_granularity", "8"}});
  MPI_Win win;
  CHECK_EQ(MPI_Win_create(nullptr, 0, 1, info, world, &win), MPI_SUCCESS);
  MPI_Info used;
  CHECK_EQ(MPI_Win_get_info(win, &used), MPI_SUCCESS);
  CHECK_EQ(value_of(used, "no_locks"), "true");
  CHECK_EQ(value_of(used, "accumulate_ordering"), "rar,waw");
  CHECK_EQ(value_of(used, "accumulate_ops"), "same_op");
  CHECK_EQ(value_of(used, "mpi_accumulate_granularity"), "8");
  CHECK_EQ(value_of(used, "same_size"), "false");
  CHECK_EQ(value_of(used, "unknown"), "");
  MPI_Info_free(&used);
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Info_set(info, "same_size", "true");
  CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_get_info(win, &used), MPI_SUCCESS);
  CHECK_EQ(value_of(used, "accumulate_ordering"), "none");
  CHECK_EQ(value_of(used, "same_size"), "false");
  MPI_Info_free(&used);
  MPI_Info_free(&info);

  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  CHECK_EQ(MPI_Win_get_name(win, name, &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name), "");
  CHECK_EQ(MPI_Win_set_name(win, "halo"), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_get_name(win, name, &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name), "halo");
  CHECK_EQ(length, 4);

  MPI_Group members, all;
  int likeness = -1;
  CHECK_EQ(MPI_Win_get_group(win, &members), MPI_SUCCESS);
  MPI_Comm_group(world, &all);
  CHECK_EQ(MPI_Group_compare(members, all, &likeness), MPI_SUCCESS);
  CHECK_EQ(likeness, MPI_IDENT);
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  free_window(win);
}

// ---- attributes of the program

std::string calls;
int remove(MPI_Win, int, void* value, void* extra_state) {
  calls.append({*static_cast<char*>(value), *static_cast<char*>(extra_state)});
  return MPI_SUCCESS;
}

void attributes() {
  std::array<int, 2> keys;
  std::array<char, 2> states = {'x', 'y'}, values = {'a', 'b'};
  for (std::size_t i = 0; i < keys.size(); ++i)
    CHECK_EQ(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, remove, &keys[i], &states[i]), MPI_SUCCESS);
  MPI_Win win;
  CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win), MPI_SUCCESS);
  int flag = -1;
  void* value = nullptr;
  CHECK_EQ(MPI_Win_get_attr(win, keys[0], &value, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK_EQ(MPI_Win_set_attr(win, keys[i], &values[i]), MPI_SUCCESS);
  CHECK_EQ(attribute<char>(win, keys[1]), &values[1]);
  CHECK_EQ(MPI_Win_delete_attr(win, keys[1]), MPI_SUCCESS);
  CHECK_EQ(calls, "by");
  CHECK_EQ(MPI_Win_set_attr(win, keys[1], &values[0]), MPI_SUCCESS);
  free_window(win);
  CHECK_EQ(calls, "byayax");  // the last one first
  for (int& key : keys) CHECK_EQ(MPI_Win_free_keyval(&key), MPI_SUCCESS);
  CHECK_EQ(keys[0], MPI_KEYVAL_INVALID);
}

// ---- error handlers

MPI_Win failed_on = MPI_WIN_NULL;
int failed_with = MPI_SUCCESS;
void note(MPI_Win* win, int* code, ...) {
  failed_on = *win;
  failed_with = *code;
}

void error_handlers() {
  MPI_Win win;
  CHECK_EQ(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, world, &win), MPI_SUCCESS);
  MPI_Errhandler handler;
  CHECK_EQ(MPI_Win_get_errhandler(win, &handler), MPI_SUCCESS);
  CHECK_EQ(handler, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler own;
  CHECK_EQ(MPI_Win_create_errhandler(note, &own), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_set_errhandler(win, own), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_call_errhandler(win, MPI_ERR_OTHER), MPI_SUCCESS);
  CHECK_EQ(failed_on, win);
  CHECK_EQ(failed_with, MPI_ERR_OTHER);
  CHECK_EQ(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  CHECK_EQ(failed_with, MPI_ERR_RMA_SYNC);
  CHECK_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  CHECK_EQ(MPI_Errhandler_free(&own), MPI_SUCCESS);
  free_window(win);
}

void numbers() {
  MPI_Win win;
  CHECK_EQ(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, world, &win), MPI_SUCCESS);
  const int number = MPI_Win_toint(win);
  CHECK_EQ(MPI_Win_fromint(number), win);
  CHECK_EQ(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)), MPI_WIN_NULL);
  free_window(win);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  flavours();
  shared_windows();
  queries();
  lowest_ranks();
  names_and_hints();
  attributes();
  error_handlers();
  numbers();
  return program.finish();
}

// SPDX-License-Identifier: BSD-3-Clause
// Attributes of datatypes: callbacks and their order, duplicates, the last handle, refusals.
#include <array>
#include <string>

#include "check.hpp"

namespace {

std::string calls;          // what the callbacks were called for, in order
int refusal = MPI_SUCCESS;  // what they return

int copy(MPI_Datatype, int, void* extra_state, void* in, void* out, int* flag) {
  calls.append({'c', *static_cast<char*>(extra_state)});
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return refusal;
}

int remove(MPI_Datatype, int, void*, void* extra_state) {
  calls.append({'d', *static_cast<char*>(extra_state)});
  return refusal;
}

std::array<char, 2> names = {'a', 'b'};
std::array<char, 4> values;

void* get(MPI_Datatype type, int key) {
  void* value = nullptr;
  int flag = -1;
  CHECK_EQ(MPI_Type_get_attr(type, key, &value, &flag), MPI_SUCCESS);
  return flag != 0 ? value : nullptr;
}

void life(MPI_Datatype type) {
  std::array<int, 2> keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK_EQ(MPI_Type_create_keyval(copy, remove, &keys[i], &names[i]), MPI_SUCCESS);
    CHECK_EQ(get(type, keys[i]), nullptr);
    CHECK_EQ(MPI_Type_set_attr(type, keys[i], &values[i]), MPI_SUCCESS);
    CHECK_EQ(get(type, keys[i]), &values[i]);
  }
  calls.clear();
  MPI_Datatype duplicate;
  CHECK_EQ(MPI_Type_dup(type, &duplicate), MPI_SUCCESS);
  CHECK_EQ(calls, "cacb");
  CHECK_EQ(get(duplicate, keys[1]), &values[2]);
  CHECK_EQ(get(type, keys[1]), &values[1]);

  // A refused deletion keeps the attribute, and the datatype.
  refusal = MPI_ERR_OTHER;
  CHECK_EQ(MPI_Type_delete_attr(duplicate, keys[0]), MPI_ERR_OTHER);
  MPI_Datatype kept = duplicate;
  CHECK_EQ(MPI_Type_free(&kept), MPI_ERR_OTHER);
  CHECK(kept == duplicate);
  CHECK_EQ(get(duplicate, keys[0]), &values[1]);
  // A refused copy makes no datatype. The callback that failed has not made a value to be deleted.
  MPI_Datatype none = MPI_DATATYPE_NULL;
  calls.clear();
  CHECK_EQ(MPI_Type_dup(type, &none), MPI_ERR_OTHER);
  CHECK(none == MPI_DATATYPE_NULL);
  CHECK_EQ(calls, "ca");
  refusal = MPI_SUCCESS;

  // Freeing takes the attributes away, the last first; those of a freed key as well.
  int freed_key = keys[1];
  CHECK_EQ(MPI_Type_free_keyval(&freed_key), MPI_SUCCESS);
  CHECK_EQ(freed_key, MPI_KEYVAL_INVALID);
  calls.clear();
  CHECK_EQ(MPI_Type_free(&duplicate), MPI_SUCCESS);
  CHECK_EQ(calls, "dbda");

  CHECK_EQ(MPI_Type_delete_attr(type, keys[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_delete_attr(type, keys[1]), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_delete_attr(type, keys[0]), MPI_ERR_ARG);
  CHECK_EQ(MPI_Type_set_attr(type, keys[1], &values[0]), MPI_ERR_KEYVAL);
  CHECK_EQ(MPI_Type_free_keyval(&keys[1]), MPI_ERR_KEYVAL);
  CHECK_EQ(MPI_Type_free_keyval(&keys[0]), MPI_SUCCESS);
}

// A key of communicators is none of datatypes, and the other way round: none of several, whatever their numbers.
void of_another_kind(MPI_Datatype type) {
  std::array<int, 16> of_comms, of_types;
  for (int& key : of_comms) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  for (int& key : of_types) MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
  int value = 0, flag = -1;
  void* found = nullptr;
  for (int key : of_types) {
    CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, key, &value), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_SELF, key, static_cast<void*>(&found), &flag), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_delete_attr(MPI_COMM_SELF, key), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  }
  for (int key : of_comms) {
    CHECK_EQ(MPI_Type_set_attr(type, key, &value), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Type_get_attr(type, key, static_cast<void*>(&found), &flag), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Type_delete_attr(type, key), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Type_free_keyval(&key), MPI_ERR_KEYVAL);
  }
  for (int& key : of_comms) CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  for (int& key : of_types) CHECK_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  life(MPI_INT);  // predefined ones, too
  MPI_Datatype pair;
  CHECK_EQ(MPI_Type_contiguous(2, MPI_INT, &pair), MPI_SUCCESS);
  life(pair);
  of_another_kind(MPI_INT);
  of_another_kind(pair);
  CHECK_EQ(MPI_Type_free(&pair), MPI_SUCCESS);
  return program.finish();
}

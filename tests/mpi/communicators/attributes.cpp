// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators: callbacks and their order, predefined attributes, MPI-1's forms, the end of
// MPI_COMM_SELF.
#include <mpi-ext.h>

#include <array>
#include <string>

#include "check.hpp"

namespace {

std::string calls;          // what the callbacks were called for, in order
int refusal = MPI_SUCCESS;  // what they return

int copy(MPI_Comm, int, void* extra_state, void* in, void* out, int* flag) {
  calls.append({'c', *static_cast<char*>(extra_state)});
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return refusal;
}

int remove(MPI_Comm, int, void*, void* extra_state) {
  calls.append({'d', *static_cast<char*>(extra_state)});
  return refusal;
}

std::array<char, 3> names = {'a', 'b', 'c'};
std::array<char, 8> values;

void* get(MPI_Comm comm, int key) {
  void* value = nullptr;
  int flag = -1;
  CHECK_EQ(MPI_Comm_get_attr(comm, key, &value, &flag), MPI_SUCCESS);
  return flag != 0 ? value : nullptr;
}

void life(MPI_Comm comm) {
  std::array<int, 3> keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK_EQ(MPI_Comm_create_keyval(copy, remove, &keys[i], &names[i]), MPI_SUCCESS);
    CHECK_EQ(get(comm, keys[i]), nullptr);
    CHECK_EQ(MPI_Comm_set_attr(comm, keys[i], &values[i]), MPI_SUCCESS);
    CHECK_EQ(get(comm, keys[i]), &values[i]);
  }
  calls.clear();
  MPI_Comm duplicate;
  CHECK_EQ(MPI_Comm_dup(comm, &duplicate), MPI_SUCCESS);
  CHECK_EQ(calls, "cacbcc");
  CHECK_EQ(get(duplicate, keys[1]), &values[2]);
  CHECK_EQ(MPI_Comm_delete_attr(duplicate, keys[1]), MPI_SUCCESS);
  CHECK_EQ(get(duplicate, keys[1]), nullptr);
  CHECK_EQ(get(comm, keys[1]), &values[1]);
  calls.clear();
  CHECK_EQ(MPI_Comm_free(&duplicate), MPI_SUCCESS);
  CHECK_EQ(calls, "dcda");

  refusal = MPI_ERR_OTHER;
  CHECK_EQ(MPI_Comm_delete_attr(comm, keys[0]), MPI_ERR_OTHER);
  CHECK_EQ(MPI_Comm_dup(comm, &duplicate), MPI_ERR_OTHER);
  CHECK(duplicate == MPI_COMM_NULL);
  refusal = MPI_SUCCESS;
  for (int& key : keys) {
    const int number = key;
    CHECK_EQ(MPI_Comm_delete_attr(comm, number), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
    CHECK_EQ(MPI_Comm_set_attr(comm, number, nullptr), MPI_ERR_KEYVAL);
  }
}

void predefined_functions(MPI_Comm comm) {
  int never, always;
  CHECK_EQ(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &never, nullptr), MPI_SUCCESS);
  CHECK_EQ(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &always, nullptr), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_attr(comm, never, &values[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Attr_put(comm, always, &values[1]), MPI_SUCCESS);
  MPI_Comm duplicate;
  CHECK_EQ(MPI_Comm_dup(comm, &duplicate), MPI_SUCCESS);
  CHECK_EQ(get(duplicate, never), nullptr);
  void* value = nullptr;
  int flag = -1;
  CHECK_EQ(MPI_Attr_get(duplicate, always, &value, &flag), MPI_SUCCESS);
  CHECK(flag == 1 && value == &values[1]);
  CHECK_EQ(MPI_Comm_free(&duplicate), MPI_SUCCESS);
  CHECK_EQ(MPI_Attr_delete(comm, always), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_delete_attr(comm, never), MPI_SUCCESS);
  CHECK_EQ(MPI_Keyval_free(&always), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free_keyval(&never), MPI_SUCCESS);
}

void predefined_attributes() {
  const auto number = [](int key) { return *static_cast<int*>(get(MPI_COMM_WORLD, key)); };
  CHECK(number(MPI_TAG_UB) >= 32767);
  CHECK_EQ(number(MPI_IO), MPI_ANY_SOURCE);
  CHECK_EQ(number(MPI_HOST), MPI_PROC_NULL);
  CHECK_EQ(number(MPI_WTIME_IS_GLOBAL), 1);  // tests run on one node
  CHECK_EQ(number(MPI_APPNUM), 0);
  CHECK_EQ(number(MPIX_FT), 0);  // mpiexec ends the job with the first lost rank
  CHECK(number(MPI_UNIVERSE_SIZE) >= check::size);
  CHECK_EQ(number(MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
  int error_class = 0, code = 0;
  CHECK_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
  CHECK_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
  CHECK_EQ(number(MPI_LASTUSEDCODE), code);
  CHECK_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
  int tag_ub = MPI_TAG_UB;
  CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr), MPI_ERR_KEYVAL);
  CHECK_EQ(MPI_Comm_free_keyval(&tag_ub), MPI_ERR_KEYVAL);
}

bool finalized_early = false;

int at_finalize(MPI_Comm comm, int, void*, void* extra_state) {
  int flag = 0;
  MPI_Finalized(&flag);
  finalized_early = finalized_early || flag != 0 || comm != MPI_COMM_SELF;
  calls += *static_cast<char*>(extra_state);
  return MPI_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  life(MPI_COMM_WORLD);
  predefined_functions(MPI_COMM_WORLD);
  predefined_attributes();
  for (char& name : names) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, &name);
    CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  }
  calls.clear();
  const int result = program.finish();
  return calls == "cba" && !finalized_early ? result : EXIT_FAILURE;
}

// SPDX-License-Identifier: BSD-3-Clause
// Chapter: attributes, info objects and names of services.
#include <cstring>

#include "chapter.hpp"

namespace chapter {
namespace {

void of_communicators() {
  int key = MPI_KEYVAL_INVALID;
  must(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr));
  const struct Key {
    ~Key() { MPI_Comm_free_keyval(&key); }
    int& key;
  } freed{key};
  Comm comm, copy;
  must(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  int value = 7;
  must(MPI_Comm_set_attr(comm, key, &value));
  must(MPI_Comm_dup(comm, &copy));
  int* found = nullptr;
  int is_there = 0;
  must(MPI_Comm_get_attr(copy, key, static_cast<void*>(&found), &is_there));
  right(is_there != 0 && found == &value, "an attribute that a communicator gets when it is made from another");
  must(MPI_Comm_delete_attr(copy, key));
}

void of_types() {
  int key = MPI_KEYVAL_INVALID;
  must(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr));
  const struct Key {
    ~Key() { MPI_Type_free_keyval(&key); }
    int& key;
  } freed{key};
  Type type, copy;
  must(MPI_Type_contiguous(2, MPI_INT, &type));
  int value = 7;
  must(MPI_Type_set_attr(type, key, &value));
  must(MPI_Type_dup(type, &copy));
  int* found = nullptr;
  int is_there = 0;
  must(MPI_Type_get_attr(copy, key, static_cast<void*>(&found), &is_there));
  right(is_there != 0 && found == &value, "an attribute that a datatype gets when it is made from another");
}

void infos() {
  Info info, copy;
  must(MPI_Info_create(&info));
  for (const char* const key : {"first", "second", "a third key that is too long to be kept in place"})
    must(MPI_Info_set(info, key, "a value that is too long to be kept in place, as values may be"));
  must(MPI_Info_dup(info, &copy));
  must(MPI_Info_delete(copy, "second"));
  int count = 0, bytes = 200, is_there = 0;
  must(MPI_Info_get_nkeys(copy, &count));
  right(count == 2, "info keys");
  char value[200];
  must(MPI_Info_get_string(copy, "first", &bytes, value, &is_there));
  right(is_there != 0 && std::strncmp(value, "a value", 7) == 0, "info value");
  Info environment;
  must(MPI_Info_create_env(0, nullptr, &environment));
}

void errors() {
  int added = 0, code = 0;
  must(MPI_Add_error_class(&added));
  must(MPI_Add_error_code(added, &code));
  must(MPI_Add_error_string(code, "an error of the program, with a long explanation"));
  must(MPI_Remove_error_string(code));
  must(MPI_Remove_error_code(code));
  must(MPI_Remove_error_class(added));
}

void memory() {
  Info info;
  must(MPI_Info_create(&info));
  must(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
  void* block = nullptr;
  must(MPI_Alloc_mem(10000, info, &block));
  right(reinterpret_cast<MPI_Aint>(block) % 4096 == 0, "alignment");
  must(MPI_Free_mem(block));
}

void run() {
  of_communicators();
  of_types();
  infos();
  errors();
  memory();
}

}  // namespace

const Chapter attributes{"attributes", run};

}  // namespace chapter

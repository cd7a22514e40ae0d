/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks of every kind: operators, attributes, error handlers, generalized requests; many of each. Of
 * windows and data representations of files, one. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { many = 300 };

/* ---- operators */

static MPI_Datatype seen_type;

static void add_mod(void* in, void* inout, int* count, MPI_Datatype* type) {
  seen_type = *type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] = (((int*)inout)[i] + ((int*)in)[i]) % 1000;
}

static void last(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)type; /* the value of the last rank: not commutative */
  (void)inout, (void)count;
}

static void add_pairs(void* in, void* inout, int* count, MPI_Datatype* type) {
  seen_type = *type;
  for (int i = 0; i < 2 * *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void operators(void) {
  MPI_Op op, ops[many];
  MPI_Datatype pair;
  int value = check_rank + 1, result = -1, commutes = -1, two[2] = {check_rank, 1}, sums[2];
  OK(MPI_Op_create(add_mod, 1, &op));
  OK(MPI_Op_commutative(op, &commutes));
  CHECK_EQ(commutes, 1);
  OK(MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD));
  CHECK_EQ(result, check_size * (check_size + 1) / 2);
  if (check_size > 1) CHECK(seen_type == MPI_INT);
  OK(MPI_Reduce_local(&value, &result, 1, MPI_INT, op));
  CHECK_EQ(result, check_size * (check_size + 1) / 2 + value);
  OK(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);

  OK(MPI_Op_create(last, 0, &op));
  OK(MPI_Op_commutative(op, &commutes));
  CHECK_EQ(commutes, 0);
  OK(MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD));
  CHECK_EQ(result, check_size);
  OK(MPI_Op_free(&op));

  OK(MPI_Type_contiguous(2, MPI_INT, &pair));
  OK(MPI_Type_commit(&pair));
  OK(MPI_Op_create(add_pairs, 1, &op));
  OK(MPI_Allreduce(two, sums, 1, pair, op, MPI_COMM_WORLD));
  CHECK_EQ(sums[1], check_size);
  if (check_size > 1) CHECK(seen_type == pair);
  OK(MPI_Op_free(&op));
  OK(MPI_Type_free(&pair));

  for (int i = 0; i < many; ++i) OK(MPI_Op_create(add_mod, 1, &ops[i]));
  for (int i = 0; i < many; ++i) OK(MPI_Op_free(&ops[i]));
  OK(MPI_Op_commutative(MPI_SUM, &commutes));
  CHECK_EQ(commutes, 1);
}

/* ---- attributes */

static int copies, deletions, copied_key;
static MPI_Comm copied_from, deleted_of;

static int copy_comm(MPI_Comm comm, int keyval, void* extra, void* value, void* copy, int* flag) {
  ++copies;
  copied_from = comm;
  copied_key = keyval;
  CHECK(extra == &copies);
  *(int**)copy = (int*)value + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete_comm(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)value;
  ++deletions;
  deleted_of = comm;
  CHECK(extra == &copies);
  return MPI_SUCCESS;
}

static int refuse_copy(MPI_Comm comm, int keyval, void* extra, void* value, void* copy, int* flag) {
  (void)comm, (void)keyval, (void)extra, (void)value, (void)copy, (void)flag;
  return MPI_ERR_NO_SPACE;
}

static int copy_type(MPI_Datatype type, int keyval, void* extra, void* value, void* copy, int* flag) {
  (void)type, (void)keyval, (void)extra;
  *(void**)copy = value;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, dup_key, null_key, type_key, values[2] = {1, 2}, flag, *found, keys[many];
  MPI_Comm comm, twin;
  MPI_Datatype type, copy;
  OK(MPI_Comm_create_keyval(copy_comm, delete_comm, &key, &copies));
  OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL));
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL));
  CHECK(key != MPI_KEYVAL_INVALID && key != MPI_TAG_UB);
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  OK(MPI_Comm_set_attr(comm, key, &values[0]));
  OK(MPI_Comm_set_attr(comm, dup_key, &values[0]));
  OK(MPI_Comm_set_attr(comm, null_key, &values[0]));
  OK(MPI_Comm_dup(comm, &twin));
  CHECK(copies == 1 && copied_from == comm && copied_key == key);
  OK(MPI_Comm_get_attr(twin, key, &found, &flag));
  CHECK(flag && found == &values[1]);
  OK(MPI_Comm_get_attr(twin, dup_key, &found, &flag));
  CHECK(flag && found == &values[0]);
  OK(MPI_Comm_get_attr(twin, null_key, &found, &flag));
  CHECK_EQ(flag, 0);
  OK(MPI_Comm_delete_attr(twin, key));
  CHECK(deletions == 1 && deleted_of == twin);
  OK(MPI_Comm_free(&twin));
  OK(MPI_Comm_free(&comm));
  CHECK_EQ(deletions, 2);
  OK(MPI_Comm_free_keyval(&key));
  CHECK_EQ(key, MPI_KEYVAL_INVALID);
  OK(MPI_Comm_free_keyval(&dup_key));
  OK(MPI_Comm_free_keyval(&null_key));

  copies = 0;
  OK(MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
  OK(MPI_Type_set_attr(MPI_INT, type_key, &values[0]));
  OK(MPI_Type_get_attr(MPI_INT, type_key, &found, &flag));
  CHECK(flag && found == &values[0]);
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(MPI_Type_set_attr(type, type_key, &values[1]));
  OK(MPI_Type_dup(type, &copy));
  CHECK_EQ(copies, 1);
  OK(MPI_Type_get_attr(copy, type_key, &found, &flag));
  CHECK(flag && found == &values[1]);
  OK(MPI_Type_free(&copy));
  OK(MPI_Type_free(&type));
  OK(MPI_Type_delete_attr(MPI_INT, type_key));
  OK(MPI_Type_free_keyval(&type_key));

  OK(MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_attr(comm, key, NULL));
  CHECK(MPI_Comm_dup(comm, &twin) != MPI_SUCCESS);
  OK(MPI_Comm_free(&comm));
  OK(MPI_Comm_free_keyval(&key));
  for (int i = 0; i < many; ++i) OK(MPI_Comm_create_keyval(copy_comm, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL));
  for (int i = 0; i < many; ++i) OK(MPI_Comm_free_keyval(&keys[i]));
}

/* ---- error handlers */

static int handled, handled_code;
static MPI_Comm handled_on;

static void handle(MPI_Comm* comm, int* code, ...) {
  ++handled;
  handled_on = *comm;
  handled_code = *code;
}

static void error_handlers(void) {
  MPI_Errhandler handler, found, handlers[many];
  MPI_Comm comm;
  int value = 0, class, code;
  OK(MPI_Comm_create_errhandler(handle, &handler));
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  OK(MPI_Comm_get_errhandler(comm, &found));
  CHECK(found == MPI_ERRORS_ARE_FATAL);
  OK(MPI_Comm_set_errhandler(comm, handler));
  OK(MPI_Comm_get_errhandler(comm, &found));
  CHECK(found == handler);
  OK(MPI_Errhandler_free(&found));
  code = MPI_Send(&value, 1, MPI_INT, 1, 0, comm);
  CHECK_EQ(class_of(code), MPI_ERR_RANK);
  CHECK(handled == 1 && handled_on == comm);
  CHECK_EQ(class_of(handled_code), MPI_ERR_RANK);
  OK(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
  CHECK(handled == 2 && class_of(handled_code) == MPI_ERR_OTHER);
  OK(MPI_Add_error_class(&class));
  OK(MPI_Comm_call_errhandler(comm, class));
  CHECK_EQ(handled_code, class);
  OK(MPI_Errhandler_free(&handler));
  CHECK(handler == MPI_ERRHANDLER_NULL);
  OK(MPI_Comm_call_errhandler(comm, MPI_ERR_ARG));
  CHECK_EQ(handled, 4);
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  OK(MPI_Comm_get_errhandler(comm, &found));
  CHECK(found == MPI_ERRORS_RETURN);
  OK(MPI_Comm_free(&comm));
  for (int i = 0; i < many; ++i) OK(MPI_Comm_create_errhandler(handle, &handlers[i]));
  for (int i = 0; i < many; ++i) OK(MPI_Errhandler_free(&handlers[i]));
}

/* ---- generalized requests */

static int queried, freed, cancelled_with = -1;

static int query(void* extra, MPI_Status* status) {
  ++queried;
  CHECK(extra == &queried);
  OK(MPI_Status_set_elements(status, MPI_INT, 6));
  OK(MPI_Status_set_cancelled(status, 0));
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = 66;
  return MPI_SUCCESS;
}

static int release(void* extra) {
  ++freed;
  CHECK(extra == &queried);
  return MPI_SUCCESS;
}

static int cancel(void* extra, int complete) {
  (void)extra;
  cancelled_with = complete;
  return MPI_SUCCESS;
}

static void generalized_requests(void) {
  MPI_Request request, same;
  MPI_Status status;
  int count = -1, flag = -1;
  OK(MPI_Grequest_start(query, release, cancel, &queried, &request));
  same = request;
  OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  CHECK(flag == 0 && request == same);
  OK(MPI_Cancel(&request));
  CHECK_EQ(cancelled_with, 0);
  OK(MPI_Grequest_complete(request));
  OK(MPI_Wait(&request, &status));
  CHECK(queried == 1 && freed == 1 && request == MPI_REQUEST_NULL);
  CHECK_EQ(status.MPI_TAG, 66);
  CHECK_EQ(status.MPI_SOURCE, MPI_UNDEFINED);
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQ(count, 6);
  for (int i = 0; i < many; ++i) {
    OK(MPI_Grequest_start(query, release, cancel, &queried, &request));
    OK(MPI_Grequest_complete(request));
    OK(MPI_Waitall(1, &request, &status));
  }
  CHECK_EQ(freed, many + 1);
}

/* ---- windows and files */

static int delete_win(MPI_Win win, int keyval, void* value, void* extra) {
  (void)win, (void)keyval, (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static void windows(void) {
  MPI_Win win, another;
  int *base, key, value = 5, flag, deleted = 0, *flavor = NULL, *other_flavor = NULL, *model = NULL;
  void* found = NULL;
  OK(MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, &key, &deleted));
  OK(MPI_Win_set_attr(win, key, &value));
  OK(MPI_Win_get_attr(win, key, &found, &flag));
  CHECK(flag && found == &value);
  /* What the addresses show is the window's own, whatever another window is asked. */
  OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &another));
  OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
  CHECK(flag);
  OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag));
  CHECK(flag);
  OK(MPI_Win_get_attr(another, MPI_WIN_CREATE_FLAVOR, &other_flavor, &flag));
  CHECK(flag);
  CHECK_EQ(*flavor, MPI_WIN_FLAVOR_ALLOCATE);
  CHECK_EQ(*other_flavor, MPI_WIN_FLAVOR_DYNAMIC);
  CHECK_EQ(*model, MPI_WIN_UNIFIED);
  OK(MPI_Win_free(&another));
  CHECK_EQ(*flavor, MPI_WIN_FLAVOR_ALLOCATE);
  OK(MPI_Win_free(&win));
  CHECK(deleted == 1);
  OK(MPI_Win_free_keyval(&key));
}

/* A data representation in which each int has all its bits inverted. */
static int invert_read(void* memory, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra) {
  CHECK(type == MPI_INT);
  for (int i = 0; i < count; ++i) {
    int bits;
    memcpy(&bits, (char*)file + 4 * i, 4);
    ((int*)memory)[position + i] = ~bits;
  }
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static int invert_write(void* memory, MPI_Datatype type, int count, void* file, MPI_Offset position, void* extra) {
  CHECK(type == MPI_INT);
  for (int i = 0; i < count; ++i) {
    const int bits = ~((int*)memory)[position + i];
    memcpy((char*)file + 4 * i, &bits, 4);
  }
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static int inverted_extent(MPI_Datatype type, MPI_Aint* bytes, void* extra) {
  (void)extra;
  CHECK(type == MPI_INT);
  *bytes = 4;
  return MPI_SUCCESS;
}

static void representations(void) {
  static int converted;
  const int given[3] = {7, -8, 9};
  int back[3] = {0, 0, 0};
  char name[64];
  MPI_File file;
  OK(MPI_Register_datarep("inverted", invert_read, invert_write, inverted_extent, &converted));
  snprintf(name, sizeof name, "callbacks.%ld.tmp", (long)getpid());
  OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file));
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "inverted", MPI_INFO_NULL));
  OK(MPI_File_write_at(file, 0, given, 3, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(file, 0, back, 3, MPI_INT, MPI_STATUS_IGNORE));
  CHECK(memcmp(given, back, sizeof given) == 0);
  CHECK(converted >= 2);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_read_at(file, 0, back, 3, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < 3; ++i) CHECK(back[i] == ~given[i]);
  OK(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  operators();
  attributes();
  error_handlers();
  generalized_requests();
  windows();
  representations();
  return finish();
}

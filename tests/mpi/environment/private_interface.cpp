// SPDX-License-Identifier: BSD-3-Clause
// The private interface for generated libraries: it is found by its name and version, and its callbacks get the context
// that they were made with.
#include "api/entry/private_interface.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "check.hpp"
#include "status.hpp"

namespace {

using bowline::CallbackContext;
using bowline::PrivateInterface;
using Kind = PrivateInterface::ObjectKind;

constexpr const char* name = "bowline_private_interface_1";

const PrivateInterface* with = nullptr;

void ask() {
  using Ask = const PrivateInterface* (*)(int version, std::size_t bytes) noexcept;
  auto* const interface = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, name));
  if (!CHECK(interface != nullptr)) return;
  CHECK(dlvsym(RTLD_DEFAULT, name, "BOWLINE_PRIVATE") == reinterpret_cast<void*>(interface));
  with = interface(PrivateInterface::version, sizeof(PrivateInterface));
  CHECK(with != nullptr);
  CHECK(interface(1, sizeof(void*)) == with);  // of a library that was built when the table was shorter
  CHECK(interface(1, sizeof(PrivateInterface) + 1) == nullptr);
  CHECK(interface(1, 0) == nullptr);
  for (const int version : {-1, 0, 2}) CHECK(interface(version, sizeof(PrivateInterface)) == nullptr);
}

// A context that counts.
struct Context {
  int calls = 0;
  int released = 0;
  std::int64_t number = 0;
  int last_code = -1;
  void* last_object = nullptr;

  static Context& of(void* data) { return *static_cast<Context*>(data); }
  CallbackContext handed() {
    return {this, [](void* data) { ++of(data).released; }};
  }
};

// ---- operators

// 2x + y + number, of integers modulo 1009: not commutative, and another operator with each context. It is not
// associative either, so it is for two operands only.
void combine(void* data, const void* in, void* inout, MPI_Count count, MPI_Datatype type) {
  Context& context = Context::of(data);
  ++context.calls;
  CHECK(type == MPI_INT64_T);
  const auto* const left = static_cast<const std::int64_t*>(in);
  auto* const right = static_cast<std::int64_t*>(inout);
  for (MPI_Count i = 0; i < count; ++i) right[i] = (2 * left[i] + right[i] + context.number) % 1009;
}

void operators() {
  Context one{.number = 1}, thousand{.number = 1000};
  std::array<MPI_Op, 2> ops{};
  CHECK_EQ(with->create_op(combine, one.handed(), 0, ops.data()), MPI_SUCCESS);
  CHECK_EQ(with->create_op(combine, thousand.handed(), 0, &ops[1]), MPI_SUCCESS);
  int commutes = 1;
  CHECK_EQ(MPI_Op_commutative(ops[0], &commutes), MPI_SUCCESS);
  CHECK_EQ(commutes, 0);
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, check::rank / 2, check::rank, &pair);
  int members = 0;
  MPI_Comm_size(pair, &members);
  const std::int64_t first = check::rank / 2 * 2;
  const std::array<Context*, 2> contexts{&one, &thousand};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int64_t mine = check::rank;
    std::int64_t result = -1;
    CHECK_EQ(MPI_Allreduce(&mine, &result, 1, MPI_INT64_T, ops[i], pair), MPI_SUCCESS);
    CHECK_EQ(result, members == 1 ? mine : (2 * first + first + 1 + contexts[i]->number) % 1009);
  }
  std::int64_t left = 5, right = 6;
  CHECK_EQ(MPI_Reduce_local(&left, &right, 1, MPI_INT64_T, ops[1]), MPI_SUCCESS);
  CHECK_EQ(right, (10 + 6 + 1000) % 1009);
  CHECK(thousand.calls > 0);

  // A pending operation keeps the operator, and with it the context.
  MPI_Request request = MPI_REQUEST_NULL;
  std::int64_t sum = -1;
  CHECK_EQ(MPI_Allreduce_init(&left, &sum, 1, MPI_INT64_T, ops[0], pair, MPI_INFO_NULL, &request), MPI_SUCCESS);
  for (MPI_Op& op : ops) CHECK_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  CHECK_EQ(one.released, 0);
  CHECK_EQ(thousand.released, 1);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(sum, members == 1 ? 5 : 2 * 5 + 5 + 1);
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  CHECK_EQ(one.released, 1);
  MPI_Comm_free(&pair);
}

// ---- error handlers

void handle_error(void* data, void* handle, int* code) {
  Context& context = Context::of(data);
  ++context.calls;
  context.last_object = *static_cast<void**>(handle);
  context.last_code = *code;
  if (context.number != 0) *code = static_cast<int>(context.number);
}

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return text.data();
}

void errors_of_communicators() {
  Context one, two{.number = MPI_ERR_UNKNOWN};
  std::array<MPI_Comm, 2> comms{};
  for (std::size_t i = 0; i < comms.size(); ++i) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_EQ(with->create_errhandler(Kind::communicator, handle_error, (i == 0 ? one : two).handed(), &handler),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comms[i], handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Send(nullptr, 0, MPI_INT, check::size, 0, comms[0]), MPI_ERR_RANK);
  CHECK(one.calls == 1 && one.last_code == MPI_ERR_RANK && one.last_object == comms[0]);
  CHECK_EQ(MPI_Send(nullptr, 0, MPI_INT, check::size, 0, comms[1]), MPI_ERR_UNKNOWN);
  CHECK(two.calls == 1 && two.last_code == MPI_ERR_RANK && two.last_object == comms[1]);
  CHECK_EQ(one.calls, 1);

  // What a generated library has found itself.
  CHECK_EQ(with->raise_error(comms[0], "MPI_F_example", MPI_ERR_COUNT, "count is -1"), MPI_ERR_COUNT);
  CHECK(one.calls == 2 && one.last_code == MPI_ERR_COUNT && one.last_object == comms[0]);
  CHECK_EQ(text_of(MPI_ERR_COUNT), "MPI_F_example: count is -1");
  CHECK_EQ(with->raise_error(MPI_COMM_NULL, "MPI_F_example", MPI_ERR_ARG, "no"), MPI_ERR_ARG);  // MPI_ERRORS_RETURN
  CHECK_EQ(one.calls, 2);

  // The communicators keep the error handlers.
  CHECK_EQ(one.released + two.released, 0);
  for (MPI_Comm& comm : comms) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK_EQ(one.released, 1);
  CHECK_EQ(two.released, 1);
}

void errors_of_sessions() {
  Context context;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Session session = MPI_SESSION_NULL;
  CHECK_EQ(with->create_errhandler(Kind::session, handle_error, context.handed(), &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, handler, &session), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_call_errhandler(session, MPI_ERR_OTHER), MPI_SUCCESS);
  CHECK(context.calls == 1 && context.last_code == MPI_ERR_OTHER && context.last_object == session);
  CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler), MPI_ERR_ERRHANDLER);  // of another kind
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  CHECK_EQ(context.released, 0);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  CHECK_EQ(context.released, 1);
  CHECK_EQ(with->create_errhandler(Kind::file, handle_error, context.handed(), &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  CHECK_EQ(context.released, 2);
}

void errors_of_windows() {
  Context context;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win win = MPI_WIN_NULL;
  CHECK_EQ(with->create_errhandler(Kind::window, handle_error, context.handed(), &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_set_errhandler(win, handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  CHECK(context.calls == 1 && context.last_code == MPI_ERR_RMA_SYNC && context.last_object == win);
  CHECK_EQ(with->raise_window_error(win, "MPI_F_example", MPI_ERR_COUNT, "count is -1"), MPI_ERR_COUNT);
  CHECK(context.calls == 2 && context.last_code == MPI_ERR_COUNT && context.last_object == win);
  CHECK_EQ(text_of(MPI_ERR_COUNT), "MPI_F_example: count is -1");
  CHECK_EQ(context.released, 0);
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  CHECK_EQ(context.released, 1);
}

// ---- attributes

int copy_attribute(void* data, void* object, int keyval, void* value, void** copy, int* wanted) {
  Context& context = Context::of(data);
  ++context.calls;
  context.last_object = object;
  context.last_code = keyval;
  CHECK_EQ(*wanted, 0);
  *copy = static_cast<char*>(value) + context.number;
  *wanted = 1;
  return MPI_SUCCESS;
}

int delete_attribute(void* data, void* object, int keyval, void* value) {
  Context& context = Context::of(data);
  ++context.calls;
  context.last_object = object;
  context.last_code = keyval;
  return value == nullptr ? MPI_ERR_OTHER : MPI_SUCCESS;
}

void attributes_of_communicators() {
  std::array<char, 10> place{};
  Context context{.number = 3};
  int key = MPI_KEYVAL_INVALID, flag = 0;
  CHECK_EQ(with->create_keyval(Kind::communicator, copy_attribute, delete_attribute, context.handed(), &key),
           MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK_EQ(MPI_Comm_set_attr(comm, key, place.data()), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
  CHECK(context.calls == 1 && context.last_object == comm && context.last_code == key);
  void* value = nullptr;
  CHECK_EQ(MPI_Comm_get_attr(copy, key, &value, &flag), MPI_SUCCESS);
  CHECK(flag != 0 && value == place.data() + 3);
  const int freed = key;
  CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  CHECK_EQ(context.released, 0);  // attributes keep it
  CHECK_EQ(MPI_Comm_delete_attr(copy, freed), MPI_SUCCESS);
  CHECK(context.calls == 2 && context.last_object == copy);
  MPI_Comm_free(&copy);
  CHECK_EQ(context.released, 0);
  MPI_Comm_free(&comm);
  CHECK_EQ(context.calls, 3);
  CHECK_EQ(context.released, 1);
}

void attributes_of_datatypes() {
  std::array<char, 10> place{};
  Context context{.number = 2}, silent;
  int key = MPI_KEYVAL_INVALID, other = MPI_KEYVAL_INVALID, flag = 0;
  CHECK_EQ(with->create_keyval(Kind::datatype, copy_attribute, delete_attribute, context.handed(), &key), MPI_SUCCESS);
  CHECK_EQ(with->create_keyval(Kind::datatype, nullptr, nullptr, silent.handed(), &other), MPI_SUCCESS);
  MPI_Datatype type = MPI_DATATYPE_NULL, copy = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &type);
  CHECK_EQ(MPI_Type_set_attr(type, key, place.data()), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_set_attr(type, other, place.data()), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_dup(type, &copy), MPI_SUCCESS);
  CHECK(context.calls == 1 && context.last_object == type);
  void* value = nullptr;
  CHECK_EQ(MPI_Type_get_attr(copy, key, &value, &flag), MPI_SUCCESS);
  CHECK(flag != 0 && value == place.data() + 2);
  CHECK_EQ(MPI_Type_get_attr(copy, other, &value, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  for (MPI_Datatype* each : {&type, &copy}) CHECK_EQ(MPI_Type_free(each), MPI_SUCCESS);
  CHECK_EQ(context.calls, 3);
  CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), MPI_ERR_KEYVAL);  // of another kind
  for (int* each : {&key, &other}) CHECK_EQ(MPI_Type_free_keyval(each), MPI_SUCCESS);
  CHECK_EQ(context.released, 1);
  CHECK_EQ(silent.released, 1);
}

void attributes_of_windows() {
  char place = 'x';
  Context context;
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(with->create_keyval(Kind::window, copy_attribute, delete_attribute, context.handed(), &key), MPI_SUCCESS);
  MPI_Win win = MPI_WIN_NULL;
  CHECK_EQ(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
  const MPI_Win made = win;
  CHECK_EQ(MPI_Win_set_attr(win, key, &place), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), MPI_ERR_KEYVAL);  // of another kind
  CHECK_EQ(MPI_Win_free_keyval(&key), MPI_SUCCESS);
  CHECK_EQ(context.released, 0);
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  CHECK(context.calls == 1 && context.last_object == made);
  CHECK_EQ(context.released, 1);
}

// ---- requests

void requests() {
  Context context{.number = 42};
  const auto query = [](void* data, MPI_Status* status) {
    ++Context::of(data).calls;
    status->MPI_TAG = static_cast<int>(Context::of(data).number);
    status->MPI_SOURCE = 7;
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
  };
  const auto free = [](void* data) { return ++Context::of(data).released, MPI_SUCCESS; };
  const auto cancel = [](void* data, int complete) { return Context::of(data).last_code = complete, MPI_SUCCESS; };
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(with->start_grequest(query, free, cancel, &context, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
  CHECK_EQ(context.last_code, 0);
  CHECK_EQ(MPI_Grequest_complete(request), MPI_SUCCESS);
  MPI_Status status;
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK(status.MPI_TAG == 42 && status.MPI_SOURCE == 7);
  CHECK(context.calls == 1 && context.released == 1);
}

// ---- what is refused: with the context, which is released

void refusals() {
  Context context;
  MPI_Op op = MPI_OP_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(with->create_op(nullptr, context.handed(), 1, &op), MPI_ERR_ARG);
  CHECK_EQ(text_of(MPI_ERR_ARG), "MPI_Op_create: user_fn is a null pointer: give a function");
  CHECK_EQ(with->create_errhandler(Kind::session, nullptr, context.handed(), &handler), MPI_ERR_ARG);
  CHECK_EQ(with->create_errhandler(Kind::datatype, handle_error, context.handed(), &handler), MPI_ERR_ARG);
  CHECK_EQ(with->create_keyval(Kind::file, copy_attribute, delete_attribute, context.handed(), &key), MPI_ERR_ARG);
  CHECK_EQ(with->create_keyval(static_cast<Kind>(99), nullptr, nullptr, context.handed(), &key), MPI_ERR_ARG);
  CHECK_EQ(text_of(MPI_ERR_ARG),
           "MPI_Comm_create_keyval: the kind of object is 99, but it has to be 0 (communicator), 1 (datatype) or 2 "
           "(window)");
  CHECK_EQ(context.released, 5);
  CHECK(op == MPI_OP_NULL && handler == MPI_ERRHANDLER_NULL && key == MPI_KEYVAL_INVALID);
}

// ---- data representations

// Each byte is stored with the context's number added, in front of one more byte for each element.
int store(void* data, void* user, MPI_Datatype type, MPI_Count count, void* file, MPI_Offset position) {
  Context& context = Context::of(data);
  ++context.calls;
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  const auto* from = static_cast<const unsigned char*>(user) + position * bytes;
  auto* to = static_cast<unsigned char*>(file);
  for (MPI_Count i = 0; i < count; ++i) {
    for (int j = 0; j < bytes; ++j) *to++ = static_cast<unsigned char>(*from++ + context.number);
    *to++ = 0xff;
  }
  return MPI_SUCCESS;
}

int load(void* data, void* user, MPI_Datatype type, MPI_Count count, void* file, MPI_Offset position) {
  Context& context = Context::of(data);
  ++context.calls;
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  const auto* from = static_cast<const unsigned char*>(file);
  auto* to = static_cast<unsigned char*>(user) + position * bytes;
  for (MPI_Count i = 0; i < count; ++i) {
    for (int j = 0; j < bytes; ++j) *to++ = static_cast<unsigned char>(*from++ - context.number);
    CHECK_EQ(*from++, 0xff);
  }
  return MPI_SUCCESS;
}

int longer_by_one(void* data, MPI_Datatype type, MPI_Aint* extent) {
  ++Context::of(data).calls;
  MPI_Aint lb = 0;
  MPI_Type_get_extent(type, &lb, extent);
  *extent += 1;
  return MPI_SUCCESS;
}

void representations() {
  static Context first, second;  // representations live until the process ends
  first.number = 3;
  CHECK_EQ(with->register_datarep("of a context", load, store, longer_by_one, first.handed()), MPI_SUCCESS);
  CHECK_EQ(with->register_datarep("of a context", load, store, longer_by_one, second.handed()), MPI_ERR_DUP_DATAREP);
  CHECK_EQ(second.released, 1);
  CHECK_EQ(with->register_datarep("another", load, store, nullptr, second.handed()), MPI_ERR_ARG);
  CHECK_EQ(second.released, 2);
  const std::string name = "bowline-test-private-" + std::to_string(getpid());
  MPI_File file = MPI_FILE_NULL;
  CHECK_EQ(MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                         MPI_INFO_NULL, &file),
           MPI_SUCCESS);
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_SHORT, MPI_SHORT, "of a context", MPI_INFO_NULL), MPI_SUCCESS);
  const std::array<short, 4> written = {1, 2, 300, -4};
  std::array<short, 4> read{};
  MPI_Status status;
  CHECK_EQ(MPI_File_write_at(file, 1, written.data(), 4, MPI_SHORT, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at(file, 1, read.data(), 4, MPI_SHORT, &status), MPI_SUCCESS);
  CHECK(read == written);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 5 * 3);
  CHECK(first.calls >= 3);
  CHECK_EQ(first.released, 0);
  CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  ask();  // at any time
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (with != nullptr) {
    operators();
    errors_of_communicators();
    errors_of_sessions();
    errors_of_windows();
    attributes_of_communicators();
    attributes_of_datatypes();
    attributes_of_windows();
    requests();
    refusals();
    representations();
  }
  return program.finish();
}

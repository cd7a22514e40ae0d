// SPDX-License-Identifier: BSD-3-Clause
// What the library for Fortran uses of the private interface (src/api/entry/private_interface.hpp), with the handles
// and numbers of this ABI. A callback gets an object of ours as its context, which holds the caller's callback and
// context.
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "abi_interface.hpp"
#include "front/attribute_values.hpp"
#include "front/fortran_communicators.hpp"
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

using Here = abi::PrivateInterface;
using Standard = bowline::PrivateInterface;

Standard::ObjectKind standard(Here::ObjectKind kind) noexcept {
  return static_cast<Standard::ObjectKind>(kind);
}

// ---- the handle of an object, as a pointer

template <class Handle>
Handle handle_from(void* object) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<Handle>(object);
  } else {
    return static_cast<Handle>(reinterpret_cast<std::intptr_t>(object));
  }
}
template <class Handle>
void* object_from(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<void*>(handle);
  } else {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(handle));
  }
}

void* in_object(Here::ObjectKind kind, void* here) noexcept {
  switch (kind) {
    case Here::ObjectKind::communicator:
      return abi::in_comm(handle_from<abi::Comm>(here));
    case Here::ObjectKind::datatype:
      return abi::in_type(handle_from<abi::Datatype>(here));
    case Here::ObjectKind::window:
      return abi::in_win(handle_from<abi::Win>(here));
    case Here::ObjectKind::file:
      return abi::in_file(handle_from<abi::File>(here));
    case Here::ObjectKind::session:
      return abi::in_session(handle_from<abi::Session>(here));
  }
  return nullptr;
}

void* out_object(Here::ObjectKind kind, void* given) noexcept {
  switch (kind) {
    case Here::ObjectKind::communicator:
      return object_from(abi::out_comm(static_cast<MPI_Comm>(given)));
    case Here::ObjectKind::datatype:
      return object_from(abi::out_type(static_cast<MPI_Datatype>(given)));
    case Here::ObjectKind::window:
      return object_from(abi::out_win(static_cast<MPI_Win>(given)));
    case Here::ObjectKind::file:
      return object_from(abi::out_file(static_cast<MPI_File>(given)));
    case Here::ObjectKind::session:
      return object_from(abi::out_session(static_cast<MPI_Session>(given)));
  }
  return nullptr;
}

// ---- callbacks

/// The caller's callbacks, as the context of ours.
template <class Callbacks>
struct Own {
  Callbacks callbacks;
  abi::CallbackContext context;

  static const Own& of(void* data) noexcept { return *static_cast<Own*>(data); }
  static bowline::CallbackContext make(const Callbacks& callbacks, abi::CallbackContext context) {
    return {new Own{callbacks, context}, release};
  }
  static void release(void* data) {
    const std::unique_ptr<Own> own(static_cast<Own*>(data));
    if (own->context.release != nullptr) own->context.release(own->context.data);
  }
};

using Operator = Own<Here::Combine>;

int create_op(Here::Combine function, abi::CallbackContext context, int commute, abi::Op* op) {
  const auto combine = [](void* data, const void* in, void* inout, MPI_Count count, MPI_Datatype type) {
    const Operator& own = Operator::of(data);
    own.callbacks(own.context.data, in, inout, count, abi::out_type(type));
  };
  MPI_Op made = MPI_OP_NULL;
  const int code = interface().create_op(combine, Operator::make(function, context), commute, &made);
  if (code == MPI_SUCCESS) *op = abi::out_op(made);
  return out_code(code);
}

struct Handler {
  Here::HandleError function;
  Here::ObjectKind kind;
};
using ErrorHandler = Own<Handler>;

template <class Handle>
void call(const ErrorHandler& own, void* object, int* code) {
  Handle handle = handle_from<Handle>(object);
  own.callbacks.function(own.context.data, &handle, code);
}

void handle_error(void* data, void* handle, int* code) {
  const ErrorHandler& own = ErrorHandler::of(data);
  void* const object = out_object(own.callbacks.kind, *static_cast<void**>(handle));
  int code_here = abi::out_error(*code);
  switch (own.callbacks.kind) {
    case Here::ObjectKind::communicator:
      call<abi::Comm>(own, object, &code_here);
      break;
    case Here::ObjectKind::window:
      call<abi::Win>(own, object, &code_here);
      break;
    case Here::ObjectKind::file:
      call<abi::File>(own, object, &code_here);
      break;
    case Here::ObjectKind::session:
      call<abi::Session>(own, object, &code_here);
      break;
    case Here::ObjectKind::datatype:
      break;  // has no error handlers
  }
  *code = abi::in_error(code_here);
}

int create_errhandler(Here::ObjectKind kind, Here::HandleError function, abi::CallbackContext context,
                      abi::Errhandler* errhandler) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int code =
      interface().create_errhandler(standard(kind), handle_error, ErrorHandler::make({function, kind}, context), &made);
  if (code == MPI_SUCCESS) *errhandler = abi::out_errhandler(made);
  return out_code(code);
}

// ---- attributes

struct KeyCallbacks {
  Here::NumberKeyval given;
  Here::ObjectKind kind;
};
using Key = Own<KeyCallbacks>;

int copy_attribute(void* data, void* object, int keyval, void* value, void** copy, int* wanted) {
  const Key& own = Key::of(data);
  return abi::in_error(own.callbacks.given.copy(own.context.data, out_object(own.callbacks.kind, object),
                                                abi::out_keyval(keyval), value, copy, wanted));
}

int delete_attribute(void* data, void* object, int keyval, void* value) {
  const Key& own = Key::of(data);
  return abi::in_error(own.callbacks.given.remove(own.context.data, out_object(own.callbacks.kind, object),
                                                  abi::out_keyval(keyval), value));
}

int create_number_keyval(Here::ObjectKind kind, Here::NumberKeyval callbacks, abi::CallbackContext context,
                         int* keyval) {
  const Standard::NumberKeyval ours{.form = static_cast<Standard::AttributeForm>(callbacks.form),
                                    .same = callbacks.same,
                                    .copy = callbacks.copy == nullptr ? nullptr : copy_attribute,
                                    .remove = callbacks.remove == nullptr ? nullptr : delete_attribute};
  int made = MPI_KEYVAL_INVALID;
  const int code = interface().create_number_keyval(standard(kind), ours, Key::make({callbacks, kind}, context), &made);
  if (code == MPI_SUCCESS) *keyval = abi::out_keyval(made);
  return out_code(code);
}

int set_number_attribute(Here::ObjectKind kind, void* object, int keyval, Here::AttributeForm form, MPI_Aint value) {
  const int key = abi::in_keyval_of_fortran(keyval);
  return out_code(interface().set_number_attribute(standard(kind), in_object(kind, object), key,
                                                   static_cast<Standard::AttributeForm>(form), value));
}

int get_number_attribute(Here::ObjectKind kind, void* object, int keyval, MPI_Aint* value, int* flag) {
  const int key = abi::in_keyval_of_fortran(keyval);
  const int code = interface().get_number_attribute(standard(kind), in_object(kind, object), key, value, flag);
  const SpecialAttribute* const special = special_attribute(key);
  if (code == MPI_SUCCESS && *flag != 0 && special != nullptr) *value = special->out(static_cast<int>(*value));
  return out_code(code);
}

// ---- the rest

int raise_error(abi::Comm comm, const char* function, int code, const char* text) {
  return out_code(interface().raise_error(abi::in_comm(comm), function, abi::in_error(code), text));
}

int view_sections(abi::Datatype datatype, const Here::ArraySection* sections, int count, abi::Datatype* view,
                  void** addresses) noexcept {
  Standard::ArraySection ours[Standard::most_sections];
  for (int i = 0; i < count; ++i) ours[i] = std::bit_cast<Standard::ArraySection>(sections[i]);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code = interface().view_sections(abi::in_type(datatype), ours, count, &made, addresses);
  if (code == MPI_SUCCESS) *view = abi::out_type(made);
  return out_code(code);
}

void release_view(abi::Datatype view) noexcept {
  interface().release_view(abi::in_type(view));
}

}  // namespace
}  // namespace front

/// The table of this version; null if the front end has another version, or if its table is shorter than `bytes`. What
/// the library for Fortran does not use is null.
extern "C" [[gnu::visibility("default")]] const abi::PrivateInterface* bowline_front_interface_1(
    int version, std::size_t bytes) noexcept {
  static const abi::PrivateInterface table = [] {
    abi::PrivateInterface made{};
    made.create_op = front::create_op;
    made.create_errhandler = front::create_errhandler;
    made.raise_error = front::raise_error;
    made.create_number_keyval = front::create_number_keyval;
    made.set_number_attribute = front::set_number_attribute;
    made.get_number_attribute = front::get_number_attribute;
    made.duplicate_communicator = front::duplicate_communicator;
    made.shrink_communicator = front::shrink_communicator;
    made.members = front::members;
    made.view_sections = front::view_sections;
    made.release_view = front::release_view;
    made.logical_values = front::interface().logical_values;
    return made;
  }();
  return version == abi::PrivateInterface::version && bytes <= sizeof table ? &table : nullptr;
}

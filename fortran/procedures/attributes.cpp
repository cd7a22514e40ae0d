// SPDX-License-Identifier: BSD-3-Clause
// Attributes and their keys. Fortran's values are numbers, of two lengths: those of the functions of MPI-1 are INTEGERs
// (MPI-5.0, section 19.3.7).
#include <cstdint>
#include <memory>
#include <type_traits>

#include "procedures/arguments.hpp"
#include "procedures/callbacks.hpp"
#include "written.hpp"

namespace bowline::fortran {
namespace {

using Kind = PrivateInterface::ObjectKind;
using Form = PrivateInterface::AttributeForm;

template <class Number>
struct Keyval {
  Procedure* copy;
  Procedure* remove;
  Number extra_state;

  static Keyval& of(void* context) noexcept { return *static_cast<Keyval*>(context); }
  static void release(void* context) { delete static_cast<Keyval*>(context); }
};

template <class Number>
Number number_from(void* value) noexcept {
  return static_cast<Number>(reinterpret_cast<std::intptr_t>(value));
}

/// The handle that a callback gets as a pointer.
template <class Handle>
Handle from_object(void* object) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<Handle>(object);
  } else {
    return static_cast<Handle>(reinterpret_cast<std::intptr_t>(object));
  }
}
template <class Handle>
void* as_object(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<void*>(handle);
  } else {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(handle));
  }
}

template <class Handle, class Number>
int copy_attribute(void* context, void* object, int keyval, void* value, void** copy, int* wanted) {
  auto& key = Keyval<Number>::of(context);
  MPI_Fint old = number_of(from_object<Handle>(object));
  auto in = number_from<Number>(value);
  Number out = 0;
  MPI_Fint flag = logical_value(false);
  MPI_Fint code = MPI_SUCCESS;
  call(key.copy, &old, &keyval, &key.extra_state, &in, &out, &flag, &code);
  *wanted = logical(&flag);
  *copy = reinterpret_cast<void*>(static_cast<std::intptr_t>(out));
  return code;
}

template <class Handle, class Number>
int delete_attribute(void* context, void* object, int keyval, void* value) {
  auto& key = Keyval<Number>::of(context);
  MPI_Fint owner = number_of(from_object<Handle>(object));
  auto number = number_from<Number>(value);
  MPI_Fint code = MPI_SUCCESS;
  call(key.remove, &owner, &keyval, &number, &key.extra_state, &code);
  return code;
}

template <class Handle, class Number>
int make_keyval(Kind kind, Procedure* copy, Procedure* remove, int* keyval, const Number* extra_state) {
  const Predefined copies = predefined(copy);
  const PrivateInterface::NumberKeyval callbacks{
      .form = sizeof(Number) == sizeof(MPI_Aint) ? Form::address : Form::integer,
      .same = copies == Predefined::dup,
      .copy = copies == Predefined::none ? copy_attribute<Handle, Number> : nullptr,
      .remove = predefined(remove) == Predefined::none ? delete_attribute<Handle, Number> : nullptr};
  auto* const context = new Keyval<Number>{copy, remove, *extra_state};
  return interface().create_number_keyval(kind, callbacks, {context, Keyval<Number>::release}, keyval);
}

template <class Handle>
int set(Kind kind, const MPI_Fint* object, const int* keyval, Form form, MPI_Aint value) {
  return interface().set_number_attribute(kind, as_object(handle<Handle>(object)), *keyval, form, value);
}

/// An INTEGER gets the lowest bits of an address.
template <class Handle, class Number>
int get(Kind kind, const MPI_Fint* object, const int* keyval, Number* value, MPI_Fint* flag) {
  MPI_Aint found = 0;
  int exists = 0;
  const int code = interface().get_number_attribute(kind, as_object(handle<Handle>(object)), *keyval, &found, &exists);
  if (code != MPI_SUCCESS) return code;
  if (exists != 0) *value = static_cast<Number>(found);
  *flag = logical_value(exists != 0);
  return code;
}

}  // namespace

namespace written {

int comm_create_keyval(Procedure* comm_copy_attr_fn, Procedure* comm_delete_attr_fn, int* comm_keyval,
                       const MPI_Aint* extra_state) {
  return make_keyval<MPI_Comm>(Kind::communicator, comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
}
int type_create_keyval(Procedure* type_copy_attr_fn, Procedure* type_delete_attr_fn, int* type_keyval,
                       const MPI_Aint* extra_state) {
  return make_keyval<MPI_Datatype>(Kind::datatype, type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
}
int win_create_keyval(Procedure* win_copy_attr_fn, Procedure* win_delete_attr_fn, int* win_keyval,
                      const MPI_Aint* extra_state) {
  return make_keyval<MPI_Win>(Kind::window, win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
}
int keyval_create(Procedure* copy_fn, Procedure* delete_fn, int* keyval, const MPI_Fint* extra_state) {
  return make_keyval<MPI_Comm>(Kind::communicator, copy_fn, delete_fn, keyval, extra_state);
}

int comm_set_attr(const MPI_Fint* comm, const int* comm_keyval, const MPI_Aint* attribute_val) {
  return set<MPI_Comm>(Kind::communicator, comm, comm_keyval, Form::address, *attribute_val);
}
int type_set_attr(const MPI_Fint* datatype, const int* type_keyval, const MPI_Aint* attribute_val) {
  return set<MPI_Datatype>(Kind::datatype, datatype, type_keyval, Form::address, *attribute_val);
}
int win_set_attr(const MPI_Fint* win, const int* win_keyval, const MPI_Aint* attribute_val) {
  return set<MPI_Win>(Kind::window, win, win_keyval, Form::address, *attribute_val);
}
int attr_put(const MPI_Fint* comm, const int* keyval, const MPI_Fint* attribute_val) {
  return set<MPI_Comm>(Kind::communicator, comm, keyval, Form::integer, *attribute_val);
}

int comm_get_attr(const MPI_Fint* comm, const int* comm_keyval, MPI_Aint* attribute_val, MPI_Fint* flag) {
  return get<MPI_Comm>(Kind::communicator, comm, comm_keyval, attribute_val, flag);
}
int type_get_attr(const MPI_Fint* datatype, const int* type_keyval, MPI_Aint* attribute_val, MPI_Fint* flag) {
  return get<MPI_Datatype>(Kind::datatype, datatype, type_keyval, attribute_val, flag);
}
int win_get_attr(const MPI_Fint* win, const int* win_keyval, MPI_Aint* attribute_val, MPI_Fint* flag) {
  return get<MPI_Win>(Kind::window, win, win_keyval, attribute_val, flag);
}
int attr_get(const MPI_Fint* comm, const int* keyval, MPI_Fint* attribute_val, MPI_Fint* flag) {
  return get<MPI_Comm>(Kind::communicator, comm, keyval, attribute_val, flag);
}

}  // namespace written
}  // namespace bowline::fortran

// SPDX-License-Identifier: BSD-3-Clause
// The private interface's attributes as Fortran sees them: numbers (MPI-5.0, section 19.3.7).
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/private_parts.hpp"
#include "api/entry/validators.hpp"
#include "api/entry/window_handles.hpp"
#include "api/one_sided/windows.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

using ObjectKind = PrivateInterface::ObjectKind;

AttributeValue::SetAs form_of(PrivateInterface::AttributeForm form) noexcept {
  return form == PrivateInterface::AttributeForm::integer ? AttributeValue::SetAs::integer
                                                          : AttributeValue::SetAs::address;
}

/// The attributes of the object behind a handle. Throws Error if the handle is invalid.
Attributes& attributes_of(Call& call, ObjectKind kind, void* object) {
  if (kind == ObjectKind::communicator) return call.comm(static_cast<MPI_Comm>(object), "comm").attributes();
  if (kind == ObjectKind::window) return call.win(static_cast<MPI_Win>(object), "win").attributes();
  return check::datatype(static_cast<MPI_Datatype>(object), "datatype").attributes();
}

const char* const set_functions[] = {"MPI_Comm_set_attr", "MPI_Type_set_attr", "MPI_Win_set_attr"};
const char* const get_functions[] = {"MPI_Comm_get_attr", "MPI_Type_get_attr", "MPI_Win_get_attr"};

/// The value of a predefined attribute.
std::optional<std::intptr_t> predefined_number(ObjectKind kind, void* object, int keyval) {
  if (kind == ObjectKind::window) return window_number(*find_win(static_cast<MPI_Win>(object)), keyval);
  void* place = nullptr;
  int found = 0;
  comm_get_attr(*find_comm(static_cast<MPI_Comm>(object)), keyval, static_cast<void*>(&place), &found);
  if (found == 0) return std::nullopt;
  return *static_cast<const int*>(place);
}

bool has_predefined(ObjectKind kind, int keyval) noexcept {
  return (kind == ObjectKind::communicator && is_predefined_key(keyval)) ||
         (kind == ObjectKind::window && is_predefined_win_key(keyval));
}

/// The key of an attribute that the user may set.
std::shared_ptr<const Keyval> key_to_set(ObjectKind kind, int keyval) {
  switch (kind) {
    case ObjectKind::communicator:
      return own_key(keyval, "comm_keyval");
    case ObjectKind::window:
      return own_win_key(keyval);
    default:
      return key_of(type_keys(), keyval, "type_keyval");
  }
}

std::optional<std::intptr_t> number_of(Call& call, ObjectKind kind, void* object, int keyval) {
  const Attributes& attributes = attributes_of(call, kind, object);
  if (has_predefined(kind, keyval)) return predefined_number(kind, object, keyval);
  if (const AttributeValue* const value = attributes.find(keyval); value != nullptr) return value->number();
  key_of(keys_of(kind), keyval, "keyval");  // throws if the key does not exist
  return std::nullopt;
}

}  // namespace

void refuse_kind(ObjectKind kind, const char* allowed) {
  throw Error(ErrorClass::arg,
              fmt::format("the kind of object is {}, but it has to be {}", static_cast<int>(kind), allowed));
}

const char* keyval_function(ObjectKind kind) noexcept {
  switch (kind) {
    case ObjectKind::datatype:
      return "MPI_Type_create_keyval";
    case ObjectKind::window:
      return "MPI_Win_create_keyval";
    default:
      return "MPI_Comm_create_keyval";
  }
}

KeyvalTable& keys_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::communicator:
      return comm_keys();
    case ObjectKind::datatype:
      return type_keys();
    case ObjectKind::window:
      return win_keys();
    default:
      refuse_kind(kind, "0 (communicator), 1 (datatype) or 2 (window)");
  }
}

Keyval::Remove delete_with_context(std::shared_ptr<OwnedContext> context, PrivateInterface::DeleteAttribute remove) {
  return [context = std::move(context), remove](void* object, int key, void* value) {
    return remove == nullptr ? MPI_SUCCESS : remove(context->data(), object, key, value);
  };
}

int create_number_keyval(ObjectKind kind, PrivateInterface::NumberKeyval callbacks, CallbackContext context,
                         int* keyval) {
  OwnedContext owned(context);
  return guarded(keyval_function(kind), [&](Call& call) {
    call.needs_mpi();
    const auto shared = std::make_shared<OwnedContext>(std::move(owned));
    Keyval::Copying copying{.ask = {}, .same = callbacks.same};
    if (callbacks.copy != nullptr && !callbacks.same) {
      copying.ask = [shared, copy = callbacks.copy](void* object, int key, void* value, void** result, int* wanted) {
        return copy(shared->data(), object, key, value, result, wanted);
      };
    }
    *keyval =
        keys_of(kind).add(std::move(copying), delete_with_context(shared, callbacks.remove), form_of(callbacks.form));
  });
}

int set_number_attribute(ObjectKind kind, void* object, int keyval, PrivateInterface::AttributeForm form,
                         MPI_Aint value) {
  const auto set = [&](Call& call) {
    call.needs_mpi();
    Attributes& attributes = attributes_of(call, kind, object);
    attributes.set(key_to_set(kind, keyval), AttributeValue::from(form_of(form), reinterpret_cast<void*>(value)),
                   object);
  };
  return guarded_with_lock(set_functions[static_cast<int>(kind)], set);
}

int get_number_attribute(ObjectKind kind, void* object, int keyval, MPI_Aint* value, int* flag) {
  const auto get = [&](Call& call) {
    call.needs_mpi();
    const std::optional<std::intptr_t> number = number_of(call, kind, object, keyval);
    *flag = number ? 1 : 0;
    if (number) *value = *number;
  };
  return guarded_with_lock(get_functions[static_cast<int>(kind)], get);
}

}  // namespace bowline::api

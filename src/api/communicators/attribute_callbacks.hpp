// SPDX-License-Identifier: BSD-3-Clause
// Conversion of the user's callbacks to those of attribute keys, for every kind of object that has attributes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "base/attributes.hpp"

namespace bowline::api {

/// The tables of the keys of communicators and of datatypes. The tables live until the process ends, because objects
/// may live so long.
KeyvalTable& comm_keys();
KeyvalTable& type_keys();

/// The key with this number. Throws Error (keyval) if there is none.
std::shared_ptr<const Keyval> key_of(const KeyvalTable& table, int key, const char* name);
/// Whether the key is that of a predefined attribute of communicators.
bool is_predefined_key(int key) noexcept;
/// The key of an attribute of communicators that the user may set or delete.
std::shared_ptr<const Keyval> own_key(int key, const char* name);
[[noreturn]] void delete_missing(int key, const char* name);

// MPI_*_NULL_COPY_FN, MPI_*_DUP_FN and MPI_*_NULL_DELETE_FN are small numbers in the standard ABI, the same for all
// kinds of objects.
inline constexpr std::uintptr_t null_function = 0;
inline constexpr std::uintptr_t dup_function = 1;

/// `Function` is the C type of the user's copy function for objects with this kind of handle.
template <class Handle, class Function>
Keyval::Copying copy_function(Function* function, void* extra_state) {
  switch (reinterpret_cast<std::uintptr_t>(function)) {
    case null_function:
      return {};
    case dup_function:
      return {.ask = {}, .same = true};
    default:
      return {.ask = [=](void* object, int key, void* value, void** copy, int* wanted) {
        return function(static_cast<Handle>(object), key, extra_state, value, static_cast<void*>(copy), wanted);
      }};
  }
}

template <class Handle, class Function>
Keyval::Remove delete_function(Function* function, void* extra_state) {
  if (reinterpret_cast<std::uintptr_t>(function) == null_function) return {};
  return [=](void* object, int key, void* value) {
    return function(static_cast<Handle>(object), key, value, extra_state);
  };
}

}  // namespace bowline::api

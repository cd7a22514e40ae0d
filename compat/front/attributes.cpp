// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys of the user, and the values of MPI's own attributes.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "front/attribute_values.hpp"
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

using bowline::PrivateInterface;

/// The user's callbacks of a key for objects with this kind of handle, the context of the key.
template <class Copy, class Remove, class Standard, class Here, Here (*out)(Standard) noexcept>
struct Callbacks {
  Copy* copy_function;
  Remove* remove_function;
  void* extra_state;

  static int copy(void* data, void* object, int keyval, void* value, void** copy, int* wanted) {
    const auto& own = *static_cast<Callbacks*>(data);
    return abi::in_error(own.copy_function(out(static_cast<Standard>(object)), abi::out_keyval(keyval), own.extra_state,
                                           value, static_cast<void*>(copy), wanted));
  }
  static int remove(void* data, void* object, int keyval, void* value) {
    const auto& own = *static_cast<Callbacks*>(data);
    return abi::in_error(
        own.remove_function(out(static_cast<Standard>(object)), abi::out_keyval(keyval), value, own.extra_state));
  }
  static void release(void* data) { delete static_cast<Callbacks*>(data); }

  static int create(PrivateInterface::ObjectKind kind, Copy* copy_function, Remove* remove_function, int* keyval,
                    void* extra_state) {
    auto own = std::make_unique<Callbacks>(Callbacks{copy_function, remove_function, extra_state});
    int made = MPI_KEYVAL_INVALID;
    PrivateInterface::CopyAttribute copies = copy_function == nullptr ? nullptr : copy;
    // Bowline's own: it copies the numbers that Fortran has set too, and not their addresses.
    if (abi::is_dup_function(reinterpret_cast<const void*>(copy_function)))
      copies = reinterpret_cast<PrivateInterface::CopyAttribute>(reinterpret_cast<std::uintptr_t>(MPI_COMM_DUP_FN));
    const int code = interface().create_keyval(kind, copies, remove_function == nullptr ? nullptr : remove,
                                               {own.release(), release}, &made);
    if (code == MPI_SUCCESS) *keyval = abi::out_keyval(made);
    return out_code(code);
  }
};

using CommKey =
    Callbacks<abi::Comm_copy_attr_function, abi::Comm_delete_attr_function, MPI_Comm, abi::Comm, abi::out_comm>;
using TypeKey =
    Callbacks<abi::Type_copy_attr_function, abi::Type_delete_attr_function, MPI_Datatype, abi::Datatype, abi::out_type>;
using WinKey = Callbacks<abi::Win_copy_attr_function, abi::Win_delete_attr_function, MPI_Win, abi::Win, abi::out_win>;

/// Numbers for attributes that never change, whose values are small in both ABIs. The address of one of them shows its
/// value whatever other objects have, and longer than any object lives.
constexpr int least_constant = -8;
constexpr auto constants = [] {
  std::array<int, 24> numbers{};
  for (int i = 0; i < static_cast<int>(numbers.size()); ++i) numbers[static_cast<std::size_t>(i)] = least_constant + i;
  return numbers;
}();
constexpr std::size_t place_of_constant(int number) noexcept {
  return static_cast<std::size_t>(number - least_constant);
}
static_assert(std::ranges::all_of(special_attribute_table, [](const SpecialAttribute& each) {
  return std::ranges::all_of(each.values,
                             [](const Pair& value) { return place_of_constant(value.here) < constants.size(); });
}));

/// The only attribute that changes belongs to the process. Another thread may read it at the same time.
int* changing_value(int number) noexcept {
  static int last_used_code;
  std::atomic_ref(last_used_code).store(number, std::memory_order_relaxed);
  return &last_used_code;
}

/// Gives C the address of the converted value of one of MPI's own attributes.
void convert_value(int keyval, void* address_of_value) noexcept {
  const SpecialAttribute* const special = special_attribute(keyval);
  if (special == nullptr) return;
  int*& value = *static_cast<int**>(address_of_value);
  const int number = special->out(*value);
  value = special->values.empty() ? changing_value(number) : const_cast<int*>(&constants[place_of_constant(number)]);
}

template <class Handle>
int get(int (*function)(Handle, int, void*, int*), Handle object, int keyval, void* value, int* flag) {
  const int standard = abi::in_keyval(keyval);
  const int code = function(object, standard, value, flag);
  if (code == MPI_SUCCESS && *flag != 0) convert_value(standard, value);
  return out_code(code);
}

}  // namespace

int comm_create_keyval(abi::Comm_copy_attr_function* copy, abi::Comm_delete_attr_function* remove, int* keyval,
                       void* extra_state) {
  return CommKey::create(PrivateInterface::ObjectKind::communicator, copy, remove, keyval, extra_state);
}

int keyval_create(abi::Copy_function* copy, abi::Delete_function* remove, int* keyval, void* extra_state) {
  return comm_create_keyval(copy, remove, keyval, extra_state);
}

int type_create_keyval(abi::Type_copy_attr_function* copy, abi::Type_delete_attr_function* remove, int* keyval,
                       void* extra_state) {
  return TypeKey::create(PrivateInterface::ObjectKind::datatype, copy, remove, keyval, extra_state);
}

int win_create_keyval(abi::Win_copy_attr_function* copy, abi::Win_delete_attr_function* remove, int* keyval,
                      void* extra_state) {
  return WinKey::create(PrivateInterface::ObjectKind::window, copy, remove, keyval, extra_state);
}

int comm_get_attr(abi::Comm comm, int keyval, void* value, int* flag) {
  return get(bowline_PMPI_Comm_get_attr, abi::in_comm(comm), keyval, value, flag);
}

int attr_get(abi::Comm comm, int keyval, void* value, int* flag) {
  return comm_get_attr(comm, keyval, value, flag);
}

int type_get_attr(abi::Datatype type, int keyval, void* value, int* flag) {
  return get(bowline_PMPI_Type_get_attr, abi::in_type(type), keyval, value, flag);
}

int win_get_attr(abi::Win win, int keyval, void* value, int* flag) {
  return get(bowline_PMPI_Win_get_attr, abi::in_win(win), keyval, value, flag);
}

}  // namespace front

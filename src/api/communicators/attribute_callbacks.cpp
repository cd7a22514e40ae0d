// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.7 and chapter 9: attributes of communicators, including predefined ones, and the MPI-1 forms of
// these functions.
#include "api/communicators/attribute_callbacks.hpp"

#include <fmt/format.h>
#include <mpi-ext.h>

#include <limits>
#include <optional>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/processes/parent.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// The address of the value of a predefined attribute, as the standard requires; nullptr if the value is not known.
/// Several threads may ask at the same time.
const int* predefined(int key) {
  static int tag_ub = std::numeric_limits<int>::max();
  static int io = MPI_ANY_SOURCE;
  static int host = MPI_PROC_NULL;
  static int one_clock, application, universe, last_code, fault_tolerance;
  const auto known = [](int& place, std::optional<int> value) {
    if (value) AtomicRef<int>(place).store(*value, std::memory_order_relaxed);
    return value ? &place : nullptr;
  };
  switch (key) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_IO:
      return &io;
    case MPI_HOST:
      return &host;
    case MPIX_FT:
      return known(fault_tolerance, this_process().may_lose_ranks() ? 1 : 0);
    case MPI_WTIME_IS_GLOBAL:
      return known(one_clock, this_process().on_one_node() ? 1 : 0);
    case MPI_APPNUM:
      if (const auto program = spawned_program()) return known(application, program);
      return known(application, this_process().wireup().application());
    case MPI_UNIVERSE_SIZE:
      return known(universe, this_process().wireup().universe_size());
    default:
      return known(last_code, error_codes().last_used());
  }
}

}  // namespace

bool is_predefined_key(int key) noexcept {
  static_assert(MPIX_FT < KeyvalTable::first_number);
  return (key >= MPI_TAG_UB && key <= MPI_UNIVERSE_SIZE) || key == MPIX_FT;
}

std::shared_ptr<const Keyval> own_key(int key, const char* name) {
  if (is_predefined_key(key)) {
    throw Error(ErrorClass::keyval, fmt::format("{} is {}, a predefined attribute, which can only be read", name, key));
  }
  return key_of(comm_keys(), key, name);
}

KeyvalTable& comm_keys() {
  static auto* const table = new KeyvalTable;
  return *table;
}

std::shared_ptr<const Keyval> key_of(const KeyvalTable& table, int key, const char* name) {
  auto found = table.find(key);
  if (found != nullptr) return found;
  if (key == MPI_KEYVAL_INVALID) throw Error(ErrorClass::keyval, fmt::format("{} is MPI_KEYVAL_INVALID", name));
  throw Error(ErrorClass::keyval,
              fmt::format("{} is {}, which is no attribute key of this kind: it was freed, or never made", name, key));
}

void delete_missing(int key, const char* name) {
  throw Error(ErrorClass::arg, fmt::format("{} is {}, of which there is no attribute here to delete", name, key));
}

void comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                        MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  *comm_keyval = comm_keys().add(copy_function<MPI_Comm>(comm_copy_attr_fn, extra_state),
                                 delete_function<MPI_Comm>(comm_delete_attr_fn, extra_state));
}

void comm_free_keyval(int* comm_keyval) {
  own_key(*comm_keyval, "comm_keyval");
  comm_keys().remove(*comm_keyval);
  *comm_keyval = MPI_KEYVAL_INVALID;
}

void comm_set_attr(comm::Communicator& comm, int comm_keyval, void* attribute_val) {
  comm.attributes().set(own_key(comm_keyval, "comm_keyval"), attribute_val, to_handle(comm));
}

void comm_get_attr(comm::Communicator& comm, int comm_keyval, void* attribute_val, int* flag) {
  void* value = nullptr;
  if (is_predefined_key(comm_keyval)) {
    value = const_cast<int*>(predefined(comm_keyval));
    *flag = value != nullptr ? 1 : 0;
  } else {
    *flag =
        comm.attributes().find(comm_keyval, value) ? 1 : 0;  // the value may belong to a key that has been freed since
    if (*flag == 0) key_of(comm_keys(), comm_keyval, "comm_keyval");
  }
  if (*flag != 0) *static_cast<void**>(attribute_val) = value;
}

void comm_delete_attr(comm::Communicator& comm, int comm_keyval) {
  if (comm.attributes().remove(comm_keyval, to_handle(comm)))
    return;  // the value may belong to a key that has been freed since
  own_key(comm_keyval, "comm_keyval");
  delete_missing(comm_keyval, "comm_keyval");
}

void keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
  comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}

void keyval_free(int* keyval) {
  comm_free_keyval(keyval);
}

void attr_put(comm::Communicator& comm, int keyval, void* attribute_val) {
  comm_set_attr(comm, keyval, attribute_val);
}

void attr_get(comm::Communicator& comm, int keyval, void* attribute_val, int* flag) {
  comm_get_attr(comm, keyval, attribute_val, flag);
}

void attr_delete(comm::Communicator& comm, int keyval) {
  comm_delete_attr(comm, keyval);
}

}  // namespace bowline::api

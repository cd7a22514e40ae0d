// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.7.4: attributes of datatypes.
#include "api/communicators/attribute_callbacks.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "bodies.hpp"

namespace bowline::api {

KeyvalTable& type_keys() {
  static auto* const table = new KeyvalTable;
  return *table;
}

void type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                        MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  *type_keyval = type_keys().add(copy_function<MPI_Datatype>(type_copy_attr_fn, extra_state),
                                 delete_function<MPI_Datatype>(type_delete_attr_fn, extra_state));
}

void type_free_keyval(int* type_keyval) {
  key_of(type_keys(), *type_keyval, "type_keyval");
  type_keys().remove(*type_keyval);
  *type_keyval = MPI_KEYVAL_INVALID;
}

void type_set_attr(dtype::Datatype& datatype, int type_keyval, void* attribute_val) {
  datatype.attributes().set(key_of(type_keys(), type_keyval, "type_keyval"), attribute_val, to_handle(datatype));
}

void type_get_attr(const dtype::Datatype& datatype, int type_keyval, void* attribute_val, int* flag) {
  void* value = nullptr;
  *flag = datatype.attributes().find(type_keyval, value)
              ? 1
              : 0;  // the value may belong to a key that has been freed since
  if (*flag == 0) key_of(type_keys(), type_keyval, "type_keyval");
  if (*flag != 0) *static_cast<void**>(attribute_val) = value;
}

void type_delete_attr(dtype::Datatype& datatype, int type_keyval) {
  if (datatype.attributes().remove(type_keyval, to_handle(datatype))) return;  // perhaps of a freed key
  key_of(type_keys(), type_keyval, "type_keyval");
  delete_missing(type_keyval, "type_keyval");
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 7.7.3 and 12.2.7: attributes of windows.
#include <fmt/format.h>

#include "api/communicators/attribute_callbacks.hpp"
#include "api/entry/window_handles.hpp"
#include "api/one_sided/windows.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// The base is the value itself; the value of every other attribute is an address.
void* value_of(const rma::Window& win, int key) {
  const void* value = nullptr;
  switch (key) {
    case MPI_WIN_BASE:
      return win.base();
    case MPI_WIN_SIZE:
      value = win.bytes();
      break;
    case MPI_WIN_DISP_UNIT:
      value = win.unit();
      break;
    case MPI_WIN_CREATE_FLAVOR:
      value = win.shown_flavor();
      break;
    default:
      value = win.shown_model();
  }
  return const_cast<void*>(value);
}

}  // namespace

KeyvalTable& win_keys() {
  static auto* const table = new KeyvalTable;
  return *table;
}

bool is_predefined_win_key(int key) noexcept {
  return key >= MPI_WIN_BASE && key <= MPI_WIN_MODEL;
}

std::shared_ptr<const Keyval> own_win_key(int key) {
  if (is_predefined_win_key(key)) {
    throw Error(ErrorClass::keyval,
                fmt::format("win_keyval is {}, a predefined attribute, which can only be read", key));
  }
  return key_of(win_keys(), key, "win_keyval");
}

std::intptr_t window_number(const rma::Window& win, int key) {
  const void* const value = value_of(win, key);
  if (key == MPI_WIN_BASE) return reinterpret_cast<std::intptr_t>(value);
  if (key == MPI_WIN_SIZE) return *static_cast<const MPI_Aint*>(value);
  return *static_cast<const int*>(value);
}

void win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn, MPI_Win_delete_attr_function* win_delete_attr_fn,
                       int* win_keyval, void* extra_state) {
  *win_keyval = win_keys().add(copy_function<MPI_Win>(win_copy_attr_fn, extra_state),
                               delete_function<MPI_Win>(win_delete_attr_fn, extra_state));
}

void win_free_keyval(int* win_keyval) {
  own_win_key(*win_keyval);
  win_keys().remove(*win_keyval);
  *win_keyval = MPI_KEYVAL_INVALID;
}

void win_set_attr(rma::Window& win, int win_keyval, void* attribute_val) {
  win.attributes().set(own_win_key(win_keyval), attribute_val, to_handle(win));
}

void win_get_attr(rma::Window& win, int win_keyval, void* attribute_val, int* flag) {
  void* value = nullptr;
  *flag = 1;
  if (is_predefined_win_key(win_keyval)) {
    value = value_of(win, win_keyval);
  } else {
    *flag =
        win.attributes().find(win_keyval, value) ? 1 : 0;  // the value may belong to a key that has been freed since
    if (*flag == 0) key_of(win_keys(), win_keyval, "win_keyval");
  }
  if (*flag != 0) *static_cast<void**>(attribute_val) = value;
}

void win_delete_attr(rma::Window& win, int win_keyval) {
  if (win.attributes().remove(win_keyval, to_handle(win)))
    return;  // the value may belong to a key that has been freed since
  own_win_key(win_keyval);
  delete_missing(win_keyval, "win_keyval");
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// Predefined handles: finds out where the program has copies of the library's variables, and fills the table of the
// handles.
#include <algorithm>

#include "abi.hpp"
#include "predefined_objects.hpp"

namespace abi {

Places places{};
std::uintptr_t predefined_out[predefined_end]{};

namespace {

/// The variables are in a section of their own, whose ends the linker knows.
extern "C" const char __start_predefined_objects;
extern "C" const char __stop_predefined_objects;

std::uintptr_t address_of(const void* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}

/// Runs before the program's own constructors, which may use handles.
[[gnu::constructor]] void find_objects() {
  const std::uintptr_t begin = address_of(&__start_predefined_objects);
  places.library = begin;
  places.library_bytes = address_of(&__stop_predefined_objects) - begin;
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t last = 0;
  for (const Predefined* const object : all_objects) {
    const std::uintptr_t address = address_of(object);
    if (address - begin >= places.library_bytes) {
      first = std::min(first, address);
      last = std::max(last, address);
    }
    if (object->standard < predefined_end && predefined_out[object->standard] == 0)
      predefined_out[object->standard] = address;
  }
  if (last == 0) return;
  places.program = first;
  places.program_bytes = last - first + 1;
}

}  // namespace
}  // namespace abi

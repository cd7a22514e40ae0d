// SPDX-License-Identifier: BSD-3-Clause
#include "base/profile/wait_profile.hpp"

#include <new>
#include <string>

#include "base/diagnosis/mpi_call.hpp"
#include "base/diagnosis/python_place.hpp"

namespace bowline {

CallSites::Site& WaitProfile::site_on_stack() noexcept {
  const MpiCall call = mpi_call_on_stack_again();
  try {
    if (const std::string place = python_place(); !place.empty()) return sites_.of(call.function, place);
  } catch (const std::bad_alloc&) {  // then the program is the place
  }
  return sites_.of(call);
}

}  // namespace bowline

// SPDX-License-Identifier: BSD-3-Clause
// The private interface of libmpi_abi.so.1, through which a front end makes objects with callbacks.
#pragma once

#include "api/entry/private_interface.hpp"

namespace front {

/// Ends the process, with a sentence, if the library does not have it.
const bowline::PrivateInterface& interface();

}  // namespace front

// SPDX-License-Identifier: BSD-3-Clause
// What the library for Fortran uses of the private interface (src/api/entry/private_interface.hpp) for communicators,
// with the handles of this ABI.
#pragma once

#include "abi_interface.hpp"

namespace front {

int duplicate_communicator(abi::Comm comm, abi::Info info, const char* function, abi::PrivateInterface::Deliver deliver,
                           void* target, abi::Request* request);
int shrink_communicator(abi::Comm comm, abi::PrivateInterface::Deliver deliver, void* target, abi::Request* request);
int members(abi::Comm comm, abi::PrivateInterface::Members which) noexcept;

}  // namespace front

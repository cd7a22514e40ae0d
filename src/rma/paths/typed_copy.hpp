// SPDX-License-Identifier: BSD-3-Clause
// Copies between memory of this process and memory that is mapped here, each described by a datatype.
#pragma once

#include <cstddef>

#include "proto/request.hpp"

namespace bowline::rma {

/// Copies as many bytes as both have. The two buffers may be the same memory if neither has holes.
void copy_typed(const proto::Buffer& from, const proto::Buffer& to);

}  // namespace bowline::rma

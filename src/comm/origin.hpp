// SPDX-License-Identifier: BSD-3-Clause
// Origin: what the communicators that come from one session share.
#pragma once

#include "proto/bsend_buffer.hpp"

namespace bowline::comm {

struct Origin {
  proto::BsendBuffer buffer;  ///< for buffered sends on communicators that have none of their own
};

}  // namespace bowline::comm

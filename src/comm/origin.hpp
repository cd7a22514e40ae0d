// SPDX-License-Identifier: BSD-3-Clause
// Origin: the state that all communicators of one session share.
#pragma once

#include "proto/sending/bsend_buffer.hpp"

namespace bowline::comm {

struct Origin {
  proto::BsendBuffer buffer;  ///< for buffered sends on communicators without a buffer
};

}  // namespace bowline::comm

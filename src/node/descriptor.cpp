// SPDX-License-Identifier: BSD-3-Clause
#include "node/descriptor.hpp"

#include <unistd.h>

namespace bowline::node {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

}  // namespace bowline::node

// SPDX-License-Identifier: BSD-3-Clause
#include "rma/rma_request.hpp"

#include <fmt/format.h>

namespace bowline::rma {

std::string RmaRequest::in_words(proto::Engine&) const {
  return fmt::format("{} with rank {} of a window", what_, target_);
}

}  // namespace bowline::rma

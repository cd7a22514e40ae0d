// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_library.hpp"

namespace bowline::verbs {

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace bowline::verbs

// SPDX-License-Identifier: BSD-3-Clause
// From the tree of a datatype to its layout.
#pragma once

#include <memory>

#include "dtype/layout.hpp"

namespace bowline::dtype {

class Datatype;

std::shared_ptr<const Layout> flatten(const Datatype& type);

}  // namespace bowline::dtype

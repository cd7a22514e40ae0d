// SPDX-License-Identifier: BSD-3-Clause
// Making a datatype again from the arguments of its constructor, possibly of other types.
#pragma once

#include <vector>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// Calls the constructor of the envelope with the envelope's numbers and with `types`, as many as the constructor had.
/// The envelope belongs to a derived type other than a pair of value and index.
Datatype& remake(const Envelope& envelope, std::vector<TypeRef> types);

}  // namespace bowline::dtype

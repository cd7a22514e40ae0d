// SPDX-License-Identifier: BSD-3-Clause
// The encoding of a datatype as bytes, for another process that has to find the places of its data: a target of
// one-sided communication, or a process that reads a file for others.
//
//   head         number of definitions, and a reference to the datatype
//   definitions  each type after the types of which it is made, with the arguments of its constructor
//
// A reference names a predefined type by its element, or a definition by its number. The encoding keeps what places,
// bounds and basic elements depend on: a duplicate is encoded as its original, an array type as the types that describe
// it. So the length of the encoding grows with the number of constructors and their arguments, not with the number of
// elements. Numbers have this machine's byte order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// Encodes a datatype, whether or not it is committed.
std::vector<std::byte> encode(const Datatype& type);

/// Makes the datatype that the bytes describe, and commits it. The datatype has no handle. The bytes may come from
/// another process: throws Error (type) if they describe no datatype, (arg) if it is too large, and std::bad_alloc.
TypeRef decode(std::span<const std::byte> bytes);

}  // namespace bowline::dtype

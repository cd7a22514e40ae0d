// SPDX-License-Identifier: BSD-3-Clause
// Datatypes as they are in a file whose representation gives the basic types other sizes.
#pragma once

#include <cstddef>
#include <functional>

#include "dtype/datatype.hpp"

namespace bowline::mpiio {

/// The bytes of one element of a predefined datatype in the file.
using FileSize = std::function<std::size_t(const dtype::Datatype& basic)>;

/// The datatype with predefined types of these sizes, committed. Nothing is aligned in a file, so the extent of a
/// struct ends with its last byte.
dtype::TypeRef with_file_sizes(const dtype::Datatype& type, const FileSize& size_of);

/// The bytes of memory of the data whose first `file_bytes` bytes in the file were moved; elements that were moved in
/// part do not count. `file_type` is the datatype in the file.
std::size_t memory_bytes(const dtype::Datatype& type, const dtype::Datatype& file_type, std::size_t file_bytes);

}  // namespace bowline::mpiio

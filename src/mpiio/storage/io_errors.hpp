// SPDX-License-Identifier: BSD-3-Clause
// Errors of the operating system in the words and classes of MPI (MPI-5.0, section 14.7).
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

/// The class of an error number of the system; MPI_ERR_IO for numbers without a class of their own.
ErrorClass class_of(int number) noexcept;

/// "WHAT failed: No space left on device; free some space, or write to another file system". `what` names the
/// operation, the file and the place in it.
Error io_error(int number, std::string_view what);

/// "writing 4096 bytes at offset 8192 of data.bin": what failed, for io_error().
std::string access_in_words(bool writes, std::size_t bytes, Offset offset, std::string_view file);

}  // namespace bowline::mpiio

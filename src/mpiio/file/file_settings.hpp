// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a file set together: its view, size, hints, atomicity and shared pointer (MPI-5.0, sections
// 14.2, 14.3 and 14.6).
//
// All processes of the file call these functions together. If an argument is wrong in one process, all processes throw
// Error and nothing has changed. `refused`: an error that the caller has already found in this process's arguments.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/info.hpp"
#include "mpiio/file/file.hpp"

namespace bowline::mpiio {

using Refusal = std::optional<Error>;

/// MPI_DISPLACEMENT_CURRENT.
inline constexpr Offset current_displacement = -1;

struct ViewArguments {
  Offset displacement = 0;
  const dtype::Datatype* etype = nullptr;  ///< committed, like the filetype; nullptr if the datatypes were refused
  const dtype::Datatype* filetype = nullptr;
  std::string representation;
};
void set_view(File& file, const ViewArguments& arguments, const Info& info, const Refusal& refused);

void set_info(File& file, const Info& info, const Refusal& refused);
void set_size(File& file, Offset bytes);
void preallocate(File& file, Offset bytes);
void set_atomicity(File& file, bool atomic);
void sync(File& file);

enum class Whence : std::uint8_t { set, current, end };
/// The etype at which a seek ends. Throws Error (arg) if that place lies before the beginning. `pointer`: the present
/// value of the pointer.
Offset seek_target(const File& file, Offset offset, Whence whence, Offset pointer);
void seek_shared(File& file, Offset offset, std::optional<Whence> whence);

}  // namespace bowline::mpiio

// SPDX-License-Identifier: BSD-3-Clause
// Anonymous files in memory, for memory that processes share. Where memfd_create is refused (old sandboxes, profiles of
// system calls), they are files without a name in a file system, which cannot be sealed.
#pragma once

namespace bowline {

/// Makes an empty file without a name. `label` shows up in /proc/PID/maps where the kernel allows that. The caller
/// closes the descriptor, which programs do not inherit. Returns -1 and sets errno if no file can be made. Threads:
/// any.
int make_memory_file(const char* label) noexcept;

/// Forbids changes of the file's length, if the kernel can. Returns false and sets errno if the kernel refuses.
bool fix_length(int file) noexcept;

/// Whether fix_length() has been called for this file, which may come from another process; or if the kernel could not
/// seal the file, whether it has no name, so that only processes that share it can change it.
bool has_fixed_length(int file) noexcept;

}  // namespace bowline

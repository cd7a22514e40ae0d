// SPDX-License-Identifier: BSD-3-Clause
// LayoutOf: the offsets of an object's members, for programs that read the memory of another process.
#pragma once

namespace bowline {

/// The offsets of a T's private parts in bytes. A class whose parts are read from outside makes it a friend; the file
/// that tells the layout (runtime/published_queues.cpp) defines it.
template <class T>
struct LayoutOf;

}  // namespace bowline

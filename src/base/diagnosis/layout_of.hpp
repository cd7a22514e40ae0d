// SPDX-License-Identifier: BSD-3-Clause
// LayoutOf: where the parts of an object lie in its memory, for those who read that memory from another process.
#pragma once

namespace bowline {

/// The offsets of a T's private parts in bytes. A class whose parts are read from outside makes it a friend; the file
/// that tells the layout (runtime/published_queues.cpp) defines it.
template <class T>
struct LayoutOf;

}  // namespace bowline

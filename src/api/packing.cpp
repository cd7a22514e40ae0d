// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 5.2: packing. A packed message holds the data alone, in the order of the type map.
#include <fmt/format.h>

#include "api/check.hpp"
#include "api/handles.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "dtype/cursor.hpp"

namespace bowline::api {
namespace {

/// Bytes that `count` elements take in a packed message.
MPI_Count packed_bytes(MPI_Count count, const dtype::Datatype& type) {
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<MPI_Count>(type.size()), &bytes)) check::refuse::too_long(count, type);
  return bytes;
}

/// The `bytes` bytes from the position of the packed message. Throws Error (truncate) if it ends before, (arg) if the
/// position is not in it.
template <class Byte>
Byte* piece_of(Byte* buffer, const char* buffer_name, MPI_Count size, MPI_Count position, MPI_Count bytes,
               const char* what) {
  if (position < 0 || position > size)
    throw Error(ErrorClass::arg,
                fmt::format("position is {}, but {} has {} bytes: give 0 to {}", position, buffer_name, size, size));
  if (bytes > size - position) {
    throw Error(ErrorClass::truncate,
                fmt::format("{} needs {} bytes from position {} of {}, which has {}: give a larger "
                            "one, or a smaller count",
                            what, bytes, position, buffer_name, size));
  }
  if (bytes > 0) check::pointer(buffer, buffer_name);
  return buffer + position;
}

}  // namespace

void pack_size(MPI_Count incount, const dtype::Datatype& datatype, comm::Communicator&, MPI_Count* size) {
  *size = packed_bytes(incount, datatype);
}

void pack(const void* inbuf, MPI_Count incount, const dtype::Datatype& datatype, void* outbuf, MPI_Count outsize,
          MPI_Count* position, comm::Communicator&) {
  check::buffer(inbuf, incount, datatype, "inbuf");
  const MPI_Count bytes = packed_bytes(incount, datatype);
  std::byte* const to = piece_of(static_cast<std::byte*>(outbuf), "outbuf", outsize, *position, bytes, "the message");
  dtype::Cursor(datatype, static_cast<std::size_t>(incount), inbuf).pack({to, static_cast<std::size_t>(bytes)});
  *position += bytes;
}

void unpack(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
            const dtype::Datatype& datatype, comm::Communicator&) {
  check::buffer(outbuf, outcount, datatype, "outbuf");
  const MPI_Count bytes = packed_bytes(outcount, datatype);
  const auto* const from =
      piece_of(static_cast<const std::byte*>(inbuf), "inbuf", insize, *position, bytes, "what is to be unpacked");
  dtype::Cursor(datatype, static_cast<std::size_t>(outcount), outbuf).unpack({from, static_cast<std::size_t>(bytes)});
  *position += bytes;
}

}  // namespace bowline::api

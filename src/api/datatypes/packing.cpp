// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 5.2: packing. A packed message holds the data alone, in the order of the type map.
#include <fmt/format.h>

#include <string_view>

#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/cursor.hpp"
#include "dtype/datatype.hpp"
#include "dtype/external32/pack_external.hpp"

namespace bowline::api {
namespace {

/// The number of bytes of `count` elements in a packed message.
MPI_Count packed_bytes(MPI_Count count, const dtype::Datatype& type) {
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<MPI_Count>(type.size()), &bytes)) check::refuse::too_long(count, type);
  return bytes;
}

/// The `bytes` bytes at `position` in the packed message. Throws Error (truncate) if the message is too short, (arg) if
/// the position is outside of it.
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

/// The number of bytes of `count` elements in external32. Throws Error (arg) if the representation has another name.
MPI_Count external_bytes(const char* datarep, MPI_Count count, const dtype::Datatype& type) {
  if (std::string_view(datarep) != "external32") {
    throw Error(ErrorClass::arg,
                fmt::format("datarep is '{}', but the one representation to pack in is 'external32'", datarep));
  }
  const auto bytes = dtype::external_size(type, static_cast<std::size_t>(count));
  if (!bytes) check::refuse::too_long(count, type);
  return static_cast<MPI_Count>(*bytes);
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

void pack_external_size(const char* datarep, MPI_Count incount, const dtype::Datatype& datatype, MPI_Count* size) {
  *size = external_bytes(datarep, incount, datatype);
}

void pack_external(const char* datarep, const void* inbuf, MPI_Count incount, const dtype::Datatype& datatype,
                   void* outbuf, MPI_Count outsize, MPI_Count* position) {
  check::buffer(inbuf, incount, datatype, "inbuf");
  const MPI_Count bytes = external_bytes(datarep, incount, datatype);
  std::byte* const to = piece_of(static_cast<std::byte*>(outbuf), "outbuf", outsize, *position, bytes, "the message");
  dtype::pack_external(datatype, static_cast<std::size_t>(incount), inbuf, to);
  *position += bytes;
}

void unpack_external(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                     MPI_Count outcount, const dtype::Datatype& datatype) {
  check::buffer(outbuf, outcount, datatype, "outbuf");
  const MPI_Count bytes = external_bytes(datarep, outcount, datatype);
  const auto* const from =
      piece_of(static_cast<const std::byte*>(inbuf), "inbuf", insize, *position, bytes, "what is to be unpacked");
  dtype::unpack_external(datatype, static_cast<std::size_t>(outcount), from, outbuf);
  *position += bytes;
}

}  // namespace bowline::api

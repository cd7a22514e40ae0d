// SPDX-License-Identifier: BSD-3-Clause
// The data access functions of files, which differ in three ways (MPI-5.0, section 14.4): where the access begins,
// whether the call waits, and whether all processes take part. Their bodies choose among these functions.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "dtype/datatype.hpp"
#include "mpiio/file/file.hpp"

namespace bowline::api {

/// Where an access begins.
struct Start {
  enum class At : std::uint8_t {
    offset,      ///< at an explicit offset
    individual,  ///< at the individual pointer
    shared,      ///< at the shared pointer
    ordered,     ///< at the shared pointer, all processes in the order of ranks
  };

  At at;
  MPI_Offset offset = 0;

  static Start explicit_offset(MPI_Offset offset) noexcept { return {At::offset, offset}; }
};
inline constexpr Start at_individual_pointer{Start::At::individual};
inline constexpr Start at_shared_pointer{Start::At::shared};
inline constexpr Start in_order{Start::At::ordered};

enum class Direction : std::uint8_t { read, write };

/// The user's buffer. In collective functions the datatype is still a handle: a process with a wrong handle must tell
/// the other processes.
struct UserBuffer {
  const void* address;
  MPI_Count count;
  const dtype::Datatype* type = nullptr;
  MPI_Datatype handle = MPI_DATATYPE_NULL;

  UserBuffer(const void* address_, MPI_Count count_, const dtype::Datatype& type_) noexcept
      : address(address_), count(count_), type(&type_) {}
  UserBuffer(const void* address_, MPI_Count count_, MPI_Datatype handle_) noexcept
      : address(address_), count(count_), handle(handle_) {}
};

// ---- one process alone
void access(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, MPI_Status* status);
void start_access(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, MPI_Request* request);

// ---- all processes of the file
void access_all(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, MPI_Status* status);
void start_access_all(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer,
                      MPI_Request* request);
/// `function`: the name of the function that begins the split access.
void begin_split(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, const char* function);
void end_split(mpiio::File& file, const void* buffer, const char* function, MPI_Status* status);

}  // namespace bowline::api

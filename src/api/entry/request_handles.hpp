// SPDX-License-Identifier: BSD-3-Clause
// Handles of requests.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/entry/handle_value.hpp"
#include "proto/request.hpp"

namespace bowline::api {

// A request's handle is its address, with its generation in the bits that no address uses: the lowest four, and bits 48
// to 55. Linux gives addresses beyond 48 bits only to programs that ask for them (x86 with five levels of page tables,
// 64-bit ARM with 52 bits). The highest eight bits belong to the address: 64-bit ARM keeps memory tags there.
inline constexpr unsigned generation_shift = 48;
inline constexpr std::uintptr_t address_bits =
    ~(std::uintptr_t{0xff} << generation_shift) & ~std::uintptr_t{alignof(proto::Request) - 1};

inline MPI_Request to_handle(proto::Request& request) noexcept {
  const std::uintptr_t generation = request.generation;
  return reinterpret_cast<MPI_Request>(reinterpret_cast<std::uintptr_t>(&request) | (generation & 15) |
                                       (generation >> 4 << generation_shift));
}

/// The request behind a handle that has been checked.
inline proto::Request& checked_request(MPI_Request handle) noexcept {
  return *reinterpret_cast<proto::Request*>(handle_value(handle) & address_bits);
}

[[noreturn, gnu::cold]] void refuse_request(MPI_Request handle, const char* name, int index);

/// The request behind a handle that is not MPI_REQUEST_NULL. Throws Error (request) for a stale or foreign handle. Mark
/// and generation detect a request that was freed or completed before, unless the request's memory has been reused many
/// times since.
inline proto::Request& request_of(MPI_Request handle, const char* name, int index = -1) {
  if (handle_value(handle) < first_object) [[unlikely]]
    refuse_request(handle, name, index);
  proto::Request& request = checked_request(handle);
  if (request.mark != proto::Request::alive || to_handle(request) != handle) [[unlikely]]
    refuse_request(handle, name, index);
  return request;
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MemberBlocks: the data of each member in a buffer of the user, as the v- and w-forms of collective functions describe
// them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "api/entry/count_array.hpp"
#include "api/entry/datatype_handles.hpp"
#include "dtype/datatype.hpp"
#include "dtype/predefined.hpp"

namespace bowline::api {

struct Piece {
  std::uintptr_t address;
  std::size_t count;
  const dtype::Datatype* type;

  std::size_t bytes() const noexcept { return count * type->size(); }
};

/// The names of the arguments that describe blocks, for error messages.
struct BlockNames {
  const char* buffer;
  const char* counts;
  const char* displs;
  const char* types;
};
/// For operations in which each process sends to all and receives from all.
inline constexpr BlockNames sent_to_each{"sendbuf", "sendcounts", "sdispls", "sendtypes"};
inline constexpr BlockNames received_from_each{"recvbuf", "recvcounts", "rdispls", "recvtypes"};
/// Names for operations in which only one side has several blocks.
inline constexpr BlockNames gathered{"recvbuf", "recvcounts", "displs", "recvtype"};
inline constexpr BlockNames scattered{"sendbuf", "sendcounts", "displs", "sendtype"};

class MemberBlocks {
 public:
  /// Blocks of one datatype; `displs` in multiples of the datatype's extent.
  MemberBlocks(const void* buffer, CountArray counts, CountArray displs, const dtype::Datatype& type) noexcept
      : buffer_(buffer), counts_(counts), displs_(displs), type_(&type) {}
  /// Blocks of different datatypes; `displs` in bytes.
  MemberBlocks(const void* buffer, CountArray counts, CountArray displs, const MPI_Datatype* types) noexcept
      : buffer_(buffer), counts_(counts), displs_(displs), types_(types) {}

  /// Throws Error if an argument of the first `members` blocks is wrong.
  void check(int members, const BlockNames& names) const;
  Piece operator[](int member) const noexcept {
    const auto entry = static_cast<std::size_t>(member);
    const dtype::Datatype& type = type_of(member);
    const auto step = types_ != nullptr ? MPI_Count{1} : static_cast<MPI_Count>(type.extent());
    const auto offset = static_cast<std::uintptr_t>(displs_[entry]) * static_cast<std::uintptr_t>(step);
    return {reinterpret_cast<std::uintptr_t>(buffer_) + offset, static_cast<std::size_t>(counts_[entry]), &type};
  }
  /// The datatype of all blocks; nullptr if each has its own.
  const dtype::Datatype* type() const noexcept { return type_; }

 private:
  /// MPI_DATATYPE_NULL is allowed for blocks without elements.
  const dtype::Datatype& type_of(int member) const noexcept {
    const dtype::Datatype* const type = types_ != nullptr ? find_datatype(types_[member]) : type_;
    return type != nullptr ? *type : dtype::byte_type();
  }

  const void* buffer_;
  CountArray counts_;
  CountArray displs_;
  const dtype::Datatype* type_ = nullptr;
  const MPI_Datatype* types_ = nullptr;
};

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// Pieces: the data of each member in a buffer of the user, as the v- and w-forms of collective functions describe them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "api/count_array.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {

struct Piece {
  std::uintptr_t address;
  std::size_t count;
  const dtype::Datatype* type;

  std::size_t bytes() const noexcept { return count * type->size(); }
};

/// What these arguments are called, for messages.
struct PieceNames {
  const char* buffer;
  const char* counts;
  const char* displs;
  const char* types;
};

class Pieces {
 public:
  /// Of one datatype; `displs` counts its extents.
  Pieces(const void* buffer, CountArray counts, CountArray displs, const dtype::Datatype& type) noexcept
      : buffer_(buffer), counts_(counts), displs_(displs), type_(&type) {}
  /// Of a datatype each; `displs` counts bytes.
  Pieces(const void* buffer, CountArray counts, CountArray displs, const MPI_Datatype* types) noexcept
      : buffer_(buffer), counts_(counts), displs_(displs), types_(types) {}

  /// Throws Error if an argument of the first `members` pieces is wrong.
  void check(int members, const PieceNames& names) const;
  Piece operator[](int member) const noexcept;

 private:
  const void* buffer_;
  CountArray counts_;
  CountArray displs_;
  const dtype::Datatype* type_ = nullptr;
  const MPI_Datatype* types_ = nullptr;
};

}  // namespace bowline::api

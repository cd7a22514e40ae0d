// SPDX-License-Identifier: BSD-3-Clause
// Trees as datatypes of MPI and back, by public functions only.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>

#include "types/tree.hpp"

namespace types {

/// Something that MPI did otherwise than the standard says, in words.
struct Failure {
  std::string text;
};

/// Throws a Failure that names the call unless it returned MPI_SUCCESS.
void call(int result, const char* what);

/// A datatype, freed at the end unless it is a predefined one.
class Datatype {
 public:
  explicit Datatype(const Tree& tree);
  Datatype(Datatype&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)), own_(other.own_) {}
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  Datatype& operator=(Datatype&&) = delete;
  ~Datatype();

  MPI_Datatype get() const { return handle_; }
  Datatype& commit() &;
  Datatype commit() &&;

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool own_ = false;
};

/// The tree that MPI_Type_get_envelope and MPI_Type_get_contents tell about a datatype.
Tree read_back(MPI_Datatype datatype);

}  // namespace types

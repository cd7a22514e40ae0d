// SPDX-License-Identifier: BSD-3-Clause
// Representation: how data are stored in a file (MPI-5.0, section 14.5). "native" and "internal" are the bytes of
// memory; "external32" is portable; others are made of the functions of a program (MPI_Register_datarep).
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "dtype/datatype.hpp"

namespace bowline::mpiio {

/// The functions of a program that convert data. Each returns an MPI error code. Any thread may call them, under no
/// lock of the library.
struct ConversionFunctions {
  /// Converts `count` elements of the type, beginning with element `position` of the user's buffer. An empty function:
  /// the data are stored as they are in memory.
  using Convert =
      std::function<int(void* user, const dtype::Datatype& type, std::size_t count, void* file, std::size_t position)>;
  /// Stores the bytes that one element of a predefined datatype takes in the file.
  using FileExtent = std::function<int(const dtype::Datatype& type, std::ptrdiff_t* bytes)>;

  Convert read;
  Convert write;
  std::size_t most_at_once = std::numeric_limits<std::size_t>::max();  ///< elements that one call converts
  FileExtent extent;
};

/// Immutable once made, safe to share between threads.
class Representation {
 public:
  explicit Representation(std::string name) : name_(std::move(name)) {}
  Representation(const Representation&) = delete;
  Representation& operator=(const Representation&) = delete;
  virtual ~Representation() = default;

  const std::string& name() const noexcept { return name_; }
  /// Whether data are stored as they are in memory; the functions below then change nothing.
  virtual bool native() const noexcept { return true; }
  /// The datatype in the file: each predefined type inside has its size in the file. Displacements in bytes stay as
  /// they are (MPI-5.0, section 14.5). Committed. Throws Error (conversion) if a function of the program fails.
  virtual dtype::TypeRef file_type(const dtype::Datatype& type) const { return dtype::TypeRef(type); }
  /// Converts elements of a user's buffer to their consecutive bytes in the file, and back. Throw Error (conversion).
  virtual void to_file(const dtype::Datatype& type, std::size_t count, const void* memory, std::byte* file) const;
  virtual void from_file(const dtype::Datatype& type, std::size_t count, const std::byte* file, void* memory) const;

 private:
  std::string name_;
};

/// The representation of this name; nullptr if there is none.
std::shared_ptr<const Representation> find_representation(std::string_view name);

/// Adds a representation. Throws Error (dup_datarep) if there is a representation of this name already, Error (arg) if
/// the name is empty or longer than `longest_name`.
void register_representation(std::string_view name, ConversionFunctions functions);

/// MPI_MAX_DATAREP_STRING - 1.
inline constexpr std::size_t longest_name = 127;

/// "native".
const std::shared_ptr<const Representation>& native_representation();

}  // namespace bowline::mpiio

// SPDX-License-Identifier: BSD-3-Clause
// Choice buffers of mpi_f08, which may be sections of arrays that are not contiguous (MPI-5.0, section 19.1.12). The C
// function gets a view of such a section (PrivateInterface::view_sections), that is an address and a datatype for the
// elements where they are. Nothing is copied.
#pragma once

#include <cstddef>
#include <memory>

#include "procedures/arrays.hpp"
#include "procedures/descriptor.hpp"

namespace bowline::fortran {

/// Whether a buffer is passed as it is: also one with a special address, and one without memory.
inline bool is_plain(const Descriptor* buffer) noexcept {
  return buffer->contiguous() || buffer->base == nullptr;
}

inline void* plain_address(const void* base) noexcept {
  if (sentinel::is_buffer_automatic(base)) return MPI_BUFFER_AUTOMATIC;
  return collective_buffer(base);
}

// ---- buffers without a datatype

/// Raises the error that a buffer has to be contiguous. Returns the code that the function has to return.
[[gnu::cold]] int refuse_section(const char* function, const char* argument) noexcept;

// ---- buffers with a datatype

/// A view of sections. Owns the view.
class View {
 public:
  View() noexcept = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (handle_ != MPI_DATATYPE_NULL) [[unlikely]]
      interface().release_view(handle_);
  }

  /// Views the sections instead of `datatype`. Does nothing if the datatype is invalid, which the C function finds.
  [[gnu::cold]] void make(MPI_Datatype datatype, const Descriptor* const* sections, int count,
                          void** addresses) noexcept;
  MPI_Datatype or_else(MPI_Datatype datatype) const noexcept {
    return handle_ != MPI_DATATYPE_NULL ? handle_ : datatype;
  }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// One buffer with its datatype.
class Section {
 public:
  Section(const Descriptor* buffer, const MPI_Fint* datatype)
      : address_(plain_address(buffer->base)), datatype_(handle<MPI_Datatype>(datatype)) {
    if (!is_plain(buffer)) [[unlikely]]
      view_.make(datatype_, &buffer, 1, &address_);
  }

  void* address() const noexcept { return address_; }
  MPI_Datatype datatype() const noexcept { return view_.or_else(datatype_); }

 private:
  void* address_;
  MPI_Datatype datatype_;
  View view_;
};

/// Two buffers with one datatype.
class SectionPair {
 public:
  SectionPair(const Descriptor* first, const Descriptor* second, const MPI_Fint* datatype)
      : addresses_{plain_address(first->base), plain_address(second->base)}, datatype_(handle<MPI_Datatype>(datatype)) {
    if (!is_plain(first) || !is_plain(second)) [[unlikely]]
      make_view(*first, *second);
  }

  void* first() const noexcept { return addresses_[0]; }
  void* second() const noexcept { return addresses_[1]; }
  MPI_Datatype datatype() const noexcept { return view_.or_else(datatype_); }

 private:
  [[gnu::cold]] void make_view(const Descriptor& first, const Descriptor& second) noexcept;

  void* addresses_[2];
  MPI_Datatype datatype_;
  View view_;
};

/// A buffer of which the function uses one element of a predefined datatype.
class ElementOfSection {
 public:
  ElementOfSection(const Descriptor* buffer, const MPI_Fint*) noexcept : address_(plain_address(buffer->base)) {}
  void* address() const noexcept { return address_; }

 private:
  void* address_;
};

/// A buffer with a datatype for each of `size` blocks.
class SectionOfTypes {
 public:
  SectionOfTypes(const Descriptor* buffer, const MPI_Fint* datatypes, std::size_t size);

  void* address() const noexcept { return address_; }
  const MPI_Datatype* datatypes() const noexcept { return used_.get(); }

 private:
  void* address_;
  std::unique_ptr<MPI_Datatype[]> used_;
  std::unique_ptr<View[]> views_;  ///< if the buffer is a section
};

// ---- packed data

/// A buffer that the function fills from `*position` on: memory of its own if the buffer is a section.
template <class Position>
class PackedSection {
 public:
  PackedSection(const Descriptor* buffer, MPI_Count size, const Position* position);
  ~PackedSection();
  PackedSection(const PackedSection&) = delete;
  PackedSection& operator=(const PackedSection&) = delete;
  void* address() const noexcept { return address_; }

 private:
  const Descriptor* buffer_;
  const Position* position_;
  Position begin_;
  std::unique_ptr<char[]> copy_;
  void* address_;
};

/// A buffer from which the function reads: a copy if the buffer is a section.
class UnpackedSection {
 public:
  template <class Position>
  UnpackedSection(const Descriptor* buffer, MPI_Count size, const Position*) : UnpackedSection(buffer, size) {}
  void* address() const noexcept { return address_; }

 private:
  UnpackedSection(const Descriptor* buffer, MPI_Count size);

  std::unique_ptr<char[]> copy_;
  void* address_;
};

}  // namespace bowline::fortran

// SPDX-License-Identifier: BSD-3-Clause
#include "procedures/sections.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace bowline::fortran {
namespace {

using ArraySection = PrivateInterface::ArraySection;

ArraySection described(const Descriptor& buffer) noexcept {
  ArraySection made{};
  made.base = buffer.base;
  made.element_bytes = static_cast<MPI_Aint>(buffer.element_bytes);
  made.dimensions = buffer.rank;
  for (int i = 0; i < buffer.rank; ++i) made.dimension[i] = {buffer.extent(i), buffer.stride(i)};
  return made;
}

}  // namespace

int refuse_section(const char* function, const char* argument) noexcept {
  try {
    const std::string text = std::string(argument) +
                             " is a section of an array that is not contiguous: give memory that is contiguous, which "
                             "this function needs";
    return interface().raise_error(MPI_COMM_NULL, function, MPI_ERR_BUFFER, text.c_str());
  } catch (const std::exception&) {
    return raise_current(function);
  }
}

void View::make(MPI_Datatype datatype, const Descriptor* const* sections, int count, void** addresses) noexcept {
  ArraySection described_[PrivateInterface::most_sections];
  std::transform(sections, sections + count, described_, [](const Descriptor* each) { return described(*each); });
  void* virtual_addresses[PrivateInterface::most_sections];
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (interface().view_sections(datatype, described_, count, &made, virtual_addresses) != MPI_SUCCESS) return;
  handle_ = made;
  std::copy_n(virtual_addresses, count, addresses);
}

void SectionPair::make_view(const Descriptor& first, const Descriptor& second) noexcept {
  const Descriptor* sections[2];
  void* addresses[2];
  int count = 0;
  for (const Descriptor* each : {&first, &second}) {
    if (!is_plain(each)) sections[count++] = each;
  }
  view_.make(datatype_, sections, count, addresses);
  if (view_.or_else(MPI_DATATYPE_NULL) == MPI_DATATYPE_NULL) return;
  count = 0;
  if (!is_plain(&first)) addresses_[0] = addresses[count++];
  if (!is_plain(&second)) addresses_[1] = addresses[count];
}

SectionOfTypes::SectionOfTypes(const Descriptor* buffer, const MPI_Fint* datatypes, std::size_t size)
    : address_(plain_address(buffer->base)), used_(std::make_unique<MPI_Datatype[]>(size)) {
  std::transform(datatypes, datatypes + size, used_.get(), handle_of<MPI_Datatype>);
  if (is_plain(buffer)) return;
  views_ = std::make_unique<View[]>(size);
  for (std::size_t i = 0; i < size; ++i) {
    views_[i].make(used_[i], &buffer, 1, &address_);  // the same address for all
    used_[i] = views_[i].or_else(used_[i]);
  }
}

// ---- packed data: bytes of a section

namespace {

class BytesOfSection {
 public:
  explicit BytesOfSection(const Descriptor* buffer) noexcept { view_.make(MPI_BYTE, &buffer, 1, &address_); }

  /// Copies bytes [begin, end) of the section to `copy` or, if `back`, from it.
  void copy(MPI_Count begin, MPI_Count end, char* copy, bool back) const noexcept {
    char* const place = static_cast<char*>(address_) + begin;
    const MPI_Datatype type = view_.or_else(MPI_BYTE);
    const MPI_Count bytes = end - begin;
    MPI_Count position = 0;
    if (back) {
      PMPI_Unpack_c(copy, bytes, &position, place, bytes, type, MPI_COMM_SELF);
    } else {
      PMPI_Pack_c(place, bytes, type, copy, bytes, &position, MPI_COMM_SELF);
    }
  }

 private:
  void* address_ = nullptr;
  View view_;
};

std::unique_ptr<char[]> memory_for(const Descriptor* buffer, MPI_Count size) {
  if (is_plain(buffer) || size <= 0) return nullptr;
  return std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(size));
}

}  // namespace

template <class Position>
PackedSection<Position>::PackedSection(const Descriptor* buffer, MPI_Count size, const Position* position)
    : buffer_(buffer),
      position_(position),
      begin_(*position),
      copy_(memory_for(buffer, size)),
      address_(copy_ != nullptr ? copy_.get() : plain_address(buffer->base)) {}

template <class Position>
PackedSection<Position>::~PackedSection() {
  if (copy_ == nullptr || *position_ <= begin_) return;
  BytesOfSection(buffer_).copy(begin_, *position_, copy_.get() + begin_, true);
}

template class PackedSection<int>;
template class PackedSection<MPI_Count>;

UnpackedSection::UnpackedSection(const Descriptor* buffer, MPI_Count size)
    : copy_(memory_for(buffer, size)), address_(copy_ != nullptr ? copy_.get() : plain_address(buffer->base)) {
  if (copy_ != nullptr) BytesOfSection(buffer).copy(0, size, copy_.get(), false);
}

}  // namespace bowline::fortran

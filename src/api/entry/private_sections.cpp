// SPDX-License-Identifier: BSD-3-Clause
// The private interface's views of array sections.
#include <algorithm>
#include <cstddef>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/private_parts.hpp"
#include "base/handle_numbers.hpp"
#include "dtype/section.hpp"

namespace bowline::api {
namespace {

using ArraySection = PrivateInterface::ArraySection;

dtype::Section to_section(const ArraySection& given) noexcept {
  dtype::Section made{.base = static_cast<std::byte*>(given.base),
                      .block = given.element_bytes,
                      .dimensions = given.dimensions,
                      .dimension = {}};
  std::transform(given.dimension, given.dimension + given.dimensions, made.dimension.begin(),
                 [](const ArraySection::Dimension& each) {
                   return dtype::Section::Dimension{each.extent, each.stride};
                 });
  made.simplify();
  return made;
}

}  // namespace

static_assert(ArraySection::most_dimensions == dtype::Section::most_dimensions);
static_assert(PrivateInterface::most_sections == dtype::Sections::most);

int view_sections(MPI_Datatype datatype, const ArraySection* sections, int count, MPI_Datatype* view,
                  void** addresses) noexcept {
  const dtype::Datatype* const type = find_datatype(datatype);
  if (type == nullptr || !type->committed()) return MPI_ERR_TYPE;
  dtype::Sections all;
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    all[place] = to_section(sections[i]);
    addresses[i] = dtype::Sections::virtual_address(place);
  }
  *view = reinterpret_cast<MPI_Datatype>(&dtype::Datatype::view(*type, all));
  return MPI_SUCCESS;
}

void release_view(MPI_Datatype view) noexcept {
  handle_numbers().forget(handle_value(view));
  reinterpret_cast<dtype::Datatype*>(view)->drop_handle();
}

}  // namespace bowline::api

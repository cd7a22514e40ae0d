// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/elements.hpp"

#include "dtype/composition.hpp"
#include "dtype/value_index.hpp"

namespace bowline::dtype {
namespace {

bool basic(const Datatype& type) noexcept {
  return !type.blocks().empty();
}

/// Bytes of data of the first part of a pair; the second part is an int, or of the same type.
std::size_t value_bytes(const Datatype& pair) noexcept {
  const Element element = pair.element();
  return element == Element::f32_f32 || element == Element::f64_f64 ? pair.size() / 2 : pair.size() - sizeof(int);
}

/// The type that a type other than a struct repeats: its data are the data of an array of the result.
const Datatype& repeated(const Datatype& type) noexcept {
  return type.same_as() != nullptr ? *type.same_as() : *type.types()[0];
}

bool is_struct(const Datatype& type) noexcept {
  return type.same_as() == nullptr && type.envelope().combiner == Combiner::structure;
}

/// The predefined type of all elements of a uniform type.
const Datatype& leaf(const Datatype& type) noexcept {
  const Datatype* found = &type;
  while (!basic(*found)) {
    if (!is_struct(*found)) {
      found = &repeated(*found);
      continue;
    }
    const Composition fields(found->envelope(), found->types());
    std::size_t i = 0;
    while (fields.length(i) == 0 || fields.type(i).size() == 0) ++i;
    found = &fields.type(i);
  }
  return *found;
}

bool same_element(const Datatype& a, const Datatype& b) noexcept {
  return &a == &b || (a.predefined() && b.predefined() && a.element() == b.element());
}

}  // namespace

const Datatype* uniform_element(const Datatype& type) noexcept {
  const Datatype* whole = &type;
  while (!basic(*whole) && !is_value_index(*whole) && !is_struct(*whole)) whole = &repeated(*whole);
  if (whole->size() == 0) return nullptr;
  if (!is_struct(*whole)) return whole;
  const Composition fields(whole->envelope(), whole->types());
  const Datatype* found = nullptr;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.length(i) == 0 || fields.type(i).size() == 0) continue;
    const Datatype* const here = uniform_element(fields.type(i));
    if (here == nullptr || (found != nullptr && !same_element(*found, *here))) return nullptr;
    found = here;
    if (whole->bounds().uniform && !is_value_index(*found)) return found;
  }
  return found;
}

std::optional<std::int64_t> elements_in(const Datatype& type, std::size_t bytes) {
  if (bytes == 0) return 0;
  if (type.size() == 0) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(bytes / type.size()) * type.bounds().elements;
  std::size_t rest = bytes % type.size();
  if (rest == 0) return whole;
  if (basic(type)) {
    const bool first_of_pair = type.bounds().elements == 2 && rest == value_bytes(type);
    return first_of_pair ? std::optional(whole + 1) : std::nullopt;
  }
  std::optional<std::int64_t> partial = 0;
  if (!is_struct(type)) {
    partial = elements_in(repeated(type), rest);
  } else {
    const Composition fields(type.envelope(), type.types());
    for (std::size_t i = 0; rest > 0 && partial; ++i) {
      const std::size_t field = static_cast<std::size_t>(fields.length(i)) * fields.type(i).size();
      const std::size_t part = rest < field ? rest : field;
      const auto more = elements_in(fields.type(i), part);
      partial = more ? std::optional(*partial + *more) : std::nullopt;
      rest -= part;
    }
  }
  return partial ? std::optional(whole + *partial) : std::nullopt;
}

std::optional<std::int64_t> bytes_of(const Datatype& type, std::int64_t elements) {
  if (elements == 0) return 0;
  const std::int64_t each = type.bounds().elements;
  if (each == 0) return std::nullopt;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements / each, static_cast<std::int64_t>(type.size()), &bytes)) return std::nullopt;
  std::int64_t rest = elements % each;
  if (rest == 0) return bytes;
  std::optional<std::int64_t> partial = 0;
  if (basic(type)) {
    partial = static_cast<std::int64_t>(value_bytes(type));
  } else if (!is_struct(type)) {
    partial = bytes_of(repeated(type), rest);
  } else {
    const Composition fields(type.envelope(), type.types());
    for (std::size_t i = 0; rest > 0; ++i) {
      const std::int64_t field = fields.length(i) * fields.type(i).bounds().elements;
      const std::int64_t part = rest < field ? rest : field;
      *partial += bytes_of(fields.type(i), part).value_or(0);  // less than the type's size, so it fits
      rest -= part;
    }
  }
  if (__builtin_add_overflow(bytes, *partial, &bytes)) return std::nullopt;
  return bytes;
}

std::size_t sum_of_elements(const Datatype& type, std::size_t (*measure)(Element) noexcept) {
  if (type.size() == 0) return 0;
  if (type.bounds().uniform) {
    const Datatype& all = leaf(type);
    return type.size() / all.size() * measure(all.element());
  }
  if (!is_struct(type)) {
    const Datatype& each = repeated(type);
    return type.size() / each.size() * sum_of_elements(each, measure);
  }
  const Composition fields(type.envelope(), type.types());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    sum += static_cast<std::size_t>(fields.length(i)) * sum_of_elements(fields.type(i), measure);
  return sum;
}

void for_each_element(const Datatype& type, std::size_t count, const ElementVisitor& visit) {
  if (count == 0 || type.size() == 0) return;
  if (type.bounds().uniform) {
    const Datatype& all = leaf(type);
    return visit(all, count * (type.size() / all.size()));
  }
  if (!is_struct(type)) {
    const Datatype& each = repeated(type);
    return for_each_element(each, count * (type.size() / each.size()), visit);
  }
  const Composition fields(type.envelope(), type.types());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < fields.size(); ++j)
      for_each_element(fields.type(j), static_cast<std::size_t>(fields.length(j)), visit);
  }
}

}  // namespace bowline::dtype

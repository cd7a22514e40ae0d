// SPDX-License-Identifier: BSD-3-Clause
// The parts of fmt that are not templates, compiled once into the library and into the launcher's programs: these need
// no fmt at run time, and the other files, unlike with fmt's header-only form, do not compile them again and again.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template auto locale_ref::get<std::locale>() const -> std::locale;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 20.2 and 20.4: the ABI, and what a Fortran library on top of it sets about its compiler. All
// functions may be called at any time, also before MPI_Init.
#include "api/environment/abi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "bodies.hpp"
#include "dtype/f90.hpp"

namespace bowline::api {
namespace {

/// The size of MPI's datatype for a Fortran type.
struct TypeSize {
  std::string_view key;
  std::int64_t bytes;
};
constexpr TypeSize type_sizes[] = {{"mpi_logical_size", sizeof(MPI_Fint)},
                                   {"mpi_integer_size", sizeof(MPI_Fint)},
                                   {"mpi_real_size", sizeof(float)},
                                   {"mpi_double_precision_size", sizeof(double)}};
constexpr std::string_view optional_type = "_supported";

/// The values of .TRUE. and .FALSE. in a LOGICAL of one size.
struct Booleans {
  static constexpr std::size_t longest = 16;
  std::array<std::byte, longest> yes{};
  std::array<std::byte, longest> no{};
};
constexpr std::array<std::size_t, 5> logical_sizes = {1, 2, 4, 8, Booleans::longest};

struct Fortran {
  std::mutex mutex;
  std::optional<Info> info;
  std::array<std::optional<Booleans>, logical_sizes.size()> booleans;
};

Fortran& fortran() {
  static auto* const known =
      new Fortran;  // never destroyed, not even by exit(): Fortran may use the values at any time
  return *known;
}

void check_size(const TypeSize& type, const std::string& text) {
  const auto bytes = parse_number(text);
  if (!bytes) {
    throw Error(ErrorClass::info_value,
                fmt::format("info has the {} \"{}\", but a size is a number of bytes", type.key, text));
  }
  if (*bytes != type.bytes) {
    throw Error(ErrorClass::abi, fmt::format("info has the {} {}, but MPI's datatype for this type has {} bytes here: "
                                             "compile Fortran code without options that change its default kinds",
                                             type.key, *bytes, type.bytes));
  }
}

void check_fortran_info(const Info& info) {
  for (std::size_t n = 0; n < info.size(); ++n) {
    const std::string& key = info.key(n);
    const std::string& value = *info.find(key);
    if (const auto type = std::ranges::find(type_sizes, key, &TypeSize::key); type != std::end(type_sizes)) {
      check_size(*type, value);
    } else if (key.ends_with(optional_type) && value != "true" && value != "false") {
      throw Error(ErrorClass::info_value,
                  fmt::format("info has the {} \"{}\", but it must be \"true\" or \"false\"", key, value));
    }
  }
}

std::optional<Booleans>& booleans_of(int logical_size) {
  const auto found = std::ranges::find(logical_sizes, static_cast<std::size_t>(logical_size));
  if (found == logical_sizes.end()) {
    throw Error(ErrorClass::arg,
                fmt::format("logical_size is {}, but a LOGICAL has 1, 2, 4, 8 or 16 bytes", logical_size));
  }
  return fortran().booleans[static_cast<std::size_t>(found - logical_sizes.begin())];
}

/// Whether the logical operators (MPI_LAND, ...) work on these values. The operators read zero as .FALSE. and write 0
/// or 1. So does every compiler that recognizes .TRUE. by its lowest bit, or by not being zero.
bool fits_operators(const Booleans& booleans) noexcept {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  return std::ranges::all_of(booleans.no, is_zero) && (booleans.yes[0] & std::byte{1}) != std::byte{0};
}

int as_default_logical(const std::array<std::byte, Booleans::longest>& value) noexcept {
  int result = 0;
  std::memcpy(&result, value.data(), sizeof result);
  return result;
}

[[noreturn]] void refuse_second(const char* what) {
  throw Error(ErrorClass::abi, fmt::format("{} been set before: they are set once in a process", what));
}

}  // namespace

constinit std::array<Atomic<int>, 2> default_logical_values{0, 1};

void abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
}

void abi_get_info(MPI_Info* info) {
  Info result;
  result.set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  result.set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  result.set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  *info = info_handle(std::move(result));
}

void abi_get_fortran_info(MPI_Info* info) {
  const std::lock_guard hold(fortran().mutex);
  *info = fortran().info ? info_handle(*fortran().info) : MPI_INFO_NULL;
}

void abi_set_fortran_info(MPI_Info info) {
  if (info == MPI_INFO_NULL)
    throw Error(ErrorClass::info, "info is MPI_INFO_NULL: give an info object that describes the Fortran compiler");
  const auto given = hints_of(info);
  const std::lock_guard hold(fortran().mutex);
  if (fortran().info) refuse_second("the properties of Fortran have");
  check_fortran_info(*given);
  fortran().info = *given;
  const std::string* const half = given->find("mpi_real2_supported");
  dtype::fortran_has_half_kinds(half != nullptr && *half == "true");
}

void abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  const std::lock_guard hold(fortran().mutex);
  const auto& booleans = booleans_of(logical_size);
  *is_set = booleans ? 1 : 0;
  if (!booleans) return;
  check::pointer(logical_true, "logical_true");
  check::pointer(logical_false, "logical_false");
  std::memcpy(logical_true, booleans->yes.data(), static_cast<std::size_t>(logical_size));
  std::memcpy(logical_false, booleans->no.data(), static_cast<std::size_t>(logical_size));
}

void abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  check::pointer(logical_true, "logical_true");
  check::pointer(logical_false, "logical_false");
  const std::lock_guard hold(fortran().mutex);
  auto& booleans = booleans_of(logical_size);
  if (booleans) refuse_second(fmt::format("the values of a LOGICAL of {} bytes have", logical_size).c_str());
  Booleans given;
  std::memcpy(given.yes.data(), logical_true, static_cast<std::size_t>(logical_size));
  std::memcpy(given.no.data(), logical_false, static_cast<std::size_t>(logical_size));
  if (!fits_operators(given)) {
    throw Error(ErrorClass::abi,
                "the values are none that MPI_LAND and its kin can work with: the bytes of "
                "logical_false must be 0, and the lowest bit of logical_true must be 1");
  }
  booleans = given;
  if (logical_size == sizeof(MPI_Fint)) {
    default_logical_values[0].store(as_default_logical(given.no), std::memory_order_relaxed);
    default_logical_values[1].store(as_default_logical(given.yes), std::memory_order_relaxed);
  }
}

}  // namespace bowline::api

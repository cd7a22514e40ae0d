// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/access_mode.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"

namespace bowline::mpiio {
namespace {

constexpr std::array<std::pair<int, const char*>, 9> names = {{{mode::rdonly, "MPI_MODE_RDONLY"},
                                                               {mode::rdwr, "MPI_MODE_RDWR"},
                                                               {mode::wronly, "MPI_MODE_WRONLY"},
                                                               {mode::create, "MPI_MODE_CREATE"},
                                                               {mode::excl, "MPI_MODE_EXCL"},
                                                               {mode::delete_on_close, "MPI_MODE_DELETE_ON_CLOSE"},
                                                               {mode::unique_open, "MPI_MODE_UNIQUE_OPEN"},
                                                               {mode::sequential, "MPI_MODE_SEQUENTIAL"},
                                                               {mode::append, "MPI_MODE_APPEND"}}};

}  // namespace

std::string mode_in_words(int amode) {
  std::string words;
  for (const auto& [bit, name] : names) {
    if ((amode & bit) == 0) continue;
    if (!words.empty()) words += " | ";
    words += name;
    amode &= ~bit;
  }
  if (words.empty() || amode != 0) words += fmt::format("{}{:#x}", words.empty() ? "" : " | ", amode);
  return words;
}

void check_mode(int amode) {
  const auto refuse = [amode](const char* why) {
    throw Error(ErrorClass::amode, fmt::format("amode is {}: {}", mode_in_words(amode), why));
  };
  int known = 0;
  for (const auto& [bit, name] : names) known |= bit;
  if ((amode & ~known) != 0) refuse("it has bits that are no access mode");
  const int direction = amode & (mode::rdonly | mode::rdwr | mode::wronly);
  if (direction != mode::rdonly && direction != mode::rdwr && direction != mode::wronly)
    refuse("it must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY");
  if (direction == mode::rdonly && (amode & (mode::create | mode::excl)) != 0)
    refuse("MPI_MODE_CREATE and MPI_MODE_EXCL are not allowed with MPI_MODE_RDONLY");
  if (direction == mode::rdwr && (amode & mode::sequential) != 0)
    refuse("MPI_MODE_SEQUENTIAL is not allowed with MPI_MODE_RDWR");
}

}  // namespace bowline::mpiio

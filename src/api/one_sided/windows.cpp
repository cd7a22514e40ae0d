// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 12.2: windows.
#include "api/one_sided/windows.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string>

#include "api/entry/call.hpp"
#include "api/entry/errhandler_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "api/entry/raising.hpp"
#include "api/entry/this_process.hpp"
#include "api/entry/validators.hpp"
#include "api/entry/window_handles.hpp"
#include "api/environment/errors.hpp"
#include "api/environment/info_handles.hpp"
#include "api/fault_tolerance/meeting.hpp"
#include "base/error.hpp"
#include "base/error_sentences.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"

namespace bowline::api {
namespace {

int shown(rma::Flavor flavor) {
  switch (flavor) {
    case rma::Flavor::create:
      return MPI_WIN_FLAVOR_CREATE;
    case rma::Flavor::allocate:
      return MPI_WIN_FLAVOR_ALLOCATE;
    case rma::Flavor::dynamic:
      return MPI_WIN_FLAVOR_DYNAMIC;
    case rma::Flavor::shared:
      return MPI_WIN_FLAVOR_SHARED;
  }
  return MPI_UNDEFINED;
}

void check_size(MPI_Aint size, MPI_Count unit) {
  if (size < 0)
    throw Error(ErrorClass::size, fmt::format("size is {}, but the size of a window's memory is 0 or more", size));
  if (unit < 1 || unit > std::numeric_limits<int>::max())
    throw Error(ErrorClass::disp, fmt::format("disp_unit is {}, but a displacement unit is 1 to {} bytes", unit,
                                              std::numeric_limits<int>::max()));
}

rma::Window& make(comm::Communicator& comm, rma::Flavor flavor, void* base, MPI_Aint size, MPI_Count unit,
                  MPI_Info info) {
  rma::WindowParameters parameters{
      .flavor = flavor, .base = base, .size = static_cast<std::uint64_t>(size), .unit = unit};
  parameters.hints.read(*hints_of(info), false);
  rma::Window& made =
      rma::Window::make(comm, this_process().communicators(), this_process().window_surroundings(), parameters);
  made.show(shown(flavor), MPI_WIN_UNIFIED);
  made.communicator().set_owner(to_handle(made));
  return made;
}

/// Makes a window whose memory the library allocates.
void allocate(comm::Communicator& comm, rma::Flavor flavor, MPI_Aint size, MPI_Count unit, MPI_Info info, void* baseptr,
              MPI_Win* win) {
  check_size(size, unit);
  rma::Window& made = make(comm, flavor, nullptr, size, unit, info);
  void* const base = made.base();
  std::memcpy(baseptr, &base, sizeof base);
  *win = to_handle(made);
}

}  // namespace

void win_create(void* base, MPI_Aint size, MPI_Count disp_unit, MPI_Info info, comm::Communicator& comm, MPI_Win* win) {
  check_size(size, disp_unit);
  if (base == nullptr && size > 0)
    throw Error(ErrorClass::base, "base is a null pointer, but the size is not zero: give the address of the memory");
  *win = to_handle(make(comm, rma::Flavor::create, base, size, disp_unit, info));
}

void win_allocate(MPI_Aint size, MPI_Count disp_unit, MPI_Info info, comm::Communicator& comm, void* baseptr,
                  MPI_Win* win) {
  allocate(comm, rma::Flavor::allocate, size, disp_unit, info, baseptr, win);
}

void win_allocate_shared(MPI_Aint size, MPI_Count disp_unit, MPI_Info info, comm::Communicator& comm, void* baseptr,
                         MPI_Win* win) {
  allocate(comm, rma::Flavor::shared, size, disp_unit, info, baseptr, win);
}

void win_create_dynamic(MPI_Info info, comm::Communicator& comm, MPI_Win* win) {
  *win = to_handle(make(comm, rma::Flavor::dynamic, nullptr, 0, 1, info));
}

void win_attach(rma::Window& win, void* base, MPI_Aint size) {
  if (size < 0)
    throw Error(ErrorClass::size, fmt::format("size is {}, but the size of attached memory is 0 or more", size));
  win.attach(base, static_cast<std::uint64_t>(size));
}

void win_detach(rma::Window& win, const void* base) {
  win.detach(base);
}

void win_free(MPI_Win* win) {
  rma::Window* const freed = find_win(*win);
  if (freed == nullptr)
    throw Error(ErrorClass::win,
                "win is no window that can be freed: it was freed, never set, or is another kind of "
                "handle");
  try {
    freed->check_free();
    freed->attributes().remove_all(*win);
    may_lose_members(freed->communicator()) ? meet_living(freed->communicator()) : freed->meet();
    rma::Window::free(*freed, this_process().communicators());
  } catch (const Error& error) {
    throw CommError(freed->communicator(), error.error_class(), error.what());
  }
  handle_numbers().forget(handle_value(*win));
  *win = MPI_WIN_NULL;
}

// Also for windows that are not made to be shared, as far as memory is shared (section 12.2.3).
void win_shared_query(rma::Window& win, int rank, MPI_Aint* size, MPI_Count* disp_unit, void* baseptr) {
  if (win.flavor() == rma::Flavor::dynamic)
    throw Error(ErrorClass::rma_flavor,
                fmt::format("{} was made by MPI_Win_create_dynamic and has no memory of its own", win.in_words()));
  const rma::Window::Shared found = win.shared_memory(rank == MPI_PROC_NULL ? win.lowest_with_memory() : rank);
  void* const base = found.base;
  *size = found.size;
  *disp_unit = found.unit;
  std::memcpy(baseptr, &base, sizeof base);
}

void win_get_group(rma::Window& win, MPI_Group* group) {
  *group = group_handle(win.communicator().group());
}

void win_set_info(rma::Window& win, MPI_Info info) {
  win.hints().read(*hints_of(info), true);
}

void win_get_info(rma::Window& win, MPI_Info* info_used) {
  Info used;
  win.hints().write(used, win.flavor() == rma::Flavor::shared);
  add_memory_kinds(used);
  *info_used = info_handle(std::move(used));
}

void win_set_name(rma::Window& win, const char* win_name) {
  win.set_name(cut_text(win_name, MPI_MAX_OBJECT_NAME - 1));
}

// The null handle has a name, too.
void win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  std::string name = "MPI_WIN_NULL";
  if (win != MPI_WIN_NULL) {
    const rma::Window* const found = find_win(win);
    if (found == nullptr)
      throw Error(ErrorClass::win, "win is no window: it was freed, never set, or is another kind of handle");
    name = found->name();
  }
  std::memcpy(win_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
}

void win_set_errhandler(rma::Window& win, comm::ErrorHandler& errhandler) {
  check::fits(errhandler, comm::ErrorHandler::Handles::window, "a window");
  win.communicator().choose_error_handler(errhandler);
}

void win_get_errhandler(rma::Window& win, MPI_Errhandler* errhandler) {
  *errhandler = errhandler_handle(*win.communicator().error_handler());
}

void win_call_errhandler(rma::Window& win, int errorcode) {
  throw call_of_handler(win.communicator(), errorcode, called_text("MPI_Win_call_errhandler", errorcode));
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/file_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "mpiio/file/together.hpp"
#include "mpiio/storage/io_errors.hpp"

namespace bowline::mpiio {
namespace {

void check_offset(Offset value, const char* name) {
  if (value < 0) throw Error(ErrorClass::arg, fmt::format("{} is {}, but it must be 0 or more", name, value));
}

void check_writable(const File& file, const char* what) {
  if (file.writable()) return;
  throw Error(ErrorClass::read_only,
              fmt::format("{} was opened with MPI_MODE_RDONLY, which does not allow {}", file.name(), what));
}

void check_changes_size(const File& file, const char* function) {
  check_writable(file, function);
  file.refuse_pending(function);
  if (!file.has_mode(mode::sequential)) return;
  throw Error(ErrorClass::unsupported_operation,
              fmt::format("{} was opened with MPI_MODE_SEQUENTIAL, which does not allow {}", file.name(), function));
}

void throw_if(const File& file, int error, const char* what) {
  if (error != 0) throw io_error(error, fmt::format("{} {} by {}", what, file.name(), file.where()));
}

/// A number for a text, whose negative exists.
std::int64_t number_of(std::string_view text) noexcept {
  return static_cast<std::int64_t>(hash_of(std::as_bytes(std::span(text))) >> 2);
}

/// Where a view with the displacement `given` begins, which may be MPI_DISPLACEMENT_CURRENT.
Offset displacement_of(File& file, Offset given) {
  if (file.has_mode(mode::sequential)) {
    if (given != current_displacement) {
      throw Error(ErrorClass::arg, fmt::format("disp is {}, but it must be MPI_DISPLACEMENT_CURRENT, because {} was "
                                               "opened with MPI_MODE_SEQUENTIAL",
                                               given, file.name()));
    }
    const auto view = file.view();
    return view->offset_of(static_cast<std::uint64_t>(file.shared_pointer().value()) * view->etype_bytes());
  }
  if (given == current_displacement) {
    throw Error(ErrorClass::arg, fmt::format("disp is {} (MPI_DISPLACEMENT_CURRENT), which is for files opened with "
                                             "MPI_MODE_SEQUENTIAL only: give 0 or more",
                                             given));
  }
  check_offset(given, "disp");
  return given;
}

std::shared_ptr<const View> make_view(File& file, const ViewArguments& arguments) {
  file.refuse_pending("MPI_File_set_view");
  auto representation = find_representation(arguments.representation);
  if (representation == nullptr) {
    throw Error(ErrorClass::unsupported_datarep,
                fmt::format("datarep is \"{}\", which is no data representation: there are native, internal, "
                            "external32, and those registered with MPI_Register_datarep",
                            arguments.representation));
  }
  return std::make_shared<const View>(displacement_of(file, arguments.displacement), *arguments.etype,
                                      *arguments.filetype, std::move(representation), file.writable());
}

/// The team of the file, once its processes have ended the collective accesses that they have started.
coll::Team& ready_team(File& file) {
  file.await_turns();
  return file.comm().team();
}

/// The etype behind the last byte of the file: the first etype of the view that does not begin in front of the end.
Offset end_of_file(const File& file) {
  return static_cast<Offset>(file.view()->etypes_before(file.size()));
}

/// Takes rank 0's hints in all processes. A process that returns sees everything that rank 0 has done before.
void spread_hints(File& file, const Info& info) {
  Hints hints = file.hints();
  if (file.comm().rank() == 0) hints.take(info, false);
  spread(file.comm().team(), 0, std::as_writable_bytes(std::span(&hints, 1)));
  file.set_hints(hints);
}

}  // namespace

void set_view(File& file, const ViewArguments& arguments, const Info& info, const Refusal& refused) {
  coll::Team& team = ready_team(file);
  std::shared_ptr<const View> view;
  const Refusal mine = refused ? refused : attempt([&] { view = make_view(file, arguments); });
  const std::int64_t name = number_of(arguments.representation);
  const std::int64_t extent = view == nullptr ? 0 : view->representation().file_type(view->etype())->extent();
  std::array<std::int64_t, 5> all = {mine ? team.rank : team.size, name, -name, extent, -extent};
  minimize(team, all);
  if (all[0] < team.size) throw Error(*common_error(team, mine));
  if (all[1] != -all[2]) {
    throw Error(ErrorClass::not_same, fmt::format("datarep is \"{}\" here, but another name on another rank: it must "
                                                  "be the same on all of them",
                                                  arguments.representation));
  }
  if (all[3] != -all[4]) {
    throw Error(ErrorClass::not_same,
                fmt::format("the extent of etype in the file is {} bytes here, and {} to {} among all ranks: it must "
                            "be the same on all of them",
                            extent, all[3], -all[4]));
  }
  file.set_view(std::move(view));
  if (team.rank == 0) file.shared_pointer().set(0);
  spread_hints(file, info);
}

void set_info(File& file, const Info& info, const Refusal& refused) {
  if (const auto failed = common_error(ready_team(file), refused)) throw Error(*failed);
  spread_hints(file, info);
}

void set_size(File& file, Offset bytes) {
  coll::Team& team = ready_team(file);
  all_or_none(team, [&] {
    check_offset(bytes, "size");
    check_changes_size(file, "MPI_File_set_size");
  });
  check_same(team, bytes, "size");
  all_or_none(team, [&] {
    if (team.rank == 0) throw_if(file, file.storage().truncate(bytes), "setting the size of");
  });
}

void preallocate(File& file, Offset bytes) {
  coll::Team& team = ready_team(file);
  all_or_none(team, [&] {
    check_offset(bytes, "size");
    check_changes_size(file, "MPI_File_preallocate");
  });
  check_same(team, bytes, "size");
  all_or_none(team, [&] {
    if (team.rank == 0) throw_if(file, file.storage().preallocate(bytes), "allocating space for");
  });
}

/// Processes of one node exclude each other by their shared memory; processes of different nodes need locks of the file
/// system.
void set_atomicity(File& file, bool atomic) {
  coll::Team& team = ready_team(file);
  check_same(team, atomic ? 1 : 0, "flag");
  all_or_none(team, [&] {
    file.refuse_pending("MPI_File_set_atomicity");
    if (!atomic || file.units().count() == 1) return;
    const LockKind kind = file.writable() ? LockKind::exclusive : LockKind::shared;
    const Extent first_byte{0, 1};
    throw_if(file, file.storage().lock(first_byte, kind), "locking a part of");
    throw_if(file, file.storage().unlock(first_byte), "unlocking a part of");
  });
  file.set_atomic(atomic);
}

void sync(File& file) {
  all_or_none(ready_team(file), [&] {
    file.refuse_pending("MPI_File_sync");
    if (file.writable()) throw_if(file, file.storage().sync(), "synchronizing");
  });
}

Offset seek_target(const File& file, Offset offset, Whence whence, Offset pointer) {
  Offset from = 0;
  if (whence == Whence::current) from = pointer;
  if (whence == Whence::end) from = end_of_file(file);
  Offset target = 0;
  if (__builtin_add_overflow(from, offset, &target) || target < 0) {
    throw Error(ErrorClass::arg, fmt::format("offset is {}, which leads from etype {} to one before the beginning of "
                                             "the view, or too far",
                                             offset, from));
  }
  return target;
}

void seek_shared(File& file, Offset offset, std::optional<Whence> whence) {
  coll::Team& team = ready_team(file);
  all_or_none(team, [&] {
    if (!whence) throw Error(ErrorClass::arg, "whence must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
  });
  check_same(team, offset, "offset");
  check_same(team, static_cast<std::int64_t>(*whence), "whence");
  all_or_none(team, [&] {
    if (team.rank != 0) return;
    SharedPointer& pointer = file.shared_pointer();
    const Offset target = seek_target(file, offset, *whence, pointer.value());
    if (*whence == Whence::current) {
      pointer.add(offset);  // in one step: independent accesses may move the pointer at the same time
    } else {
      pointer.set(target);
    }
  });
}

}  // namespace bowline::mpiio

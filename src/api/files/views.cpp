// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 14.3, 14.4.3 and 14.5: views, file pointers and data representations.
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "api/files/split.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/file_settings.hpp"
#include "mpiio/file/together.hpp"

namespace bowline::api {
namespace {

static_assert(mpiio::current_displacement == MPI_DISPLACEMENT_CURRENT);
static_assert(mpiio::longest_name == MPI_MAX_DATAREP_STRING - 1);

/// A handle of the type of a view. The user frees it, unless it is the handle of a predefined type.
MPI_Datatype handle_of_view(const dtype::Datatype& type) {
  const_cast<dtype::Datatype&>(type).add_handle();
  return to_handle(type);
}

std::optional<mpiio::Whence> whence_of(int whence) noexcept {
  if (whence == MPI_SEEK_SET) return mpiio::Whence::set;
  if (whence == MPI_SEEK_CUR) return mpiio::Whence::current;
  if (whence == MPI_SEEK_END) return mpiio::Whence::end;
  return std::nullopt;
}

/// Throws Error (unsupported_operation) if the file has the shared pointer only.
void refuse_sequential(const mpiio::File& file, const char* what) {
  if (!file.has_mode(mpiio::mode::sequential)) return;
  throw Error(ErrorClass::unsupported_operation,
              fmt::format("{} was opened with MPI_MODE_SEQUENTIAL, which does not allow {}", file.name(), what));
}

/// A function of the program in one of its two forms; empty if it gives none.
template <class Function, class Count>
mpiio::ConversionFunctions::Convert converter(Function* function, void* extra_state) {
  if (function == nullptr) return {};
  return [=](void* user, const dtype::Datatype& type, std::size_t count, void* file, std::size_t position) {
    return function(user, to_handle(type), static_cast<Count>(count), file, static_cast<MPI_Offset>(position),
                    extra_state);
  };
}

mpiio::ConversionFunctions::Convert convert_with(MPI_Datarep_conversion_function* small,
                                                 MPI_Datarep_conversion_function_c* large, void* extra_state) {
  if (large != nullptr) return converter<MPI_Datarep_conversion_function_c, MPI_Count>(large, extra_state);
  return converter<MPI_Datarep_conversion_function, int>(small, extra_state);
}

}  // namespace

void file_set_view(mpiio::File& fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
                   MPI_Info info) {
  mpiio::ViewArguments arguments{.displacement = disp};
  std::shared_ptr<const Info> hints;
  const mpiio::Refusal refused = mpiio::attempt([&] {
    refuse_during_split(fh, "MPI_File_set_view");
    arguments.etype = &check::committed(etype, "etype");
    arguments.filetype = &check::committed(filetype, "filetype");
    check::pointer(datarep, "datarep");
    arguments.representation = datarep;
    hints = hints_of(info);
  });
  mpiio::set_view(fh, arguments, hints == nullptr ? Info() : *hints, refused);
}

void file_get_view(mpiio::File& fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
  const auto view = fh.view();
  *disp = view->displacement();
  *etype = handle_of_view(view->etype());
  *filetype = handle_of_view(view->filetype());
  const std::string& name = view->representation().name();
  std::memcpy(datarep, name.c_str(), name.size() + 1);
}

void file_get_byte_offset(mpiio::File& fh, MPI_Offset offset, MPI_Offset* disp) {
  refuse_sequential(fh, "MPI_File_get_byte_offset");
  if (offset < 0) throw Error(ErrorClass::arg, fmt::format("offset is {}, but it must be 0 or more", offset));
  const auto view = fh.view();
  *disp = view->offset_of(static_cast<std::uint64_t>(offset) * view->etype_bytes());
}

void file_get_type_extent(mpiio::File& fh, const dtype::Datatype& datatype, MPI_Count* extent) {
  *extent = fh.view()->representation().file_type(datatype)->extent();
}

void file_seek(mpiio::File& fh, MPI_Offset offset, int whence) {
  refuse_sequential(fh, "MPI_File_seek");
  const auto from = whence_of(whence);
  if (!from) {
    throw Error(ErrorClass::arg,
                fmt::format("whence is {}, but it must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence));
  }
  fh.set_pointer(mpiio::seek_target(fh, offset, *from, fh.pointer()));
}

void file_get_position(mpiio::File& fh, MPI_Offset* offset) {
  refuse_sequential(fh, "MPI_File_get_position");
  *offset = fh.pointer();
}

void file_seek_shared(mpiio::File& fh, MPI_Offset offset, int whence) {
  mpiio::seek_shared(fh, offset, whence_of(whence));
}

void file_get_position_shared(mpiio::File& fh, MPI_Offset* offset) {
  *offset = fh.shared_pointer().value();
}

void register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
                      MPI_Datarep_conversion_function_c* read_conversion_fn_c,
                      MPI_Datarep_conversion_function* write_conversion_fn,
                      MPI_Datarep_conversion_function_c* write_conversion_fn_c,
                      MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  if (dtype_file_extent_fn == nullptr)
    throw Error(ErrorClass::arg, "dtype_file_extent_fn is a null pointer: give a function");
  mpiio::ConversionFunctions functions{.read = convert_with(read_conversion_fn, read_conversion_fn_c, extra_state),
                                       .write = convert_with(write_conversion_fn, write_conversion_fn_c, extra_state),
                                       .most_at_once = std::numeric_limits<int>::max(),
                                       .extent = [=](const dtype::Datatype& type, std::ptrdiff_t* bytes) {
                                         MPI_Aint extent = 0;
                                         const int code = dtype_file_extent_fn(to_handle(type), &extent, extra_state);
                                         *bytes = extent;
                                         return code;
                                       }};
  mpiio::register_representation(datarep, std::move(functions));
}

}  // namespace bowline::api

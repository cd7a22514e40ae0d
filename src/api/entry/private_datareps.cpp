// SPDX-License-Identifier: BSD-3-Clause
// The private interface's data representations of files (MPI-5.0, section 14.5.3).
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/private_parts.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/view/representation.hpp"

namespace bowline::api {
namespace {

mpiio::ConversionFunctions::Convert conversion(PrivateInterface::ConvertData convert,
                                               const std::shared_ptr<OwnedContext>& context) {
  if (convert == nullptr) return {};
  return [=](void* user, const dtype::Datatype& type, std::size_t count, void* file, std::size_t position) {
    return convert(context->data(), user, to_handle(type), static_cast<MPI_Count>(count), file,
                   static_cast<MPI_Offset>(position));
  };
}

}  // namespace

int register_context_datarep(const char* datarep, PrivateInterface::ConvertData read,
                             PrivateInterface::ConvertData write, PrivateInterface::GetFileExtent extent,
                             CallbackContext context) {
  OwnedContext owned(context);
  const auto add = [&](Call& call) {
    call.needs_mpi();
    check_callback(datarep, "datarep");
    check_callback(extent, "dtype_file_extent_fn");
    const auto shared = std::make_shared<OwnedContext>(std::move(owned));
    mpiio::register_representation(datarep, {.read = conversion(read, shared),
                                             .write = conversion(write, shared),
                                             .most_at_once = std::numeric_limits<int>::max(),
                                             .extent = [=](const dtype::Datatype& type, std::ptrdiff_t* bytes) {
                                               MPI_Aint found = 0;
                                               const int code = extent(shared->data(), to_handle(type), &found);
                                               *bytes = found;
                                               return code;
                                             }});
  };
  return guarded("MPI_Register_datarep", add, Call::on_file);
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 14.2 and 14.6: opening, closing and deleting files, their sizes, hints and consistency.
#include "mpiio/file/opening.hpp"

#include <cstring>
#include <string>

#include "api/communicators/making.hpp"
#include "api/entry/file_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "api/entry/raising.hpp"
#include "api/entry/this_process.hpp"
#include "api/environment/errors.hpp"
#include "api/environment/info_handles.hpp"
#include "api/files/split.hpp"
#include "base/error.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "mpiio/file/file_settings.hpp"
#include "mpiio/file/together.hpp"

namespace bowline::api {
namespace {

static_assert(mpiio::mode::append == MPI_MODE_APPEND && mpiio::mode::create == MPI_MODE_CREATE &&
              mpiio::mode::delete_on_close == MPI_MODE_DELETE_ON_CLOSE && mpiio::mode::excl == MPI_MODE_EXCL &&
              mpiio::mode::rdonly == MPI_MODE_RDONLY && mpiio::mode::rdwr == MPI_MODE_RDWR &&
              mpiio::mode::sequential == MPI_MODE_SEQUENTIAL && mpiio::mode::unique_open == MPI_MODE_UNIQUE_OPEN &&
              mpiio::mode::wronly == MPI_MODE_WRONLY);

}  // namespace

void file_open(comm::Communicator& comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  *fh = MPI_FILE_NULL;
  mpiio::File& file = mpiio::open_file(this_process().communicators(), comm, filename, amode, *hints_of(info),
                                       *default_file_handler().get());
  *fh = to_handle(file);
}

void file_close(MPI_File* fh) {
  mpiio::File* const file = find_file(*fh);
  if (file == nullptr) {
    throw Error(ErrorClass::file, *fh == MPI_FILE_NULL
                                      ? "fh is MPI_FILE_NULL: give a file opened by MPI_File_open"
                                      : "fh is no open file: it was closed, never set, or is another kind of handle");
  }
  const auto handler = file->comm().error_handler();
  const MPI_File handle = *fh;
  try {
    finish_split(*file);
    mpiio::close_file(*file);
  } catch (const Error& error) {
    const bool closed = find_file(handle) == nullptr;
    if (closed) *fh = MPI_FILE_NULL;
    throw HandlerError(handler, handle, error.error_class(), error.what());
  }
  handle_numbers().forget(handle_value(handle));
  *fh = MPI_FILE_NULL;
}

void file_delete(const char* filename, MPI_Info info) {
  static_cast<void>(hints_of(info));  // none is used
  mpiio::delete_file(filename);
}

void file_set_size(mpiio::File& fh, MPI_Offset size) {
  mpiio::set_size(fh, size);
}

void file_preallocate(mpiio::File& fh, MPI_Offset size) {
  mpiio::preallocate(fh, size);
}

void file_get_size(mpiio::File& fh, MPI_Offset* size) {
  *size = fh.size();
}

void file_get_group(mpiio::File& fh, MPI_Group* group) {
  *group = group_handle(fh.comm().group());
}

void file_get_amode(mpiio::File& fh, int* amode) {
  *amode = fh.amode();
}

void file_set_info(mpiio::File& fh, MPI_Info info) {
  std::shared_ptr<const Info> hints;
  const mpiio::Refusal refused = mpiio::attempt([&] { hints = hints_of(info); });
  mpiio::set_info(fh, hints == nullptr ? Info() : *hints, refused);
}

void file_get_info(mpiio::File& fh, MPI_Info* info_used) {
  *info_used = info_handle(fh.hints().info());
}

void file_set_atomicity(mpiio::File& fh, int flag) {
  mpiio::set_atomicity(fh, flag != 0);
}

void file_get_atomicity(mpiio::File& fh, int* flag) {
  *flag = fh.atomic() ? 1 : 0;
}

void file_sync(mpiio::File& fh) {
  mpiio::sync(fh);
}

}  // namespace bowline::api

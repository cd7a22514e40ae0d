// SPDX-License-Identifier: BSD-3-Clause
// Opening, closing and deleting files; modes, sizes, groups, hints; error handlers; and what goes wrong.
#include <sys/stat.h>
#include <unistd.h>

#include "files.hpp"

namespace {

constexpr int read_write = MPI_MODE_CREATE | MPI_MODE_RDWR;

void check_modes(const char* name) {
  struct Wrong {
    int amode;
    const char* why;
  };
  for (const Wrong& wrong : {Wrong{0, "exactly one"}, Wrong{MPI_MODE_RDONLY | MPI_MODE_RDWR, "exactly one"},
                             Wrong{MPI_MODE_RDONLY | MPI_MODE_CREATE, "MPI_MODE_CREATE"},
                             Wrong{MPI_MODE_RDONLY | MPI_MODE_EXCL, "MPI_MODE_EXCL"},
                             Wrong{MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL, "MPI_MODE_SEQUENTIAL"},
                             Wrong{MPI_MODE_RDWR | 1 << 20, "no access mode"}}) {
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(MPI_COMM_WORLD, name, wrong.amode, MPI_INFO_NULL, &file);
    CHECK_EQ(files::class_of(code), MPI_ERR_AMODE);
    CHECK(files::says(code, wrong.why));
    CHECK(file == MPI_FILE_NULL);
  }
  CHECK(!files::exists(name));
}

void check_life(const char* name) {
  MPI_File file = MPI_FILE_NULL;
  int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_NO_SUCH_FILE);
  CHECK(files::says(code, name));
  CHECK(files::says(code, "rank 0"));

  file = files::open(MPI_COMM_WORLD, name, read_write | MPI_MODE_EXCL);
  int amode = 0;
  MPI_File_get_amode(file, &amode);
  CHECK_EQ(amode, read_write | MPI_MODE_EXCL);
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_File_get_group(file, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int same = -1;
  MPI_Group_compare(group, world, &same);
  CHECK_EQ(same, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_File copy = file;
  files::close(file);
  code = MPI_File_get_amode(copy, &amode);
  CHECK_EQ(files::class_of(code), MPI_ERR_FILE);
  code = MPI_File_close(&file);
  CHECK_EQ(files::class_of(code), MPI_ERR_FILE);
  CHECK(files::exists(name));

  MPI_Barrier(MPI_COMM_WORLD);
  code = MPI_File_open(MPI_COMM_WORLD, name, read_write | MPI_MODE_EXCL, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_FILE_EXISTS);
  file = files::open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  files::close(file);
  CHECK(!files::exists(name));
  code = MPI_File_delete(name, MPI_INFO_NULL);
  CHECK_EQ(files::class_of(code), MPI_ERR_NO_SUCH_FILE);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Each rank alone; names with the prefix of a file system.
void check_own(const std::string& name) {
  const std::string own = name + "." + std::to_string(check::rank);
  const std::string prefixed = "ufs:" + own;
  MPI_File file = files::open(MPI_COMM_SELF, prefixed.c_str(), read_write);
  CHECK(files::exists(own));
  files::close(file);
  CHECK_EQ(MPI_File_delete(("nfs:" + own).c_str(), MPI_INFO_NULL), MPI_SUCCESS);
  CHECK(!files::exists(own));
  // A word that names no file system is a part of the name.
  const std::string odd = "nosuch:" + own;
  file = files::open(MPI_COMM_SELF, odd.c_str(), read_write | MPI_MODE_DELETE_ON_CLOSE);
  CHECK(files::exists(odd));
  files::close(file);
  CHECK(!files::exists(odd));
}

void check_sizes(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  MPI_Offset size = -1;
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 0);
  CHECK_EQ(MPI_File_set_size(file, 1000), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 1000);
  CHECK_EQ(MPI_File_preallocate(file, 500), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 1000);
  CHECK_EQ(MPI_File_preallocate(file, 70000), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 70000);
  struct stat found {};
  stat(name, &found);
  CHECK(found.st_blocks * 512 >= 70000);
  CHECK_EQ(MPI_File_set_size(file, 10), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 10);

  // What is wrong on one rank is an error on all.
  int code = MPI_File_set_size(file, check::rank == check::size - 1 ? -5 : 10);
  CHECK_EQ(files::class_of(code), MPI_ERR_ARG);
  CHECK(files::says(code, "-5"));
  if (check::size > 1) {
    code = MPI_File_set_size(file, check::rank == 0 ? 10 : 20);
    CHECK_EQ(files::class_of(code), MPI_ERR_NOT_SAME);
    CHECK(check::rank == 0 || files::says(code, "10 to 20"));
  }
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 10);
  files::close(file);
  CHECK_EQ(MPI_File_delete(check::rank == 0 ? name : "/nonexistent", MPI_INFO_NULL) == MPI_SUCCESS, check::rank == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

void check_differences(const char* name) {
  if (check::size == 1) return;
  MPI_File file = MPI_FILE_NULL;
  const int last = check::size - 1;
  int code =
      MPI_File_open(MPI_COMM_WORLD, name, check::rank == last ? MPI_MODE_RDWR : read_write, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_NOT_SAME);
  CHECK(files::says(code, check::rank == last ? "on rank 0" : "on rank " + std::to_string(last)));
  CHECK(!files::exists(name));
  MPI_Barrier(MPI_COMM_WORLD);
  // Rank 0 creates a file when all have called, and so after another rank has deleted the old one.
  if (check::rank == last) files::make(name, files::Bytes(10));
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == last) CHECK_EQ(MPI_File_delete(name, MPI_INFO_NULL), MPI_SUCCESS);
  file = files::open(MPI_COMM_WORLD, name, read_write | MPI_MODE_EXCL);
  files::close(file);
  if (check::rank == last) CHECK_EQ(MPI_File_delete(name, MPI_INFO_NULL), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string missing = std::string(name) + "/none";
  code = MPI_File_open(MPI_COMM_WORLD, check::rank == last ? missing.c_str() : name, read_write, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_BAD_FILE);
  CHECK(files::says(code, missing));
  CHECK(!files::exists(name));
}

void check_bad_names() {
  MPI_File file = MPI_FILE_NULL;
  int code = MPI_File_open(MPI_COMM_WORLD, "/nonexistent/directory/file", read_write, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_NO_SUCH_FILE);
  code = MPI_File_open(MPI_COMM_WORLD, ".", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_BAD_FILE);
  code = MPI_File_open(MPI_COMM_WORLD, std::string(5000, 'x').c_str(), read_write, MPI_INFO_NULL, &file);
  CHECK_EQ(files::class_of(code), MPI_ERR_BAD_FILE);
  code = MPI_File_delete(".", MPI_INFO_NULL);
  CHECK_EQ(files::class_of(code), MPI_ERR_BAD_FILE);
  CHECK_EQ(files::class_of(MPI_File_open(MPI_COMM_NULL, "x", read_write, MPI_INFO_NULL, &file)), MPI_ERR_COMM);
  CHECK_EQ(files::class_of(MPI_File_open(MPI_COMM_WORLD, nullptr, read_write, MPI_INFO_NULL, &file)), MPI_ERR_ARG);
}

void check_permissions(const char* name) {
  const files::Hints hints{{"file_perm", "0640"}};
  const mode_t mask = umask(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write, hints);
  struct stat found {};
  stat(name, &found);
  CHECK_EQ(found.st_mode & 0777, 0640U);
  CHECK_EQ(files::hint_of(file, "file_perm"), "640");
  files::close(file);
  umask(mask);
  file = files::open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_EQ(files::class_of(MPI_File_set_size(file, 5)), MPI_ERR_READ_ONLY);
  char letter = 'x';
  MPI_Status status;
  CHECK_EQ(files::class_of(MPI_File_write_at(file, 0, &letter, 1, MPI_CHAR, &status)), MPI_ERR_READ_ONLY);
  files::close(file);
}

// A file that its owner allows nobody to use. The superuser may use every file, so it becomes somebody else meanwhile.
void check_no_permission(const char* name) {
  if (check::rank == 0) {
    files::make(name, files::Bytes(10));
    CHECK_EQ(chmod(name, 0), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  constexpr uid_t nobody = 65534;
  const bool superuser = geteuid() == 0;
  if (superuser) CHECK_EQ(seteuid(nobody), 0);
  MPI_File file = MPI_FILE_NULL;
  for (const int amode : {MPI_MODE_RDONLY, read_write}) {
    const int code = MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file);
    CHECK_EQ(files::class_of(code), MPI_ERR_ACCESS);
    CHECK(files::says(code, name) && files::says(code, "rank 0") && files::says(code, "permissions"));
    CHECK(file == MPI_FILE_NULL);
  }
  if (superuser) CHECK_EQ(seteuid(0), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == 0) CHECK_EQ(MPI_File_delete(name, MPI_INFO_NULL), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
}

void check_hints(const char* name) {
  const files::Hints given{{"cb_buffer_size", "1048576"}, {"cb_nodes", "1"},
                           {"romio_cb_write", "enable"},  {"romio_ds_read", "disable"},
                           {"ind_rd_buffer_size", "64K"}, {"access_style", "write_once"},
                           {"romio_cb_read", "perhaps"},  {"unknown_hint", "17"}};
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write | MPI_MODE_DELETE_ON_CLOSE, given);
  CHECK_EQ(files::hint_of(file, "cb_buffer_size"), "1048576");
  CHECK_EQ(files::hint_of(file, "cb_nodes"), "1");
  CHECK_EQ(files::hint_of(file, "romio_cb_write"), "enable");
  CHECK_EQ(files::hint_of(file, "romio_cb_read"), "automatic");
  CHECK_EQ(files::hint_of(file, "romio_ds_read"), "disable");
  CHECK_EQ(files::hint_of(file, "ind_rd_buffer_size"), "65536");
  CHECK_EQ(files::hint_of(file, "access_style"), "write_once");
  CHECK_EQ(files::hint_of(file, "unknown_hint"), "none");
  // Rank 0 decides.
  const files::Hints later{{"cb_nodes", check::rank == 0 ? "2" : "3"}};
  CHECK_EQ(MPI_File_set_info(file, later), MPI_SUCCESS);
  CHECK_EQ(files::hint_of(file, "cb_nodes"), "2");
  CHECK_EQ(files::hint_of(file, "romio_ds_read"), "disable");
  files::close(file);
}

int handled = 0;
MPI_File handled_file = MPI_FILE_NULL;
int handled_class = 0;

void handle_error(MPI_File* file, int* code, ...) {
  ++handled;
  handled_file = *file;
  handled_class = files::class_of(*code);
}

void check_error_handlers(const char* name) {
  MPI_Errhandler found = MPI_ERRHANDLER_NULL, own = MPI_ERRHANDLER_NULL;
  MPI_File_get_errhandler(MPI_FILE_NULL, &found);
  CHECK(found == MPI_ERRORS_RETURN);
  MPI_File_create_errhandler(handle_error, &own);
  MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_get_errhandler(file, &found);
  CHECK(found == MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_File_set_errhandler(file, own), MPI_SUCCESS);
  int value = 0;
  MPI_Status status;
  handled = 0;
  CHECK_EQ(files::class_of(MPI_File_read_at(file, 0, &value, 1, MPI_INT, &status)), MPI_ERR_ACCESS);
  CHECK_EQ(handled, 1);
  CHECK(handled_file == file);
  CHECK_EQ(handled_class, MPI_ERR_ACCESS);
  CHECK_EQ(MPI_File_call_errhandler(file, MPI_ERR_IO), MPI_SUCCESS);
  CHECK_EQ(handled, 2);
  CHECK_EQ(handled_class, MPI_ERR_IO);
  // An error of a non-blocking access goes to the same handler.
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_File_iread_all(file, &value, 1, MPI_INT, &request), MPI_SUCCESS);
  CHECK_EQ(files::class_of(MPI_Wait(&request, &status)), MPI_ERR_ACCESS);
  CHECK_EQ(handled, 3);
  CHECK(handled_file == file);

  // The handler of MPI_FILE_NULL is that of calls without a file, and the first one of later files.
  CHECK_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, own), MPI_SUCCESS);
  MPI_File none = MPI_FILE_NULL;
  CHECK_EQ(files::class_of(MPI_File_open(MPI_COMM_WORLD, "/nonexistent/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &none)),
           MPI_ERR_NO_SUCH_FILE);
  CHECK_EQ(handled, 4);
  CHECK(handled_file == MPI_FILE_NULL);
  CHECK_EQ(files::class_of(MPI_File_delete("/nonexistent/x", MPI_INFO_NULL)), MPI_ERR_NO_SUCH_FILE);
  CHECK_EQ(handled, 5);
  CHECK_EQ(files::class_of(MPI_File_get_amode(MPI_FILE_NULL, &value)), MPI_ERR_FILE);
  CHECK_EQ(handled, 6);
  MPI_File second = files::open(MPI_COMM_SELF, name, MPI_MODE_WRONLY);
  MPI_File_get_errhandler(second, &found);
  CHECK(found == own);
  MPI_Errhandler_free(&found);
  files::close(second);
  CHECK_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN), MPI_SUCCESS);
  CHECK_EQ(files::class_of(MPI_File_set_errhandler(file, MPI_ERRHANDLER_NULL)), MPI_ERR_ERRHANDLER);
  MPI_Errhandler_free(&own);
  MPI_Barrier(MPI_COMM_WORLD);
  files::close(file);
}

void check_numbers(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write | MPI_MODE_DELETE_ON_CLOSE);
  const int number = MPI_File_toint(file);
  CHECK(MPI_File_fromint(number) == file);
  CHECK(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)) == MPI_FILE_NULL);
  files::close(file);
  int amode = 0;
  CHECK_EQ(files::class_of(MPI_File_get_amode(MPI_File_fromint(number), &amode)), MPI_ERR_FILE);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("open");
    check_modes(name.get());
    check_life(name.get());
    check_own(name.text());
    check_sizes(name.get());
    check_differences(name.get());
    check_bad_names();
    check_permissions(name.get());
    check_no_permission(name.get());
    check_hints(name.get());
    check_error_handlers(name.get());
    check_numbers(name.get());
  }
  return program.finish();
}

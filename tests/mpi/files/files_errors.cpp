// SPDX-License-Identifier: BSD-3-Clause
// Errors of the system in the middle of accesses. The first argument says which: "space" and "quota" (no room behind
// byte 100,000, as the variable BOWLINE_IO_FAULTS has it), "broken" (no byte from 100,000 on can be read), "full" (the
// file system has little room; the second argument is a directory there), "read_only" (so is the file system of that
// directory, which contains "file"), "truncated" (somebody else shortens the
// file), "locks" (there are none), "sync".
#include <algorithm>
#include <array>

#include "files.hpp"

namespace {

constexpr int read_write = MPI_MODE_CREATE | MPI_MODE_RDWR;
constexpr int fault = 100000, bytes_each = 200000;

struct Result {
  int code = MPI_SUCCESS;
  int bytes = -1;
};

// All ranks access `bytes_each` bytes: interleaved in blocks of `block` bytes, or each one run.
Result access_all(MPI_File file, bool writes, int block, std::vector<char>& data, bool nonblocking) {
  MPI_Datatype run = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(block, MPI_CHAR, &run);
  MPI_Type_create_resized(run, 0, MPI_Aint{block} * check::size, &filetype);
  MPI_Type_commit(&filetype);
  CHECK_EQ(MPI_File_set_view(file, MPI_Offset{block} * check::rank, MPI_CHAR, filetype, "native", MPI_INFO_NULL),
           MPI_SUCCESS);
  MPI_Type_free(&run);
  MPI_Type_free(&filetype);
  Result result;
  MPI_Status status;
  if (nonblocking) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int begun = writes ? MPI_File_iwrite_all(file, data.data(), bytes_each, MPI_CHAR, &request)
                             : MPI_File_iread_all(file, data.data(), bytes_each, MPI_CHAR, &request);
    CHECK_EQ(begun, MPI_SUCCESS);
    result.code = MPI_Wait(&request, &status);
  } else {
    result.code = writes ? MPI_File_write_all(file, data.data(), bytes_each, MPI_CHAR, &status)
                         : MPI_File_read_all(file, data.data(), bytes_each, MPI_CHAR, &status);
  }
  MPI_Get_elements(&status, MPI_CHAR, &result.bytes);
  return result;
}

// The bytes of this rank's data in front of an offset.
int data_before(int offset, int block) {
  int bytes = 0;
  for (int at = block * check::rank; at < offset && bytes < bytes_each; at += block * check::size)
    bytes += std::min({block, offset - at, bytes_each - bytes});
  return bytes;
}

void check_no_room(const char* name, int error_class) {
  const files::Hints collective{{"romio_cb_write", "enable"}, {"cb_buffer_size", "65536"}};
  const files::Hints independent{{"romio_cb_write", "disable"}};
  for (const bool nonblocking : {false, true}) {
    for (const int block : {64, 5000}) {
      for (const bool jointly : {true, false}) {
        MPI_File file = files::open(MPI_COMM_WORLD, name, read_write, jointly ? collective : independent);
        CHECK_EQ(MPI_File_set_size(file, 0), MPI_SUCCESS);
        std::vector<char> data(bytes_each, static_cast<char>('a' + check::rank));
        const Result result = access_all(file, true, block, data, nonblocking);
        CHECK_EQ(files::class_of(result.code), error_class);
        CHECK(files::says(result.code, name));
        CHECK(files::says(result.code, jointly ? "offset 100000" : "offset "));  // else that of the lowest rank
        CHECK(files::says(result.code, "rank"));
        CHECK(result.bytes <= data_before(fault, block));
        files::close(file);
        // What the status counts is in the file.
        const files::Bytes found = files::bytes_of(name);
        for (int i = 0; i < result.bytes; ++i) {
          const auto at = static_cast<std::size_t>(block * check::rank + i / block * block * check::size + i % block);
          if (!CHECK(at < found.size() && found[at] == static_cast<unsigned char>('a' + check::rank))) break;
        }
        CHECK(check::size > 1 || result.bytes == fault || !jointly);
        MPI_Barrier(MPI_COMM_WORLD);
      }
    }
  }
  // One rank alone.
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  std::vector<char> data(bytes_each, 'z');
  MPI_Status status;
  const int code = MPI_File_write_at(file, 1000, data.data(), bytes_each, MPI_CHAR, &status);
  CHECK_EQ(files::class_of(code), error_class);
  CHECK_EQ(files::count_of(status, MPI_CHAR), fault - 1000);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_File_iwrite_at(file, 1000, data.data(), bytes_each, MPI_CHAR, &request), MPI_SUCCESS);
  CHECK_EQ(files::class_of(MPI_Wait(&request, &status)), error_class);
  CHECK_EQ(files::count_of(status, MPI_CHAR), fault - 1000);
  files::close(file);
}

void check_broken(const char* name) {
  files::Bytes contents(static_cast<std::size_t>(bytes_each) * static_cast<std::size_t>(check::size));
  for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = static_cast<unsigned char>(i % 251);
  if (check::rank == 0) files::make(name, contents);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::string way : {"enable", "disable"}) {
    const files::Hints hints{{"romio_cb_read", way.c_str()}, {"cb_buffer_size", "65536"}};
    for (const bool nonblocking : {false, true}) {
      MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, hints);
      constexpr int block = 1000;
      std::vector<char> data(bytes_each, 'x');
      const Result result = access_all(file, false, block, data, nonblocking);
      CHECK_EQ(files::class_of(result.code), MPI_ERR_IO);
      CHECK(files::says(result.code, way == "enable" ? "offset 100000" : "offset "));
      CHECK(result.bytes <= data_before(fault, block));
      for (int i = 0; i < result.bytes; ++i) {
        const auto at = static_cast<std::size_t>(block * check::rank + i / block * block * check::size + i % block);
        if (!CHECK_EQ(static_cast<unsigned char>(data[static_cast<std::size_t>(i)]), contents[at])) break;
      }
      files::close(file);
    }
  }
}

// A real file system without room.
void check_full(const std::string& directory) {
  const std::string name = directory + "/file";
  const files::Hints hints{{"romio_cb_write", "enable"}};
  MPI_File file = files::open(MPI_COMM_WORLD, name.c_str(), read_write, hints);
  std::vector<char> data(bytes_each, 'x');
  int failures = 0;
  for (int round = 0; round < 40 && failures == 0; ++round) {
    const MPI_Offset disp = MPI_Offset{round} * bytes_each * check::size;
    MPI_Status status;
    const int code = MPI_File_write_at_all(file, disp + MPI_Offset{bytes_each} * check::rank, data.data(), bytes_each,
                                           MPI_CHAR, &status);
    if (code == MPI_SUCCESS) continue;
    ++failures;
    CHECK_EQ(files::class_of(code), MPI_ERR_NO_SPACE);
    CHECK(files::says(code, name));
  }
  CHECK_EQ(failures, 1);
  CHECK_EQ(files::class_of(MPI_File_preallocate(file, MPI_Offset{1} << 30)), MPI_ERR_NO_SPACE);
  // After some space has become free everything goes on.
  CHECK_EQ(MPI_File_set_size(file, 0), MPI_SUCCESS);
  CHECK_EQ(MPI_File_write_at_all(file, 100 * check::rank, data.data(), 100, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
  files::close(file);
}

// A file system that is mounted to be read only.
void check_read_only(const std::string& directory) {
  const std::string name = directory + "/file";
  MPI_File file = files::open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDONLY);
  files::close(file);
  for (const std::string& each : {name, directory + "/other"}) {
    const int code = MPI_File_open(MPI_COMM_WORLD, each.c_str(), read_write, MPI_INFO_NULL, &file);
    CHECK_EQ(files::class_of(code), MPI_ERR_READ_ONLY);
    CHECK(files::says(code, each) && files::says(code, "rank 0"));
  }
  CHECK_EQ(files::class_of(MPI_File_delete(name.c_str(), MPI_INFO_NULL)), MPI_ERR_READ_ONLY);
}

// Somebody else shortens the file while the ranks have it open: they read what is left.
void check_truncated(const char* name) {
  if (check::rank == 0) files::make(name, files::Bytes(static_cast<std::size_t>(bytes_each * check::size), 'y'));
  MPI_Barrier(MPI_COMM_WORLD);
  for (const char* const way : {"enable", "disable"}) {
    const files::Hints hints{{"romio_cb_read", way}, {"cb_buffer_size", "65536"}};
    MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, hints);
    for (const int length : {150000, 70001, 0}) {
      if (check::rank == 0) CHECK_EQ(truncate(name, length), 0);
      MPI_Barrier(MPI_COMM_WORLD);
      std::vector<char> data(bytes_each, 'x');
      const Result result = access_all(file, false, 100, data, false);
      CHECK_EQ(result.code, MPI_SUCCESS);
      CHECK_EQ(result.bytes, data_before(length, 100));
      for (int i = 0; i < bytes_each; ++i)
        if (!CHECK_EQ(data[static_cast<std::size_t>(i)], i < result.bytes ? 'y' : 'x')) break;
      MPI_Barrier(MPI_COMM_WORLD);
    }
    files::close(file);
    if (check::rank == 0) files::make(name, files::Bytes(static_cast<std::size_t>(bytes_each * check::size), 'y'));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

bool on_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  int ranks = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  return ranks == check::size;
}

// Without locks data sieving never writes, atomic mode serves the ranks of one node, and everything else works.
void check_no_locks(const char* name) {
  const files::Hints hints{{"romio_ds_write", "enable"}};
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write, hints);
  std::vector<char> data(bytes_each, static_cast<char>('a' + check::rank));
  const Result result = access_all(file, true, 16, data, false);
  CHECK_EQ(result.code, MPI_SUCCESS);
  CHECK_EQ(result.bytes, bytes_each);
  const int code = MPI_File_set_atomicity(file, 1);
  CHECK_EQ(files::class_of(code), on_one_node() ? MPI_SUCCESS : MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(on_one_node() || files::says(code, "locks"));
  files::close(file);
  const files::Bytes found = files::bytes_of(name);
  CHECK_EQ(found.size(), static_cast<std::size_t>(bytes_each * check::size));
  for (std::size_t i = 0; i < found.size(); i += 16)
    if (!CHECK_EQ(found[i], 'a' + i / 16 % static_cast<std::size_t>(check::size))) break;
}

void check_sync(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  const int code = MPI_File_sync(file);
  CHECK_EQ(files::class_of(code), MPI_ERR_IO);
  CHECK(files::says(code, name));
  CHECK_EQ(files::class_of(MPI_File_set_size(file, 100)), MPI_ERR_QUOTA);
  files::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "";
  {
    const files::Name name("errors");
    if (what == "space") check_no_room(name.get(), MPI_ERR_NO_SPACE);
    if (what == "quota") check_no_room(name.get(), MPI_ERR_QUOTA);
    if (what == "broken") check_broken(name.get());
    if (what == "full") check_full(argv[2]);
    if (what == "read_only") check_read_only(argv[2]);
    if (what == "truncated") check_truncated(name.get());
    if (what == "locks") check_no_locks(name.get());
    if (what == "sync") check_sync(name.get());
  }
  return program.finish();
}

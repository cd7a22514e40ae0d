// SPDX-License-Identifier: BSD-3-Clause
// Help for the tests of files.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check.hpp"

namespace files {

using Bytes = std::vector<unsigned char>;

// A file name that no other test uses, equal on all ranks. The file is deleted by rank 0 at the end, if it exists then.
class Name {
 public:
  explicit Name(const char* label) {
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    text_ = std::string("bowline-test-") + label + "-" + std::to_string(process);
  }
  ~Name() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (check::rank == 0) unlink(text_.c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  const char* get() const { return text_.c_str(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline bool exists(const std::string& name) {
  return access(name.c_str(), F_OK) == 0;
}

// The bytes of a file, read without MPI.
inline Bytes bytes_of(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

inline void make(const std::string& name, const Bytes& bytes) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline MPI_File open(MPI_Comm comm, const char* name, int amode, MPI_Info info = MPI_INFO_NULL) {
  MPI_File file = MPI_FILE_NULL;
  CHECK_EQ(MPI_File_open(comm, name, amode, info, &file), MPI_SUCCESS);
  return file;
}

inline void close(MPI_File& file) {
  CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
  CHECK(file == MPI_FILE_NULL);
}

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline std::string sentence_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return text.data();
}

inline bool says(int code, const std::string& word) {
  return sentence_of(code).find(word) != std::string::npos;
}

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -2;
  MPI_Get_count(&status, type, &count);
  return count;
}

// Hints, freed at the end.
class Hints {
 public:
  Hints() { MPI_Info_create(&info_); }
  Hints(std::initializer_list<std::pair<const char*, const char*>> hints) : Hints() {
    for (const auto& [key, value] : hints) MPI_Info_set(info_, key, value);
  }
  ~Hints() { MPI_Info_free(&info_); }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;

  void set(const char* key, const char* value) { MPI_Info_set(info_, key, value); }
  operator MPI_Info() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

// The value of a hint in use; "none" if there is none.
inline std::string hint_of(MPI_File file, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_File_get_info(file, &info), MPI_SUCCESS);
  std::array<char, 256> value{};
  int length = value.size(), found = 0;
  MPI_Info_get_string(info, key, &length, value.data(), &found);
  MPI_Info_free(&info);
  return found != 0 ? value.data() : "none";
}

}  // namespace files

// SPDX-License-Identifier: BSD-3-Clause
// MPI_T's control variables: what a tool learns of each tunable, and what it may change when (MPI-5.0, section 15.3.6).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

struct Variable {
  std::string name, help;
  int verbosity = 0, bind = 0, scope = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_T_enum words = MPI_T_ENUM_NULL;
};

/// Asks for the lengths first.
Variable variable_at(int index) {
  Variable found;
  int name = 0, help = 0;
  CHECK_EQ(MPI_T_cvar_get_info(index, nullptr, &name, nullptr, nullptr, nullptr, nullptr, &help, nullptr, nullptr),
           MPI_SUCCESS);
  std::vector<char> name_text(static_cast<std::size_t>(name)), help_text(static_cast<std::size_t>(help));
  CHECK_EQ(MPI_T_cvar_get_info(index, name_text.data(), &name, &found.verbosity, &found.datatype, &found.words,
                               help_text.data(), &help, &found.bind, &found.scope),
           MPI_SUCCESS);
  found.name = name_text.data();
  found.help = help_text.data();
  CHECK_EQ(found.name.size() + 1, static_cast<std::size_t>(name));
  CHECK_EQ(found.help.size() + 1, static_cast<std::size_t>(help));
  return found;
}

int number_of_variables() {
  int number = 0;
  CHECK_EQ(MPI_T_cvar_get_num(&number), MPI_SUCCESS);
  return number;
}

int index_of(const char* name) {
  int index = -1;
  CHECK_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
  return index;
}

/// A handle for the life of the object.
class Handle {
 public:
  explicit Handle(const char* name) {
    CHECK_EQ(MPI_T_cvar_handle_alloc(index_of(name), nullptr, &handle_, &count_), MPI_SUCCESS);
  }
  ~Handle() {
    CHECK_EQ(MPI_T_cvar_handle_free(&handle_), MPI_SUCCESS);
    CHECK(handle_ == MPI_T_CVAR_HANDLE_NULL);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  template <class T>
  T read() const {
    T value{};
    CHECK_EQ(MPI_T_cvar_read(handle_, &value), MPI_SUCCESS);
    return value;
  }
  template <class T>
  int write(T value) const {
    return MPI_T_cvar_write(handle_, &value);
  }
  int count() const { return count_; }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  int count_ = 0;
};

void check_all() {
  std::set<std::string> names;
  for (int i = 0; i < number_of_variables(); ++i) {
    const Variable each = variable_at(i);
    CHECK(each.name.starts_with("BOWLINE_") && !each.help.empty() && names.insert(each.name).second);
    CHECK_EQ(index_of(each.name.c_str()), i);
    CHECK_EQ(each.bind, MPI_T_BIND_NO_OBJECT);
    CHECK(each.scope == MPI_T_SCOPE_LOCAL || each.scope == MPI_T_SCOPE_ALL_EQ);
    CHECK(each.verbosity >= MPI_T_VERBOSITY_USER_BASIC && each.verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
    CHECK(each.datatype == MPI_INT || each.datatype == MPI_UNSIGNED_LONG || each.datatype == MPI_CHAR);
    CHECK(each.words == MPI_T_ENUM_NULL || each.datatype == MPI_INT);
  }
  int index = 0;
  CHECK_EQ(MPI_T_cvar_get_index("no such variable", &index), MPI_T_ERR_INVALID_NAME);
  for (const int wrong : {-1, number_of_variables()}) {
    CHECK_EQ(
        MPI_T_cvar_get_info(wrong, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
        MPI_T_ERR_INVALID_INDEX);
  }
}

/// A short buffer gets the beginning, and the whole length.
void check_short_buffer() {
  std::array<char, 4> beginning{'x', 'x', 'x', 'x'};
  int length = 4;
  CHECK_EQ(
      MPI_T_cvar_get_info(0, beginning.data(), &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
      MPI_SUCCESS);
  CHECK_EQ(std::string(beginning.data()), "BOW");
  CHECK(length > 4);
}

void check_words() {
  const Variable variable = variable_at(index_of("BOWLINE_HANG"));
  int count = 0, length = 0;
  CHECK_EQ(MPI_T_enum_get_info(variable.words, &count, nullptr, &length), MPI_SUCCESS);
  CHECK_EQ(count, 3);
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) {
    std::array<char, 32> word{};
    int value = -1, size = word.size();
    CHECK_EQ(MPI_T_enum_get_item(variable.words, i, &value, word.data(), &size), MPI_SUCCESS);
    CHECK_EQ(value, i);
    words.emplace_back(word.data());
  }
  CHECK(words == std::vector<std::string>({"end", "report", "off"}));
  CHECK_EQ(MPI_T_enum_get_item(variable.words, count, nullptr, nullptr, nullptr), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &count, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
}

/// Values of each form; the environment has set one, and does not change another one back.
void set_before_init() {
  const Handle eager("BOWLINE_EAGER_LIMIT"), hang("BOWLINE_HANG"), checks("BOWLINE_CHECK"), log("BOWLINE_LOG_LEVEL");
  CHECK_EQ(eager.count(), 1);
  CHECK_EQ(eager.read<unsigned long>(), 1024UL);  // from the environment
  CHECK_EQ(eager.write(2048UL), MPI_SUCCESS);
  CHECK_EQ(eager.write(~0UL), MPI_T_ERR_INVALID);
  CHECK_EQ(eager.read<unsigned long>(), 2048UL);
  CHECK_EQ(hang.read<int>(), 0);
  CHECK_EQ(hang.write(1), MPI_SUCCESS);
  CHECK_EQ(hang.write(3), MPI_T_ERR_INVALID);
  CHECK_EQ(hang.read<int>(), 1);
  std::array<char, 1024> text{"strict"};
  CHECK_EQ(checks.count(), static_cast<int>(text.size()));
  CHECK_EQ(checks.write(text), MPI_SUCCESS);
  CHECK_EQ(std::strcmp(checks.read<std::array<char, 1024>>().data(), "strict"), 0);
  CHECK_EQ(log.write(0), MPI_SUCCESS);
}

void look_after_init() {
  const Handle eager("BOWLINE_EAGER_LIMIT"), log("BOWLINE_LOG_LEVEL");
  CHECK_EQ(eager.read<unsigned long>(), 2048UL);
  CHECK_EQ(eager.write(4096UL), MPI_T_ERR_CVAR_SET_NOT_NOW);
  CHECK_EQ(eager.read<unsigned long>(), 2048UL);
  CHECK_EQ(log.write(1), MPI_SUCCESS);  // at any time
  CHECK_EQ(log.read<int>(), 1);
}

void check_bad_handles() {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int value = 0;
  CHECK_EQ(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_write(handle, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_handle_alloc(-1, nullptr, &handle, &value), MPI_T_ERR_INVALID_INDEX);
}

/// The interface is initialized as often as it is finalized; then its handles are gone.
void check_counted_use() {
  int provided = 0, number = 0;
  CHECK_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  MPI_T_cvar_handle left = MPI_T_CVAR_HANDLE_NULL;
  CHECK_EQ(MPI_T_cvar_handle_alloc(0, nullptr, &left, nullptr), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_get_num(&number), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, nullptr), MPI_SUCCESS);
  CHECK_EQ(MPI_T_cvar_handle_free(&left), MPI_T_ERR_INVALID_HANDLE);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("BOWLINE_EAGER_LIMIT", "1024", 1);
  check::Program program;
  check_counted_use();
  check_all();
  check_short_buffer();
  check_words();
  check_bad_handles();
  set_before_init();
  MPI_Init(&argc, &argv);
  program.learn();
  look_after_init();
  MPI_Barrier(MPI_COMM_WORLD);
  const int status = program.finish();
  check_all();
  const Handle eager("BOWLINE_EAGER_LIMIT");
  CHECK_EQ(eager.write(512UL), MPI_SUCCESS);
  return check::failed == 0 ? status : EXIT_FAILURE;
}

// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 10: info objects.
#include "api/environment/info_handles.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "api/entry/handle_table.hpp"
#include "api/entry/this_process.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "node/host.hpp"

namespace bowline::api {
namespace {

HandleTable<Info>& infos() {
  static auto* const table = new HandleTable<Info>;  // not destroyed by exit(): info objects need no MPI
  return *table;
}

/// What is known of the start of this process (MPI-5.0, section 11.2.1), also before MPI_Init. A thread level cannot be
/// requested where programs are started, so the info has no key for it.
Info environment(const std::vector<std::string>& words) {
  Info info;
  if (!words.empty()) {
    info.set("command", words[0]);
    if (words.size() > 1) info.set("argv", fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " ")));
  }
  info.set("host", node::host_name());
  if (utsname system{}; uname(&system) == 0) info.set("arch", system.machine);
  std::error_code ignored;
  if (const auto directory = std::filesystem::current_path(ignored); !ignored) info.set("wdir", directory.string());
  add_memory_kinds(info);
  if (const char* const handler = std::getenv("BOWLINE_INITIAL_ERRHANDLER"))
    info.set("mpi_initial_errhandler", handler);
  return info;
}

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

/// nullptr if the handle is invalid.
std::shared_ptr<Info> find_info(MPI_Info handle) {
  if (handle != MPI_INFO_ENV) return infos().find(handle);
  auto info = std::make_shared<Info>(environment(own_command_line()));
  if (this_process().running()) info->set("maxprocs", std::to_string(this_process().job_size()));
  return info;
}

std::shared_ptr<Info> info_of(MPI_Info handle, const char* name = "info") {
  auto found = find_info(handle);
  if (found != nullptr) return found;
  if (handle == MPI_INFO_NULL) {
    throw Error(ErrorClass::info,
                fmt::format("{} is MPI_INFO_NULL: give an info object made by MPI_Info_create", name));
  }
  throw Error(ErrorClass::info, fmt::format("{} is {}, which is no info object: it was freed, never set, or is another "
                                            "kind of handle",
                                            name, fmt::ptr(static_cast<const void*>(handle))));
}

std::shared_ptr<Info> writable(MPI_Info handle) {
  if (handle == MPI_INFO_ENV) throw Error(ErrorClass::info, "info is MPI_INFO_ENV, which can only be read");
  return info_of(handle);
}

std::string_view checked_key(const char* key) {
  const std::string_view text = key;
  if (text.empty() || text.size() >= MPI_MAX_INFO_KEY) {
    throw Error(ErrorClass::info_key, fmt::format("key has {} characters, but a key has 1 to {} (MPI_MAX_INFO_KEY - 1)",
                                                  text.size(), MPI_MAX_INFO_KEY - 1));
  }
  return text;
}

/// Copies as much of the value as fits, and a terminating null byte.
void give(const std::string& value, std::size_t room, char* target) {
  const std::size_t length = std::min(value.size(), room - 1);
  std::memcpy(target, value.data(), length);
  target[length] = '\0';
}

/// Stores whether the key is there; returns the key's value if it is.
std::shared_ptr<const std::string> look_up(MPI_Info handle, const char* key, int* flag) {
  const auto info = info_of(handle);
  const std::string* const value = info->find(checked_key(key));
  *flag = value != nullptr ? 1 : 0;
  return {info, value};
}

}  // namespace

std::shared_ptr<const Info> hints_of(MPI_Info handle, const char* name) {
  static const auto none = std::make_shared<const Info>();
  return handle == MPI_INFO_NULL ? none : info_of(handle, name);
}

bool is_info(MPI_Info handle) {
  return find_info(handle) != nullptr;
}

void add_memory_kinds(Info& info) {
  info.set("mpi_memory_alloc_kinds", "mpi,system");
}

MPI_Info info_handle(Info info) {
  return infos().add<MPI_Info>(std::make_shared<Info>(std::move(info)));
}

void info_create(MPI_Info* info) {
  *info = info_handle(Info());
}

void info_create_env(int argc, char* argv[], MPI_Info* info) {
  check::array(argv, argc, "argv");
  std::vector<std::string> words;
  for (int i = 0; i < argc && argv[i] != nullptr; ++i) words.emplace_back(argv[i]);
  *info = info_handle(environment(argc > 0 ? words : own_command_line()));
}

void info_set(MPI_Info info, const char* key, const char* value) {
  const auto target = writable(info);
  if (const std::size_t length = std::strlen(value); length >= MPI_MAX_INFO_VAL) {
    throw Error(ErrorClass::info_value, fmt::format("value has {} characters, but a value has up to {} "
                                                    "(MPI_MAX_INFO_VAL - 1)",
                                                    length, MPI_MAX_INFO_VAL - 1));
  }
  target->set(checked_key(key), value);
}

void info_delete(MPI_Info info, const char* key) {
  if (!writable(info)->remove(checked_key(key))) {
    throw Error(ErrorClass::info_nokey, fmt::format("key is \"{}\", which info does not have", key));
  }
}

void info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  if (valuelen < 0) check::refuse::less_than(valuelen, 0, "valuelen");
  const auto found = look_up(info, key, flag);
  if (found == nullptr) return;
  check::pointer(value, "value");
  give(*found, static_cast<std::size_t>(valuelen) + 1, value);
}

void info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  const auto found = look_up(info, key, flag);
  if (found != nullptr) *valuelen = static_cast<int>(found->size());
}

// If the buffer has length 0, only the length is stored.
void info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  if (*buflen < 0) check::refuse::less_than(*buflen, 0, "buflen");
  const auto found = look_up(info, key, flag);
  if (found == nullptr) return;
  if (*buflen > 0) {
    check::pointer(value, "value");
    give(*found, static_cast<std::size_t>(*buflen), value);
  }
  *buflen = static_cast<int>(found->size()) + 1;
}

void info_get_nkeys(MPI_Info info, int* nkeys) {
  *nkeys = static_cast<int>(info_of(info)->size());
}

void info_get_nthkey(MPI_Info info, int n, char* key) {
  const auto from = info_of(info);
  if (n < 0 || static_cast<std::size_t>(n) >= from->size()) {
    throw Error(ErrorClass::arg, fmt::format("n is {}, but info has {} keys, counted from 0", n, from->size()));
  }
  give(from->key(static_cast<std::size_t>(n)), MPI_MAX_INFO_KEY, key);
}

void info_dup(MPI_Info info, MPI_Info* newinfo) {
  *newinfo = info_handle(*info_of(info));
}

void info_free(MPI_Info* info) {
  if (*info == MPI_INFO_ENV) throw Error(ErrorClass::info, "info is MPI_INFO_ENV, which cannot be freed");
  if (!infos().remove(*info)) info_of(*info);  // throws Error, which says what is wrong
  *info = MPI_INFO_NULL;
}

}  // namespace bowline::api

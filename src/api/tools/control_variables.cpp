// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.6: control variables. They are the tunables, by the names of their environment variables and in
// their order.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "api/entry/this_process.hpp"
#include "api/tools/enumerations.hpp"
#include "api/tools/tool_interface.hpp"
#include "api/tools/variable_traits.hpp"
#include "base/tunable.hpp"
#include "bodies.hpp"

/// What an MPI_T_cvar_handle refers to.
struct MPI_ABI_T_cvar_handle {
  bowline::TunableBase* tunable;
};

namespace bowline::api {
namespace {

/// Of a text, in bytes with the final null byte. Longer values are cut when they are read.
constexpr std::size_t longest_text = 1024;

using Form = TunableBase::Form;

ToolHandles<MPI_ABI_T_cvar_handle>& handles() {
  static ToolHandles<MPI_ABI_T_cvar_handle> all;
  return all;
}

TunableBase& tunable_at(int index) {
  const auto all = TunableBase::all();
  return *all[checked_index(index, all.size())];
}

MPI_Datatype datatype_of(const TunableBase& tunable) {
  switch (tunable.form()) {
    case Form::text:
      return MPI_CHAR;
    case Form::size:
      return MPI_UNSIGNED_LONG;
    default:
      return MPI_INT;
  }
}

void read(const TunableBase& tunable, void* to) {
  switch (tunable.form()) {
    case Form::text: {
      const std::string text = tunable.value_text().substr(0, longest_text - 1);
      std::memcpy(to, text.c_str(), text.size() + 1);
      return;
    }
    case Form::size: {
      const auto number = static_cast<unsigned long>(tunable.number());
      std::memcpy(to, &number, sizeof number);
      return;
    }
    default: {
      const int number = static_cast<int>(tunable.number());
      std::memcpy(to, &number, sizeof number);
    }
  }
}

void write(TunableBase& tunable, const void* from) {
  switch (tunable.form()) {
    case Form::text: {
      const char* const text = static_cast<const char*>(from);
      return tunable.set({text, strnlen(text, longest_text)});
    }
    case Form::size: {
      unsigned long number = 0;
      std::memcpy(&number, from, sizeof number);
      return tunable.set_number(static_cast<std::int64_t>(number));
    }
    default: {
      int number = 0;
      std::memcpy(&number, from, sizeof number);
      return tunable.set_number(number);
    }
  }
}

}  // namespace

void forget_control_handles() noexcept {
  handles().clear();
}

void t_cvar_get_num(int* num_cvar) {
  const ToolLock lock;
  required(num_cvar) = static_cast<int>(TunableBase::all().size());
}

void t_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                     MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  const ToolLock lock;
  const TunableBase& tunable = tunable_at(cvar_index);
  give_string(tunable.environment_name(), name, name_len);
  give(verbosity, verbosity_of(tunable.traits().audience));
  give(datatype, datatype_of(tunable));
  give(enumtype, enumeration_of(tunable.name(), tunable.words()));
  give_string(tunable.help(), desc, desc_len);
  give(bind, int{MPI_T_BIND_NO_OBJECT});
  give(scope, scope_of(tunable.traits().agreement));
}

void t_cvar_get_index(const char* name, int* cvar_index) {
  const ToolLock lock;
  const auto all = TunableBase::all();
  const auto found = std::ranges::find(all, std::string_view(&required(name)), &TunableBase::environment_name);
  if (found == all.end()) throw ToolError(MPI_T_ERR_INVALID_NAME);
  required(cvar_index) = static_cast<int>(found - all.begin());
}

void t_cvar_handle_alloc(int cvar_index, void*, MPI_T_cvar_handle* handle, int* count) {
  const ToolLock lock;
  TunableBase& tunable = tunable_at(cvar_index);
  required(handle) = handles().add(std::make_unique<MPI_ABI_T_cvar_handle>(MPI_ABI_T_cvar_handle{&tunable}));
  give(count, tunable.form() == Form::text ? static_cast<int>(longest_text) : 1);
}

void t_cvar_handle_free(MPI_T_cvar_handle* handle) {
  const ToolLock lock;
  handles().remove(handles().find(required(handle)));
  *handle = MPI_T_CVAR_HANDLE_NULL;
}

void t_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  const ToolLock lock;
  if (buf == nullptr) throw ToolError(MPI_T_ERR_INVALID);
  read(*handles().find(handle).tunable, buf);
}

/// The environment does not change the value afterwards.
void t_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  const ToolLock lock;
  TunableBase& tunable = *handles().find(handle).tunable;
  if (buf == nullptr) throw ToolError(MPI_T_ERR_INVALID);
  if (tunable.traits().change == Change::before_init && this_process().running())
    throw ToolError(MPI_T_ERR_CVAR_SET_NOT_NOW);
  try {
    write(tunable, buf);
  } catch (const ToolError&) {
    throw;
  } catch (const Error&) {  // it is not allowed
    throw ToolError(MPI_T_ERR_INVALID);
  }
  tunable.keep();
}

}  // namespace bowline::api

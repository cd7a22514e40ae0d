// SPDX-License-Identifier: BSD-3-Clause
// What tests of MPI_T's events share: the types of events, and a callback that notes what has happened.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace listening {

struct Type {
  int index = -1;
  std::string name, description;
  std::vector<std::string> elements;
  std::vector<MPI_Datatype> datatypes;
  std::vector<MPI_Aint> displacements;
  MPI_T_enum words = MPI_T_ENUM_NULL;
};

inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(each);
    }
  }
  return parts;
}

inline Type type_at(int index) {
  Type type;
  type.index = index;
  int name_length = 0, description_length = 0, verbosity = 0, elements = 0, bind = -1;
  CHECK_EQ(MPI_T_event_get_info(index, nullptr, &name_length, &verbosity, nullptr, nullptr, &elements, nullptr, nullptr,
                                nullptr, &description_length, &bind),
           MPI_SUCCESS);
  CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
  std::string name(static_cast<std::size_t>(name_length), '?');
  std::string description(static_cast<std::size_t>(description_length), '?');
  type.datatypes.resize(static_cast<std::size_t>(elements));
  type.displacements.resize(static_cast<std::size_t>(elements));
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(
      MPI_T_event_get_info(index, name.data(), &name_length, nullptr, type.datatypes.data(), type.displacements.data(),
                           &elements, &type.words, &info, description.data(), &description_length, nullptr),
      MPI_SUCCESS);
  type.name = name.c_str();
  type.description = description.c_str();
  std::array<char, 200> text{};
  int length = static_cast<int>(text.size()), found = 0;
  MPI_Info_get_string(info, "elements", &length, text.data(), &found);
  MPI_Info_free(&info);
  type.elements = split(text.data());
  CHECK_EQ(type.elements.size(), type.datatypes.size());
  return type;
}

inline std::map<std::string, Type> types;  ///< by name; learn_types() fills it

inline std::string word_of(MPI_T_enum words, int value) {
  std::array<char, 100> text{};
  int length = static_cast<int>(text.size()), item = 0;
  CHECK_EQ(MPI_T_enum_get_item(words, value, &item, text.data(), &length), MPI_SUCCESS);
  CHECK_EQ(item, value);
  return text.data();
}

// ---- what has happened

struct Happened {
  std::string name;
  std::map<std::string, long long> numbers;
  MPI_Count time = 0;
  int source = -1;
};
inline std::vector<Happened> happened;

inline void note(MPI_T_event_instance instance, MPI_T_event_registration, MPI_T_cb_safety, void* user_data) {
  const Type& type = *static_cast<const Type*>(user_data);
  Happened one{.name = type.name};
  std::array<std::byte, 64> copy{};
  CHECK_EQ(MPI_T_event_copy(instance, copy.data()), MPI_SUCCESS);
  for (std::size_t i = 0; i < type.elements.size(); ++i) {
    std::int64_t number = 0;
    std::int32_t small = 0;
    const bool is_small = type.datatypes[i] == MPI_INT32_T;
    CHECK_EQ(MPI_T_event_read(instance, static_cast<int>(i), is_small ? static_cast<void*>(&small) : &number),
             MPI_SUCCESS);
    CHECK(std::memcmp(copy.data() + type.displacements[i], is_small ? static_cast<void*>(&small) : &number,
                      is_small ? sizeof small : sizeof number) == 0);
    one.numbers[type.elements[i]] = is_small ? small : number;
  }
  CHECK_EQ(MPI_T_event_read(instance, static_cast<int>(type.elements.size()), copy.data()), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_event_get_timestamp(instance, &one.time), MPI_SUCCESS);
  CHECK_EQ(MPI_T_event_get_source(instance, &one.source), MPI_SUCCESS);
  happened.push_back(std::move(one));
}

/// Listens while it exists.
class Registration {
 public:
  Registration(const std::string& name, MPI_T_cb_safety level, MPI_T_event_cb_function* function = &note)
      : type_(types.at(name)) {
    CHECK_EQ(MPI_T_event_handle_alloc(type_.index, nullptr, MPI_INFO_NULL, &handle_), MPI_SUCCESS);
    if (function != nullptr) set(level, function);
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() {
    if (handle_ != nullptr) CHECK_EQ(MPI_T_event_handle_free(handle_, nullptr, nullptr), MPI_SUCCESS);
  }
  void set(MPI_T_cb_safety level, MPI_T_event_cb_function* function) {
    CHECK_EQ(MPI_T_event_register_callback(handle_, level, MPI_INFO_NULL, const_cast<Type*>(&type_), function),
             MPI_SUCCESS);
  }
  MPI_T_event_registration handle() const noexcept { return handle_; }
  MPI_T_event_registration release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  const Type& type_;
  MPI_T_event_registration handle_ = nullptr;
};

/// The events of this name with this tag, context or the like.
inline std::vector<Happened> those(const std::string& name, const std::string& element = "", long long value = 0) {
  std::vector<Happened> found;
  std::ranges::copy_if(happened, std::back_inserter(found), [&](const Happened& each) {
    return each.name == name && (element.empty() || each.numbers.at(element) == value);
  });
  return found;
}

inline std::string word(const Happened& event, const std::string& element) {
  return word_of(types.at(event.name).words, static_cast<int>(event.numbers.at(element)));
}

inline void learn_types() {
  int count = 0;
  CHECK_EQ(MPI_T_event_get_num(&count), MPI_SUCCESS);
  for (int i = 0; i < count; ++i) {
    Type type = type_at(i);
    types[type.name] = std::move(type);
  }
  CHECK_EQ(types.size(), static_cast<std::size_t>(count));
}

}  // namespace listening

// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/view/representation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "dtype/external32/external32.hpp"
#include "dtype/external32/pack_external.hpp"
#include "mpiio/view/file_types.hpp"

namespace bowline::mpiio {
namespace {

class External32 final : public Representation {
 public:
  External32() : Representation("external32") {}

  bool native() const noexcept override { return false; }
  dtype::TypeRef file_type(const dtype::Datatype& type) const override {
    return with_file_sizes(type, [](const dtype::Datatype& basic) { return dtype::external32_size(basic.element()); });
  }
  void to_file(const dtype::Datatype& type, std::size_t count, const void* memory, std::byte* file) const override {
    dtype::pack_external(type, count, memory, file);
  }
  void from_file(const dtype::Datatype& type, std::size_t count, const std::byte* file, void* memory) const override {
    dtype::unpack_external(type, count, file, memory);
  }
};

/// A representation that the program has registered.
class Registered final : public Representation {
 public:
  Registered(std::string name, ConversionFunctions functions)
      : Representation(std::move(name)), functions_(std::move(functions)) {}

  bool native() const noexcept override { return false; }
  dtype::TypeRef file_type(const dtype::Datatype& type) const override {
    return with_file_sizes(type, [this](const dtype::Datatype& basic) { return size_of(basic); });
  }
  void to_file(const dtype::Datatype& type, std::size_t count, const void* memory, std::byte* file) const override {
    if (!functions_.write) return check_size(type), Representation::to_file(type, count, memory, file);
    convert(functions_.write, const_cast<void*>(memory), type, count, file, "write_conversion_fn");
  }
  void from_file(const dtype::Datatype& type, std::size_t count, const std::byte* file, void* memory) const override {
    if (!functions_.read) return check_size(type), Representation::from_file(type, count, file, memory);
    convert(functions_.read, memory, type, count, const_cast<std::byte*>(file), "read_conversion_fn");
  }

 private:
  std::size_t size_of(const dtype::Datatype& basic) const {
    std::ptrdiff_t bytes = 0;
    check(functions_.extent(basic, &bytes), "dtype_file_extent_fn");
    if (bytes < 1) {
      throw Error(ErrorClass::conversion,
                  fmt::format("dtype_file_extent_fn of the data representation {} says that {} takes {} bytes in the "
                              "file, but it takes 1 or more",
                              name(), basic.description(), bytes));
    }
    return static_cast<std::size_t>(bytes);
  }
  /// Without a conversion function the data have the same length in the file and in memory.
  void check_size(const dtype::Datatype& type) const {
    const std::size_t in_file = file_type(type)->size();
    if (in_file == type.size()) return;
    throw Error(ErrorClass::conversion,
                fmt::format("the data representation {} has no conversion function, but says that {} takes {} bytes in "
                            "the file, and {} in memory: give one, or the same size",
                            name(), type.description(), in_file, type.size()));
  }
  void convert(const ConversionFunctions::Convert& function, void* memory, const dtype::Datatype& type,
               std::size_t count, std::byte* file, const char* name_of_function) const {
    const std::size_t each = count > functions_.most_at_once ? file_type(type)->size() : 0;
    for (std::size_t done = 0; done < count;) {
      const std::size_t part = std::min(count - done, functions_.most_at_once);
      check(function(memory, type, part, file + done * each, done), name_of_function);
      done += part;
    }
  }
  void check(int code, const char* function) const {
    if (code == 0) return;
    throw Error(ErrorClass::conversion,
                fmt::format("{} of the data representation {} returned the error code {}", function, name(), code));
  }

  ConversionFunctions functions_;
};

class Representations {
 public:
  Representations() {
    for (const char* const name : {"native", "internal"}) all_.emplace(name, std::make_shared<Representation>(name));
    all_.emplace("external32", std::make_shared<External32>());
  }

  std::shared_ptr<const Representation> find(std::string_view name) const {
    const std::lock_guard hold(mutex_);
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : found->second;
  }
  bool add(std::shared_ptr<const Representation> made) {
    const std::lock_guard hold(mutex_);
    return all_.emplace(made->name(), made).second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Representation>, std::less<>> all_;
};

/// Not destroyed by exit(): threads may still use files.
Representations& representations() {
  static auto* const all = new Representations;
  return *all;
}

}  // namespace

void Representation::to_file(const dtype::Datatype& type, std::size_t count, const void* memory,
                             std::byte* file) const {
  dtype::pack(type, count, memory, file);
}

void Representation::from_file(const dtype::Datatype& type, std::size_t count, const std::byte* file,
                               void* memory) const {
  dtype::unpack(type, file, count * type.size(), memory);
}

std::shared_ptr<const Representation> find_representation(std::string_view name) {
  return representations().find(name);
}

void register_representation(std::string_view name, ConversionFunctions functions) {
  if (name.empty() || name.size() > longest_name) {
    throw Error(ErrorClass::arg, fmt::format("datarep has {} characters, but a name has 1 to {} "
                                             "(MPI_MAX_DATAREP_STRING - 1)",
                                             name.size(), longest_name));
  }
  if (representations().add(std::make_shared<Registered>(std::string(name), std::move(functions)))) return;
  throw Error(ErrorClass::dup_datarep,
              fmt::format("datarep is \"{}\", which exists already: choose another name", name));
}

const std::shared_ptr<const Representation>& native_representation() {
  static const auto& native = *new std::shared_ptr<const Representation>(find_representation("native"));
  return native;
}

}  // namespace bowline::mpiio

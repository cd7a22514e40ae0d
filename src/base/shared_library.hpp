// SPDX-License-Identifier: BSD-3-Clause
// SharedLibrary: a library that is not linked but loaded when a process first needs it. So Bowline starts on nodes that
// do not have it, and jobs that do not need it never load it.
//
// A table of functions is a structure with a SharedLibrary as its first member, and one line for each function:
//
//   struct Maths {
//     SharedLibrary file{{.file = "libm.so.6", .purpose = "roots are computed by libm", .remedy = "install libc6"}};
//     decltype(&::cbrt) cbrt = file.function("cbrt");
//   };
#pragma once

#include <span>
#include <string>
#include <type_traits>

namespace bowline {

/// The address of a function, which converts to the pointer type of the variable that it initializes.
class LoadedFunction {
 public:
  explicit LoadedFunction(void* address) noexcept : address_(address) {}
  template <class Function>
  requires std::is_function_v<Function>
  operator Function*() const noexcept { return reinterpret_cast<Function*>(address_); }

 private:
  void* address_;
};

class SharedLibrary {
 public:
  /// Texts with static lifetime. The sentence of an error is "PURPOSE, but what is missing; REMEDY".
  struct Facts {
    const char* file;             ///< as the loader finds it, such as "libucp.so.0"
    const char* purpose;          ///< who needs the library and for what
    const char* remedy;           ///< what to install on the nodes, and what the user can set to do without
    const char* since = nullptr;  ///< a function that older versions lack, which are not to be used; nullptr: none
  };

  /// Loads the library and never closes it, because libraries such as UCX hook into memory management, and others load
  /// drivers. Its symbols do not collide with those of the program (RTLD_LOCAL). Throws Error (MPI_ERR_OTHER) if the
  /// library cannot be loaded. Any thread may call this.
  explicit SharedLibrary(const Facts& facts);
  /// The same with the first of these files that can be loaded and is not too old, each a path or as Facts::file. If
  /// there is none, the error is that of the first file that exists, or else that of the first file.
  SharedLibrary(const Facts& facts, std::span<const std::string> files);

  /// A function of this library or of a library that is linked with it. Throws Error (MPI_ERR_OTHER) if there is none.
  LoadedFunction function(const char* name) const;
  /// A function that only some versions of the library have: a null pointer if there is none.
  LoadedFunction function_or_null(const char* name) const noexcept;

  /// The file that was loaded, with its path.
  std::string path() const;
  /// Throws Error (MPI_ERR_OTHER) with the library's sentence. `why`: what is wrong with the library.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  /// Whether the library is loaded now; if not, `why` says why.
  bool load(const std::string& name, std::string& why);

  Facts facts_;
  void* handle_ = nullptr;
};

}  // namespace bowline

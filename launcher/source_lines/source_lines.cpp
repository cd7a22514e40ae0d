// SPDX-License-Identifier: BSD-3-Clause
// source_lines PROCESS:ADDRESS ...
// source_lines stack TITLE PROCESS:ADDRESS ...
// source_lines innermost TITLE PROCESS:ADDRESS ...
//
// Prints a line for each return address (hexadecimal) in a process that lives: "solver.c:88", or "main+0x4f of solver"
// where there is no debug information, or an empty line. With "stack" the addresses are those of a stack: each line has
// its function, "  halo (solver.c:88)", what lies within MPI's libraries is left out but for the MPI function, and the
// stack ends at main(). With "innermost" it prints one line: the title and the place of the innermost frame in the
// program itself, "TITLE (solver.c:88)". The library and mpiexec start this program (base/diagnosis); users may, too.
// Processes of one program share the work: an address is looked up once for each place in a file.
#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

struct EndSession {
  void operator()(Dwfl* session) const noexcept { dwfl_end(session); }
};
using Session = std::unique_ptr<Dwfl, EndSession>;

/// The mapped files of a process; nullptr if they cannot be read.
Session open_process(pid_t process) {
  static char* no_debug_path = nullptr;  // the usual places of debug information
  static const Dwfl_Callbacks callbacks{.find_elf = dwfl_linux_proc_find_elf,
                                        .find_debuginfo = dwfl_standard_find_debuginfo,
                                        .section_address = nullptr,
                                        .debuginfo_path = &no_debug_path};
  Session session(dwfl_begin(&callbacks));
  const bool known = session != nullptr && dwfl_linux_proc_report(session.get(), process) == 0 &&
                     dwfl_report_end(session.get(), nullptr, nullptr) == 0;
  return known ? std::move(session) : nullptr;
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string demangled(const char* name) {
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                             &std::free);
  return status == 0 ? std::string(readable.get()) : std::string(name);
}

bool is_mpi_library(std::string_view file) {
  return last_part(file).starts_with("libmpi");
}

/// The name by which programs call an entry point of MPI, which has further ones; empty if the symbol is none.
std::string_view mpi_function(std::string_view symbol) {
  const std::size_t begin = symbol.find("MPI_");
  const bool is_one = symbol.substr(0, begin) == "bowline_P" || symbol.substr(0, begin) == "P" || begin == 0;
  if (!is_one || begin == std::string_view::npos) return {};
  return symbol.substr(begin, symbol.find('.') - begin);  // the compiler adds ".cold" to the name of a part
}

/// The line of the source from which an address comes, as "solver.c:88"; empty if the debug information does not say.
///
/// libdwfl finds the compilation unit by a table of addresses (.debug_aranges). clang writes none; then the units say
/// which addresses they have.
std::string source_of(Dwfl_Module* module, Dwarf_Addr address) {
  const char* source = nullptr;
  int number = 0;
  if (Dwfl_Line* const line = dwfl_module_getsrc(module, address)) {
    source = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  } else {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr && dwarf_haspc(unit, address - bias) <= 0) {
    }
    Dwarf_Line* const found = unit == nullptr ? nullptr : dwarf_getsrc_die(unit, address - bias);
    if (found != nullptr && dwarf_lineno(found, &number) == 0) source = dwarf_linesrc(found, nullptr, nullptr);
  }
  return source == nullptr || number <= 0 ? "" : fmt::format("{}:{}", last_part(source), number);
}

enum class Style : std::uint8_t { place, stack };

/// `address`: of the call instruction.
std::string describe(Dwfl_Module* module, Dwarf_Addr address, std::string_view file, Style style) {
  const char* const symbol_name = dwfl_module_addrname(module, address);
  if (style == Style::stack && symbol_name != nullptr && is_mpi_library(file)) {
    if (const std::string_view function = mpi_function(symbol_name); !function.empty()) return std::string(function);
  }
  if (const std::string place = source_of(module, address); !place.empty()) {
    const char* const function = style == Style::stack ? symbol_name : nullptr;
    return function == nullptr ? place : fmt::format("{} ({})", demangled(function), place);
  }
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr) return fmt::format("{}+{:#x} of {}", demangled(name), offset + 1, last_part(file));
  return std::string(last_part(file));
}

/// Where an address is.
struct Place {
  std::string file;  ///< the program or library
  std::string words;
};

class Places {
 public:
  explicit Places(Style style) : style_(style) {}

  Place at(pid_t process, std::uint64_t address) {
    if (address == 0) return {};
    const auto [place, is_new] = sessions_.try_emplace(process);
    if (is_new) place->second = open_process(process);
    Dwfl_Module* const module = place->second == nullptr ? nullptr : dwfl_addrmodule(place->second.get(), address - 1);
    if (module == nullptr) return {};
    Dwarf_Addr start = 0;
    const char* file = nullptr;
    const char* const name = dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, &file, nullptr);
    const std::string path(file != nullptr ? file : name);
    const auto [known, is_first] = known_.try_emplace({path, address - start});
    if (is_first) known->second = describe(module, address - 1, path, style_);
    return {path, known->second};
  }

 private:
  Style style_;
  std::map<pid_t, Session> sessions_;
  std::map<std::pair<std::string, std::uint64_t>, std::string> known_;
};

/// The stack in words, from the innermost frame.
std::string in_words(const std::vector<Place>& stack) {
  std::string text;
  for (std::size_t i = 0; i < stack.size();) {
    const auto is_of_mpi = [&](std::size_t at) { return at < stack.size() && is_mpi_library(stack[at].file); };
    std::size_t next = i + 1;
    while (next < stack.size() && stack[next].words == stack[i].words) ++next;
    if (!is_of_mpi(i) || !is_of_mpi(next)) {
      const std::size_t times = next - i;
      text += fmt::format("  {}{}\n", stack[i].words.empty() ? "?" : stack[i].words,
                          times > 1 ? fmt::format(", {} times", times) : "");
    }
    if (stack[i].words.starts_with("main (") || stack[i].words.starts_with("main+")) break;
    i = next;
  }
  return text;
}

/// The place of the innermost frame in this program. If there is none, as where an interpreter has loaded a library,
/// the innermost one outside of MPI. Empty if nothing is known.
std::string innermost(const std::vector<Place>& stack, const std::string& program) {
  const auto first = [&](auto accepts) {
    const auto found = std::ranges::find_if(stack, accepts);
    return found == stack.end() ? std::string() : found->words;
  };
  const std::string own = first([&](const Place& each) { return each.file == program; });
  return own.empty() ? first([](const Place& each) { return !is_mpi_library(each.file) && !each.words.empty(); }) : own;
}

/// The file that a process executes; empty if it cannot be read.
std::string program_of(pid_t process) {
  std::error_code error;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error).string();
}

struct Address {
  pid_t process = 0;
  std::uint64_t address = 0;
};

std::optional<Address> parse(std::string_view text) {
  constexpr int hexadecimal = 16;
  Address read;
  const char* const end = text.data() + text.size();
  const auto [colon, first_error] = std::from_chars(text.data(), end, read.process);
  if (first_error != std::errc() || colon == end || *colon != ':') return {};
  const auto [last, second_error] = std::from_chars(colon + 1, end, read.address, hexadecimal);
  return second_error == std::errc() && last == end ? std::optional(read) : std::nullopt;
}

/// Has the kernel end this process rather than a rank if memory runs out. A failure changes nothing else.
void go_first_when_memory_ends() {
  if (std::FILE* const file = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("1000", file);
    std::fclose(file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int usage_error = 2;
  go_first_when_memory_ends();
  const bool is_stack = argc > 2 && std::string_view(argv[1]) == "stack";
  const bool is_innermost = argc > 2 && std::string_view(argv[1]) == "innermost";
  const bool has_title = is_stack || is_innermost;
  Places places(is_stack ? Style::stack : Style::place);
  std::vector<Place> found;
  pid_t process = 0;
  for (int i = has_title ? 3 : 1; i < argc; ++i) {
    const std::optional<Address> asked = parse(argv[i]);
    if (!asked) {
      std::fprintf(stderr,
                   "source_lines: argument %d is \"%s\"; give PROCESS:ADDRESS, with the address in hexadecimal digits, "
                   "such as 4711:55d0c0a1b2c3\n",
                   i, argv[i]);
      return usage_error;
    }
    process = asked->process;
    found.push_back(places.at(process, asked->address));
  }
  std::string text;
  if (is_stack) {
    text = fmt::format("{}\n{}", argv[2], in_words(found));
  } else if (is_innermost) {
    const std::string place = innermost(found, program_of(process));
    text = place.empty() ? fmt::format("{}\n", argv[2]) : fmt::format("{} ({})\n", argv[2], place);
  } else {
    for (const Place& each : found) text += each.words + '\n';
  }
  // One write, so that the pages of several ranks do not mix.
  return write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
}

// SPDX-License-Identifier: BSD-3-Clause
// See foreign.hpp. Walks over the words up to the program; each option takes its values and is replaced according to
// its row.
#include "launcher/command_line/foreign.hpp"

#include <algorithm>
#include <iterator>

#include "launcher/command_line/values.hpp"

namespace bowline::launcher {
namespace {

/// The substitute for the parameters of Open MPI that begin with this prefix. The first matching row applies.
struct Parameter {
  std::string_view begins;
  std::string_view instead;
};

constexpr Parameter parameters[] = {
    {"btl_tcp_if", "UCX_NET_DEVICES chooses the network between nodes"},
    {"oob_tcp_if", "UCX_NET_DEVICES chooses the network between nodes"},
    {"btl", "ranks of a node share memory, others talk over UCX, whose UCX_TLS chooses transports"},
    {"pml", "ranks of a node share memory, others talk over UCX, whose UCX_TLS chooses transports"},
    {"mtl", "ranks of a node share memory, others talk over UCX, whose UCX_TLS chooses transports"},
    {"coll", "BOWLINE_COLLECTIVES chooses algorithms of collectives (docs/collectives.md)"},
    {"rmaps_base_oversubscribe", "more ranks than cores are always allowed"},
    {"rmaps", "--map-by and --rank-by place ranks"},
    {"hwloc_base_binding", "--bind-to binds ranks"},
    {"mpi_yield_when_idle", "ranks that share a core yield by themselves"},
    {"mpi_ft_enable", "--keep-going lets the job go on when ranks are lost"},
    {"opal_warn_on_missing_libcuda", "there is no such warning"},
    {"io", "files are the library's own, and hints for them are info keys (docs/io.md)"},
    {"osc", "windows choose the path to each target by themselves (docs/windows.md)"},
    {"", "bowline-info --tunables lists the settings of Bowline"},
};

constexpr std::string_view fault_tolerance_files[] = {"ft-enable-mpi", "ft-mpi"};

bool turns_on_fault_tolerance(const std::string& file) {
  return std::ranges::find(fault_tolerance_files, file) != std::end(fault_tolerance_files);
}

std::string_view instead_of(std::string_view parameter) {
  const auto fits = [parameter](const Parameter& row) { return parameter.starts_with(row.begins); };
  return std::ranges::find_if(parameters, fits)->instead;
}

/// The row of a word such as "-np" or "--np"; a null pointer if no row has the word.
const ForeignOption* find_row(const std::string& word) {
  const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
  for (const ForeignOption& row : foreign_options()) {
    for (const std::string& known : split(row.names, ' ')) {
      if (known == (known[0] == '-' ? word : name)) return &row;
    }
  }
  return nullptr;
}

std::string replaced(std::string text, const std::vector<std::string>& values) {
  for (size_t i = values.size(); i-- > 0;) {
    const size_t at = text.find("$" + std::to_string(i + 1));
    if (at != std::string::npos) text.replace(at, 2, values[i]);
  }
  return text;
}

/// Translates the words from first to last.
class Walk {
 public:
  Walk(std::span<const std::string> words, const OwnOption& own, std::vector<std::string>& warnings)
      : words_(words), own_(own), warnings_(warnings) {}

  std::vector<std::string> run() {
    while (next_ < words_.size() && is_option(words_[next_])) take_option();
    result_.insert(result_.end(), words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
    return std::move(result_);
  }

 private:
  static bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-' && word != "--"; }

  void take_option() {
    const std::string word = words_[next_++];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const ForeignOption* row = find_row(name);
    if (row == nullptr) return take_own(word, name, equals != std::string::npos);
    std::vector<std::string> values;
    if (equals != std::string::npos && row->values > 0) values.push_back(word.substr(equals + 1));
    const bool pair = row->effect == Effect::pair;
    while (values.size() < static_cast<size_t>(row->values)) {
      if (pair && values.size() == 1 && split_pair(values)) break;
      if (next_ == words_.size()) {
        throw UsageError("option {} needs {}; mpiexec --help lists the options", name,
                         row->values == 1 ? "a value" : "two values");
      }
      values.push_back(words_[next_++]);
    }
    apply(*row, name, values);
  }

  static bool split_pair(std::vector<std::string>& values) {
    const size_t equals = values[0].find('=');
    if (equals == std::string::npos) return false;
    values = {values[0].substr(0, equals), values[0].substr(equals + 1)};
    return true;
  }

  /// Handles an option of mpiexec: one dash becomes two if that makes it an option; its value is copied.
  void take_own(const std::string& word, const std::string& name, bool has_value) {
    int values = own_(name);
    const bool longer = values < 0 && name.size() > 2 && name[1] != '-';
    if (longer) values = own_("-" + name);
    result_.push_back(longer && values >= 0 ? "-" + word : word);
    if (values > 0 && !has_value && next_ < words_.size()) result_.push_back(words_[next_++]);
  }

  void apply(const ForeignOption& row, const std::string& name, const std::vector<std::string>& values) {
    if (row.effect == Effect::always) return;
    if (row.effect == Effect::parameters && turns_on_fault_tolerance(values[0])) {
      result_.emplace_back("--keep-going");
      return;
    }
    if (row.effect == Effect::none || row.effect == Effect::parameters) {
      const std::string shown = fmt::format("{}", fmt::join(values, " "));
      warnings_.push_back(fmt::format("{}{}{} has no effect here: {}", name, shown.empty() ? "" : " ", shown,
                                      row.text.empty() ? instead_of(values[0]) : row.text));
      return;
    }
    for (const std::string& word : split(row.text, ' ')) result_.push_back(replaced(word, values));
  }

  std::span<const std::string> words_;
  const OwnOption& own_;
  std::vector<std::string>& warnings_;
  size_t next_ = 0;
  std::vector<std::string> result_;
};

}  // namespace

std::vector<std::string> translate(std::span<const std::string> words, const OwnOption& own,
                                   std::vector<std::string>& warnings) {
  return Walk(words, own, warnings).run();
}

}  // namespace bowline::launcher

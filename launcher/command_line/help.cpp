// SPDX-License-Identifier: BSD-3-Clause
// See help.hpp.
#include "launcher/command_line/help.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace bowline::launcher {
namespace {

using Document = nlohmann::ordered_json;

constexpr const char* as_document = "json";

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// In the order of their declaration; CLI11 keeps them by address.
std::vector<std::string> excluded_by(const CLI::App& cli, const CLI::Option& option) {
  std::vector<std::string> names;
  for (CLI::Option* const other : option.get_excludes()) names.push_back(other->get_name());
  const auto all = cli.get_options();
  const auto place = [&all](const std::string& name) {
    return std::ranges::find(all, name, [](const CLI::Option* each) { return each->get_name(); });
  };
  std::ranges::sort(names, {}, place);
  return names;
}

Document document_of(const CLI::App& cli, const CLI::Option& option) {
  Document document = {{"help", option.get_description()},
                       {"value", takes_value(option) ? option.get_type_name() : ""},
                       {"value_may_be_missing", takes_value(option) && option.get_items_expected_min() == 0},
                       {"repeats", option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll}};
  if (option.nonpositional()) {
    document["names"] = names_of(option);
  } else {
    document["name"] = option.get_name(true);
  }
  if (!option.get_excludes().empty()) document["excludes"] = excluded_by(cli, option);
  return document;
}

std::string_view word_of(Effect effect) {
  switch (effect) {
    case Effect::becomes:
    case Effect::pair:
      return "becomes";
    case Effect::always:
      return "always";
    case Effect::none:
      return "none";
    case Effect::parameters:
      break;
  }
  return "parameters";
}

Document document_of(const ForeignOption& option) {
  return {
      {"names", option.names}, {"values", option.values}, {"effect", word_of(option.effect)}, {"text", option.text}};
}

Document document_of(const CLI::App& cli, std::span<const ForeignOption> others) {
  Document options = Document::array(), arguments = Document::array(), foreign = Document::array();
  for (const CLI::Option* const option : cli.get_options()) {
    (option->nonpositional() ? options : arguments).push_back(document_of(cli, *option));
  }
  for (const ForeignOption& option : others) foreign.push_back(document_of(option));
  return {{"program", cli.get_name()}, {"about", cli.get_description()}, {"options", options},
          {"arguments", arguments},    {"other_launchers", foreign},     {"runs_a_program", cli.get_prefix_command()}};
}

}  // namespace

void declare_help(CLI::App& cli) {
  CLI::Option* const help =
      cli.set_help_flag("-h,--help", "Print this text; with --help=json the options as a document");
  const auto check = [](const std::string& form) {
    return form == "true" || form == as_document ? std::string()
                                                 : "\"" + form + "\" is no form: write json, or nothing";
  };
  help->check(CLI::Validator([check](std::string& form) { return check(form); }, ""));
}

std::string requested_help(const CLI::App& cli, std::span<const ForeignOption> others) {
  const std::vector<std::string> forms = cli.get_help_ptr()->results();
  if (forms.empty() || forms.back() != as_document) return cli.help();
  return document_of(cli, others).dump(1) + "\n";
}

}  // namespace bowline::launcher

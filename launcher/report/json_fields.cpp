// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/json_fields.hpp"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using Json = nlohmann::json;

constexpr double count_limit = 18446744073709551616.0;  // 2 to the 64th

}  // namespace

std::string without_controls(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // Unicode has further ones, whose first byte is C2.
    const bool is_second = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (is_second) text.replace(i, 2, "?");
    if (c < ' ' || c == 0x7F) text[i] = '?';
  }
  return text;
}

std::string text_of_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw UsageError("{} is a folder, not a file", file.string());
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad() || !stream.is_open())
    throw UsageError("{} cannot be read: {}", file.string(),
                     errno != 0 ? std::generic_category().message(errno) : "the system does not say why");
  return text;
}

Json parse_object(std::string_view text, const std::string& file) {
  if (text.empty()) throw UsageError("{} is empty", file);
  try {
    Json document = Json::parse(text);
    if (!document.is_object()) throw UsageError("{} is no report: it is JSON, but no object", file);
    return document;
  } catch (const Json::parse_error& error) {
    if (error.byte > text.size()) throw UsageError("{} is cut off: it ends after {} bytes", file, text.size());
    throw UsageError("{} is no JSON: byte {} does not fit", file, error.byte);
  } catch (const Json::exception&) {
    throw UsageError("{} has a number that is too large", file);
  }
}

JsonFields::JsonFields(const Json& object, const std::string& file, const char* what) : object_(object), file_(file) {
  if (!object.is_object()) throw UsageError("{} is no report of this kind: {} must be an object", file, what);
}

const Json& JsonFields::member(const char* key) const {
  static const Json nothing;
  const auto found = object_.find(key);
  return found == object_.end() ? nothing : *found;
}

void JsonFields::refuse(const char* key, const char* must) const {
  throw UsageError("{} is no report of this kind: \"{}\" must be {}", file_, key, must);
}

std::optional<double> JsonFields::number(const char* key) const {
  const Json& value = member(key);
  if (value.is_null()) return {};
  if (!value.is_number()) refuse(key, "a number or null");
  return value.get<double>();
}

std::uint64_t JsonFields::count(const char* key) const {
  const Json& value = member(key);
  if (!value.is_null() && !value.is_number()) refuse(key, "a number or null");
  return count_in(value);
}

std::uint64_t JsonFields::count_in(const Json& value) const {
  if (value.is_null()) return 0;
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() >= count_limit)
    throw UsageError("{} is no report of this kind: {} must be a number that is not negative", file_, value.dump());
  return static_cast<std::uint64_t>(value.get<double>());
}

int JsonFields::whole(const char* key, int least, int most) const {
  const std::optional<double> value = number(key);
  if (!value) refuse(key, "a whole number");
  if (*value < least || *value > most || std::floor(*value) != *value)
    throw UsageError("{} is no report of this kind: \"{}\" must be a whole number from {} to {}", file_, key, least,
                     most);
  return static_cast<int>(*value);
}

bool JsonFields::flag(const char* key, bool otherwise) const {
  const Json& value = member(key);
  if (value.is_null()) return otherwise;
  if (!value.is_boolean()) refuse(key, "true, false or null");
  return value.get<bool>();
}

std::string JsonFields::text(const char* key) const {
  const Json& value = member(key);
  if (value.is_null()) return {};
  if (!value.is_string()) refuse(key, "a text or null");
  return without_controls(value.get<std::string>());
}

const Json& JsonFields::list(const char* key) const {
  static const Json none = Json::array();
  const Json& value = member(key);
  if (value.is_null()) return none;
  if (!value.is_array()) refuse(key, "a list or null");
  return value;
}

const Json& JsonFields::object(const char* key) const {
  static const Json none = Json::object();
  const Json& value = member(key);
  if (value.is_null()) return none;
  if (!value.is_object()) refuse(key, "an object or null");
  return value;
}

std::optional<double> JsonFields::element(const Json& row, std::size_t index) const {
  if (!row.is_array()) throw UsageError("{} is no report of this kind: a list of lists has something else", file_);
  if (index >= row.size() || row[index].is_null()) return {};
  if (!row[index].is_number()) throw UsageError("{} is no report of this kind: a list has no number", file_);
  return row[index].get<double>();
}

std::uint64_t JsonFields::count_element(const Json& row, std::size_t index) const {
  return element(row, index) ? count_in(row[index]) : 0;
}

}  // namespace bowline::launcher

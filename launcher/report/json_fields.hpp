// SPDX-License-Identifier: BSD-3-Clause
// Reads members of JSON documents that somebody else has written: a wrong one is a sentence with the file's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace bowline::launcher {

/// The text of a file. Throws UsageError if it cannot be read.
std::string text_of_file(const std::filesystem::path& file);

/// With question marks for the characters that end lines or command terminals.
std::string without_controls(std::string text);

/// Throws UsageError unless this is the text of one object.
nlohmann::json parse_object(std::string_view text, const std::string& file);

/// The members of an object. A missing member is the same as null: its value is not known.
class JsonFields {
 public:
  /// Throws UsageError if it is no object. Both arguments must stay. `what`: such as "a site", for the sentence.
  JsonFields(const nlohmann::json& object, const std::string& file, const char* what = "it");

  std::optional<double> number(const char* key) const;
  std::uint64_t count(const char* key) const;  ///< 0 if it is not known
  int whole(const char* key, int least, int most) const;
  bool flag(const char* key, bool otherwise) const;
  std::string text(const char* key) const;              ///< without control characters
  const nlohmann::json& list(const char* key) const;    ///< empty if it is not known
  const nlohmann::json& object(const char* key) const;  ///< empty if it is not known
  bool has(const char* key) const { return !member(key).is_null(); }

  /// Number `index` of a list of numbers such as [1, 4096, 512], nothing if it is null or the list is shorter.
  std::optional<double> element(const nlohmann::json& row, std::size_t index) const;
  std::uint64_t count_in(const nlohmann::json& value) const;
  /// As element(), but exact; 0 if it is null or the list is shorter.
  std::uint64_t count_element(const nlohmann::json& row, std::size_t index) const;

 private:
  const nlohmann::json& member(const char* key) const;
  [[noreturn]] void refuse(const char* key, const char* must) const;

  const nlohmann::json& object_;
  const std::string& file_;
};

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/flight/flight_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

std::string in_form_of(const fs::path& file, const FlightStory& story) {
  const std::string ending = file.extension();
  if (ending == ".svg") return to_timeline_svg(story);
  return ending == ".json" ? to_trace(story) : to_timeline_page(story);
}

void write_file(const std::string& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  if (!out.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
    throw LaunchError("{} cannot be written: {}", file,
                      errno != 0 ? std::generic_category().message(errno) : "the system does not say why");
}

}  // namespace

bool is_flight_output(std::string_view file) {
  const std::string ending = fs::path(file).extension();
  return file == flight_to_output || ending == ".html" || ending == ".svg" || ending == ".json";
}

void check_flight_output(std::string_view option, const std::string& file) {
  if (!is_flight_output(file))
    throw UsageError("{} {}: the name must end with .html, .svg or .json, or be - for text", option, file);
  if (file == flight_to_output) return;
  std::error_code error;
  const fs::path directory = fs::absolute(file).parent_path();
  if (fs::is_directory(file, error)) throw UsageError("{} {}: is a directory; name a file, or -", option, file);
  if (!fs::is_directory(directory, error) || access(directory.c_str(), W_OK | X_OK) != 0)
    throw UsageError("{} {}: {} is not a directory where files can be made", option, file, directory.string());
}

std::vector<std::string> write_flight(const fs::path& folder, const FlightOptions& options, const std::string& file) {
  const JobFlight job = read_flights(folder);
  const FlightStory story = story_of(job, options);
  if (file == flight_to_output) {
    const std::string text = to_event_text(story);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw LaunchError("standard output cannot be written: {}", std::strerror(errno));
  } else {
    write_file(file, in_form_of(file, story));
  }
  return job.problems;
}

}  // namespace bowline::launcher

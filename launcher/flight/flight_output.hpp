// SPDX-License-Identifier: BSD-3-Clause
// The end of a job as its flight recorders tell it, in four forms.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/flight/flight_story.hpp"

namespace bowline::launcher {

/// A page that needs no other file, for a screen of any size, and for paper.
std::string to_timeline_page(const FlightStory& story);

/// Its picture alone, as a file of its own.
std::string to_timeline_svg(const FlightStory& story);

/// A document in the Trace Event Format, which Perfetto and chrome://tracing read.
std::string to_trace(const FlightStory& story);

/// The sentences, and a line for each event, in the order of time.
std::string to_event_text(const FlightStory& story);

inline constexpr std::string_view flight_to_output = "-";

/// Whether a recording can be written under this name: FILE.html, FILE.svg, FILE.json or "-".
bool is_flight_output(std::string_view file);

/// Throws UsageError, a sentence that begins with the option, unless the file can be made, as far as that can be known.
void check_flight_output(std::string_view option, const std::string& file);

/// Reads the recordings of the folder and writes them in the form that the file's name asks for; "-": as text to
/// standard output. Returns the sentences about recordings that are left out. Throws UsageError if no recording can be
/// read, LaunchError if the output cannot be written.
std::vector<std::string> write_flight(const std::filesystem::path& folder, const FlightOptions& options,
                                      const std::string& file);

}  // namespace bowline::launcher

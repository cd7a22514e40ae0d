// SPDX-License-Identifier: BSD-3-Clause
// FlightRecorder: keeps the last events of this process in a file, so that they can be read after its death.
#pragma once

#include <cstdint>
#include <memory>

#include "base/events/event.hpp"
#include "base/events/flight_file.hpp"
#include "runtime/report/report.hpp"

namespace bowline::runtime {

/// Hears the events of the library, but for those of each message. While it exists, collectives leave their shortest
/// ways, as with any listener.
class FlightRecorder final : public EventListener {
 public:
  static constexpr std::uint32_t entries = 1000;

  /// Begins, if the user wants that (the tunable `flight_recorder`). Warns if the file cannot be made. Call once, when
  /// this process knows its rank; the recorder lives as long as the process. Throws std::bad_alloc.
  static void begin(const WhoReports& who);
  /// MPI has ended properly in this process.
  static void finalized() noexcept;

  void hear(const Occurrence& occurrence) noexcept override;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(FlightHeader* header) const noexcept;
  };
  using Mapping = std::unique_ptr<FlightHeader, Unmap>;

  explicit FlightRecorder(Mapping file) noexcept;
  static Mapping map(const std::string& path, const WhoReports& who);

  Mapping file_;
  FlightEntry* ring_;
};

}  // namespace bowline::runtime

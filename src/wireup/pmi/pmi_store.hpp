// SPDX-License-Identifier: BSD-3-Clause
// PmiStore: bytes by name in the store of a PMI server, which takes short texts only.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wireup/pmi/pmi_channel.hpp"

namespace bowline::wireup {

/// Bytes as letters, digits, "-" and "_", four for three bytes.
std::string to_pmi_text(std::span<const std::byte> bytes);
/// Throws Error (MPI_ERR_OTHER) if the text is not of this kind.
std::vector<std::byte> from_pmi_text(std::string_view text);

class PmiStore {
 public:
  /// Asks the server for its limits and the name of its store. The channel must outlive the store. Throws Error.
  explicit PmiStore(PmiChannel& channel);

  /// The server's name of the store, which is a name of the job.
  const std::string& name() const noexcept { return name_; }
  /// Puts bytes, in as many values as they need. `name`: letters, digits and dashes. Others find them after sync().
  void put(const std::string& name, std::span<const std::byte> bytes);
  /// Waits until all processes of the job have called sync(). What they have put before is then there for all.
  void sync();
  /// Bytes that somebody has put; none if nobody has.
  std::optional<std::vector<std::byte>> get(const std::string& name);
  /// A value that the server itself has put; none if there is none.
  std::optional<std::string> get_text(const std::string& key);

 private:
  PmiChannel& channel_;
  std::string name_;
  std::size_t longest_part_;  ///< of the text for a rank's bytes, in one value
};

}  // namespace bowline::wireup

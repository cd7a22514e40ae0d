// SPDX-License-Identifier: BSD-3-Clause
// The connection to the PMIx server that has started this process.
#pragma once

#include <pmix.h>

#include <string>

namespace bowline::wireup {

/// Throws Error (other): `what` has failed.
[[noreturn]] void fail(pmix_status_t status, const std::string& what);
void check(pmix_status_t status, const char* what);

/// Connects, and returns this process as the server knows it. PMIx counts: each connect_pmix() needs a
/// disconnect_pmix(). Throws Error.
pmix_proc_t connect_pmix();
void disconnect_pmix();

/// A connection for the lifetime of the object, of a process that has none of its own otherwise.
class PmixConnection {
 public:
  /// Does nothing unless `needed`. Throws Error.
  explicit PmixConnection(bool needed);
  ~PmixConnection();
  PmixConnection(const PmixConnection&) = delete;
  PmixConnection& operator=(const PmixConnection&) = delete;

 private:
  bool made_;
};

}  // namespace bowline::wireup

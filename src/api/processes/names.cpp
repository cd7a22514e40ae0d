// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 11: publishing names for ports.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "api/entry/this_process.hpp"
#include "api/environment/info_handles.hpp"
#include "api/point_to_point/requests.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "runtime/jobs/published_names.hpp"

namespace bowline::api {
namespace {

using runtime::NameDirectory;
using Clock = std::chrono::steady_clock;

// How often a call that waits for a name looks for it. Short for a user, and no load for a file server.
constexpr std::chrono::milliseconds between_looks{20};
constexpr double longest_timeout = 1e9;

/// As Open MPI reads a truth value; nothing if it is none.
std::optional<bool> truth(std::string_view value) {
  if (value == "true" || value == "yes" || value == "1") return true;
  if (value == "false" || value == "no" || value == "0") return false;
  return std::nullopt;
}

NameDirectory::Existing existing_by(const Info& info) {
  const std::string* const unique = info.find("ompi_unique");
  const bool replace = unique != nullptr && truth(*unique) == false;
  return replace ? NameDirectory::Existing::replace : NameDirectory::Existing::keep;
}

bool waits_by(const Info& info) {
  const std::string* const value = info.find("bowline_wait");
  if (value == nullptr) return false;
  const auto waits = truth(*value);
  if (waits) return *waits;
  throw Error(ErrorClass::info_value,
              fmt::format("the info key bowline_wait is {}, but must be true or false", runtime::in_quotes(*value)));
}

/// When a call gives up that begins now.
Clock::time_point deadline_by(const Info& info) {
  const std::string* const value = info.find("timeout");
  if (value == nullptr) return Clock::time_point::max();
  double seconds = 0;
  const char* const end = value->data() + value->size();
  const auto read = std::from_chars(value->data(), end, seconds);
  if (read.ec != std::errc{} || read.ptr != end || !(seconds > 0 && seconds <= longest_timeout)) {
    throw Error(ErrorClass::info_value,
                fmt::format("the info key timeout is {}, but must be a number of seconds, above 0 and at most {:.0f}",
                            runtime::in_quotes(*value), longest_timeout));
  }
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Waits until the name is published or the deadline has passed. Other processes make progress meanwhile.
NameDirectory::Found wait_for(const std::string& service, Clock::time_point deadline) {
  NameDirectory::Found found;
  Clock::time_point next = Clock::now();
  const auto over = [&] {
    const Clock::time_point now = Clock::now();
    if (now < next) return false;
    next = now + between_looks;
    found = this_process().names().look_up(service);
    return found.port.has_value() || now >= deadline;
  };
  wait_anywhere(over,
                {[](proto::Engine&, const void* name) -> proto::WaitDescription {
                   const auto& words = *static_cast<const std::string*>(name);
                   return {fmt::format("for the name {} to be published", runtime::in_quotes(words)), WaitTargets{}};
                 },
                 &service});
  return found;
}

}  // namespace

void publish_name(const char* service_name, MPI_Info info, const char* port_name) {
  const std::size_t length = std::strlen(port_name);
  if (length >= MPI_MAX_PORT_NAME) {
    throw Error(ErrorClass::port, fmt::format("port_name has {} characters, but a port name has at most {} "
                                              "(MPI_MAX_PORT_NAME - 1): give one that MPI_Open_port has made",
                                              length, MPI_MAX_PORT_NAME - 1));
  }
  this_process().names().publish(service_name, port_name, existing_by(*hints_of(info)));
}

void unpublish_name(const char* service_name, MPI_Info info, const char* port_name) {
  static_cast<void>(hints_of(info));  // none is used
  this_process().names().unpublish(service_name, port_name);
}

void lookup_name(const char* service_name, MPI_Info info, char* port_name) {
  const auto hints = hints_of(info);
  const bool waits = waits_by(*hints);
  const Clock::time_point deadline = deadline_by(*hints);
  const NameDirectory::Found found =
      waits ? wait_for(service_name, deadline) : this_process().names().look_up(service_name);
  if (!found.port) {
    throw Error(ErrorClass::name,
                fmt::format("service_name {} is not published: {}; {}", runtime::in_quotes(service_name), found.why,
                            waits ? "the time that the info key timeout gives has passed"
                                  : "publish it first, as the same user, or wait for it with the info key bowline_wait "
                                    "set to true"));
  }
  if (found.port->size() >= MPI_MAX_PORT_NAME) {
    throw Error(ErrorClass::name,
                fmt::format("service_name {} is published with a port name of {} characters, but "
                            "port_name has room for {} (MPI_MAX_PORT_NAME - 1): publish it anew",
                            runtime::in_quotes(service_name), found.port->size(), MPI_MAX_PORT_NAME - 1));
  }
  std::memcpy(port_name, found.port->c_str(), found.port->size() + 1);
}

}  // namespace bowline::api

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/contact.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "base/error.hpp"
#include "transport/addresses.hpp"

namespace bowline::runtime {
namespace {

std::string name_of_lane(unsigned lane) {
  return fmt::format("network.{}", lane);
}

}  // namespace

std::vector<std::byte> Contact::bytes() const {
  transport::Address all;
  transport::add_address(all, "first", std::as_bytes(std::span(&first, 1)));
  transport::add_address(all, "inbox", inbox);
  for (unsigned lane = 0; lane < networks.size(); ++lane)
    transport::add_address(all, name_of_lane(lane), networks[lane]);
  return all;
}

Contact Contact::read(const std::vector<std::byte>& bytes) {
  Contact contact;
  const auto first = transport::find_address(bytes, "first");
  const auto inbox = transport::find_address(bytes, "inbox");
  if (!first.has_value() || first->size() != sizeof contact.first || !inbox.has_value()) {
    throw Error(ErrorClass::other, fmt::format("what a process of another job has told of itself, {} bytes, cannot be "
                                               "read: do both jobs run the same version of Bowline?",
                                               bytes.size()));
  }
  std::memcpy(&contact.first, first->data(), sizeof contact.first);
  contact.inbox.assign(inbox->begin(), inbox->end());
  while (const auto network =
             transport::find_address(bytes, name_of_lane(static_cast<unsigned>(contact.networks.size()))))
    contact.networks.emplace_back(network->begin(), network->end());
  return contact;
}

}  // namespace bowline::runtime

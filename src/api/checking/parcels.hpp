// SPDX-License-Identifier: BSD-3-Clause
// Parcels: bytes that each member of a team sends to each. All members call these functions together, in the same order
// as their collectives, under the lane's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "coll/calls/collectives.hpp"
#include "coll/team/team.hpp"

namespace bowline::api::checking {

using Parcel = std::vector<std::byte>;
using Parcels = std::vector<Parcel>;  ///< for each member, or from each

/// `lengths`: of the parcels that come. Throws Error if a transfer fails.
Parcels exchange_parcels(coll::Team& team, const Parcels& mine, const std::vector<std::uint64_t>& lengths);
Parcels exchange_parcels(coll::Team& team, const Parcels& mine);

/// One value for each member and from each. Throws Error if a transfer fails.
template <class T>
std::vector<T> exchange_each(coll::Team& team, std::vector<T>& mine) {
  std::vector<T> theirs(mine.size());
  coll::Arguments each{.send = coll::Blocks(reinterpret_cast<std::byte*>(mine.data()), sizeof(T)),
                       .receive = coll::Blocks(reinterpret_cast<std::byte*>(theirs.data()), sizeof(T))};
  coll::run(team, coll::Operation::alltoall, each, coll::CallForm::internal);
  return theirs;
}

template <class T>
Parcel packed(const std::vector<T>& values) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  return {bytes, bytes + values.size() * sizeof(T)};
}

template <class T>
std::vector<T> unpacked(const Parcel& parcel) {
  std::vector<T> values(parcel.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), parcel.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace bowline::api::checking

// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/parcels.hpp"

namespace bowline::api::checking {

Parcels exchange_parcels(coll::Team& team, const Parcels& mine, const std::vector<std::uint64_t>& lengths) {
  Parcel out;
  std::vector<coll::Block> sent, received;
  for (const Parcel& parcel : mine) {
    sent.push_back({static_cast<std::ptrdiff_t>(out.size()), parcel.size()});
    out.insert(out.end(), parcel.begin(), parcel.end());
  }
  std::size_t total = 0;
  for (const std::uint64_t length : lengths) {
    received.push_back({static_cast<std::ptrdiff_t>(total), length});
    total += length;
  }
  Parcel in(total);
  coll::Arguments all{.send = coll::Blocks(out.data(), sent.data()),
                      .receive = coll::Blocks(in.data(), received.data())};
  coll::run(team, coll::Operation::alltoallv, all, coll::CallForm::internal);
  Parcels theirs;
  theirs.reserve(received.size());
  for (const coll::Block& block : received) {
    const auto begin = in.begin() + block.offset;
    theirs.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(block.bytes));
  }
  return theirs;
}

Parcels exchange_parcels(coll::Team& team, const Parcels& mine) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(mine.size());
  for (const Parcel& parcel : mine) lengths.push_back(parcel.size());
  return exchange_parcels(team, mine, exchange_each(team, lengths));
}

}  // namespace bowline::api::checking

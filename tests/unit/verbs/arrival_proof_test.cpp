// SPDX-License-Identifier: BSD-3-Clause
// verbs: what the completions of an iWARP adapter prove, without an adapter.
#include "verbs/connection/arrival_proof.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bowline::verbs {
namespace {

class Arrivals : public testing::Test {
 protected:
  Arrivals() {
    constexpr std::array kinds{IBV_WR_SEND, IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      works[i].request.opcode = kinds[i];
      under_way.push_back(works[i]);
    }
  }
  void end(SendWork& work) {
    proof.note(work);
    List<SendWork>::remove(work);
  }

  std::array<SendWork, 4> works{};  // a message, a read, a write, a read
  List<SendWork> under_way;
  ArrivalProof proof{false};
};

TEST_F(Arrivals, AReadProvesWhatIsBeforeItUnlessALaterRequestHasEndedFirst) {
  EXPECT_TRUE(proof.is_complete());
  EXPECT_TRUE(proof.comes_with(under_way)) << "the last request is a read";
  EXPECT_EQ(&ArrivalProof::oldest_ended(under_way, works[2]), &works[0]);
  end(works[0]);
  EXPECT_FALSE(proof.is_complete());
  EXPECT_FALSE(proof.lacks_writes());
  EXPECT_EQ(&ArrivalProof::oldest_ended(under_way, works[2]), &works[2]) << "the read before it is under way";
  end(works[2]);
  EXPECT_TRUE(proof.lacks_writes());
  EXPECT_EQ(&ArrivalProof::oldest_ended(under_way, works[1]), &works[1]);
  end(works[1]);
  EXPECT_TRUE(proof.lacks_writes()) << "the write has overtaken this read";
  end(works[3]);
  EXPECT_TRUE(proof.is_complete());
}

TEST_F(Arrivals, AMessageAfterAWriteStaysInDoubtWithTheWrite) {
  end(works[2]);
  end(works[0]);
  EXPECT_TRUE(proof.lacks_writes());
  proof.start({});
  EXPECT_TRUE(proof.is_complete()) << "what had not arrived is sent again";
}

TEST_F(Arrivals, NothingUnderWayBringsNoProof) {
  for (SendWork& each : works) List<SendWork>::remove(each);
  EXPECT_TRUE(proof.comes_with(under_way));
  proof.note(works[0]);
  EXPECT_FALSE(proof.comes_with(under_way));
}

}  // namespace
}  // namespace bowline::verbs

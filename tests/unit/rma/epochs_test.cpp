// SPDX-License-Identifier: BSD-3-Clause
#include "rma/synchronization/epochs.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "rma/target.hpp"

namespace bowline::rma {
namespace {

/// Whether the check accepts; otherwise it is an error of synchronization.
bool allowed(const std::function<void()>& check) {
  try {
    check();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::rma_sync);
    return false;
  }
}

struct Calls {
  bool fence, post, start, complete, wait, lock, unlock, lock_all, unlock_all, flush, flush_all, free;
  bool operator==(const Calls&) const = default;
};

Calls allowed_now(const Epochs& epochs, const Target& target) {
  return {.fence = allowed([&] { epochs.check_fence(); }),
          .post = allowed([&] { epochs.check_post(); }),
          .start = allowed([&] { epochs.check_start(); }),
          .complete = allowed([&] { epochs.check_complete(); }),
          .wait = allowed([&] { epochs.check_wait(); }),
          .lock = allowed([&] { epochs.check_lock(target); }),
          .unlock = allowed([&] { epochs.check_unlock(target); }),
          .lock_all = allowed([&] { epochs.check_lock_all(); }),
          .unlock_all = allowed([&] { epochs.check_unlock_all(); }),
          .flush = allowed([&] { epochs.check_flush(target); }),
          .flush_all = allowed([&] { epochs.check_flush_all(); }),
          .free = allowed([&] { epochs.check_free(); })};
}

const Calls at_first{.fence = true, .post = true, .start = true, .lock = true, .lock_all = true, .free = true};

TEST(Epochs, NoneIsOpenAtFirst) {
  EXPECT_EQ(allowed_now({}, {}), at_first);
}

TEST(Epochs, AFenceBeginsOneOnlyIfOperationsFollow) {
  Epochs epochs;
  epochs.fenced(true);
  EXPECT_TRUE(epochs.all_open());
  EXPECT_EQ(allowed_now(epochs, {}), at_first);
  epochs.note_use();
  EXPECT_EQ(allowed_now(epochs, {}), Calls{.fence = true});
  epochs.fenced(false);
  EXPECT_FALSE(epochs.all_open());
  EXPECT_EQ(allowed_now(epochs, {}), at_first);
}

TEST(Epochs, LocksOfSeveralTargets) {
  Epochs epochs;
  Target one, two;
  one.held = LockKind::shared;
  epochs.locked();
  EXPECT_EQ(allowed_now(epochs, one), (Calls{.unlock = true, .flush = true, .flush_all = true}));
  EXPECT_EQ(allowed_now(epochs, two), (Calls{.lock = true, .flush_all = true}));
  two.held = LockKind::exclusive;
  epochs.locked();
  epochs.unlocked();
  one.held = LockKind::none;
  EXPECT_EQ(allowed_now(epochs, two), (Calls{.unlock = true, .flush = true, .flush_all = true}));
  epochs.unlocked();
  two.held = LockKind::none;
  EXPECT_EQ(allowed_now(epochs, two), at_first);
}

TEST(Epochs, ALockThatAThreadTakesOrReleasesIsNotLockedOrUnlocked) {
  Epochs epochs;
  Target target;
  epochs.locked();
  target.lock_changes = true;
  EXPECT_EQ(allowed_now(epochs, target), (Calls{.flush_all = true}));
  target.held = LockKind::shared;
  EXPECT_EQ(allowed_now(epochs, target), (Calls{.flush = true, .flush_all = true}));
}

TEST(Epochs, LockAll) {
  Epochs epochs;
  epochs.locked_all();
  EXPECT_EQ(allowed_now(epochs, {}), (Calls{.unlock_all = true, .flush = true, .flush_all = true}));
  epochs.unlocked_all();
  EXPECT_EQ(allowed_now(epochs, {}), at_first);
}

TEST(Epochs, AccessAndExposureAtOnce) {
  Epochs epochs;
  epochs.posted();
  EXPECT_EQ(allowed_now(epochs, {}), (Calls{.start = true, .wait = true}));
  epochs.started();
  EXPECT_EQ(allowed_now(epochs, {}), (Calls{.complete = true, .wait = true}));
  epochs.waited();
  EXPECT_EQ(allowed_now(epochs, {}), (Calls{.post = true, .complete = true}));
  epochs.completed();
  EXPECT_EQ(allowed_now(epochs, {}), at_first);
}

TEST(Epochs, APostEndsTheEpochOfAFence) {
  Epochs epochs;
  epochs.fenced(true);
  epochs.posted();
  EXPECT_FALSE(epochs.all_open());
}

}  // namespace
}  // namespace bowline::rma

// SPDX-License-Identifier: BSD-3-Clause
// launcher/spawn/name_service: which processes find a published value, and for how long; lookups that wait; how jobs
// end.
#include "launcher/spawn/name_service.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace bowline::launcher {
namespace {

Published text(const std::string& key, const RankId& owner, const std::string& value = "v") {
  return {.key = key, .text = value, .owner = owner};
}

Published with(Published value, Audience audience, Lifetime lifetime = Lifetime::session) {
  value.audience = audience;
  value.lifetime = lifetime;
  return value;
}

const RankId a0{"a", 0}, a1{"a", 1}, b0{"b", 0};

TEST(NameStore, StoresAllOrNothing) {
  NameStore store;
  EXPECT_EQ(store.publish({text("k", a0)}), NameStore::Result::stored);
  EXPECT_EQ(store.publish({text("new", a1), text("k", b0)}), NameStore::Result::duplicate);
  EXPECT_EQ(store.publish({text("same", a1), text("same", a1)}), NameStore::Result::duplicate);
  EXPECT_EQ(store.publish({text("new", a1), text("bowline.k", a1)}), NameStore::Result::own_key);
  EXPECT_EQ(store.size(), 1U);
}

TEST(NameStore, AKeyCanHaveAValueForEachAudience) {
  NameStore store;
  EXPECT_EQ(store.publish({with(text("k", a0, "of a"), Audience::job)}), NameStore::Result::stored);
  EXPECT_EQ(store.publish({with(text("k", b0, "of b"), Audience::job)}), NameStore::Result::stored);
  EXPECT_EQ(store.publish({with(text("k", a1), Audience::process)}), NameStore::Result::duplicate);
  EXPECT_EQ(store.find("k", a1)->text, "of a");
  EXPECT_EQ(store.find("k", b0)->text, "of b");
  EXPECT_EQ(store.publish({with(text("own", a0), Audience::process)}), NameStore::Result::stored);
  EXPECT_NE(store.find("own", a0), nullptr);
  EXPECT_EQ(store.find("own", a1), nullptr);
}

TEST(NameStore, Lifetimes) {
  NameStore store;
  store.publish({with(text("read", a0), Audience::everyone, Lifetime::first_read)});
  store.publish({with(text("process", a0), Audience::everyone, Lifetime::process)});
  store.publish({with(text("job", a0), Audience::everyone, Lifetime::job)});
  store.publish({text("session", a0)});
  store.publish({with(text("inside", a0), Audience::job)});
  store.mark_read("session", b0);
  store.mark_read("read", b0);
  EXPECT_EQ(store.find("read", a0), nullptr);
  store.on_process_end(a1);
  EXPECT_NE(store.find("process", a0), nullptr);
  store.on_process_end(a0);
  EXPECT_EQ(store.find("process", a0), nullptr);
  store.on_job_end("b");
  EXPECT_NE(store.find("job", a0), nullptr);
  store.on_job_end("a");
  EXPECT_EQ(store.size(), 1U);
  EXPECT_NE(store.find("session", b0), nullptr);
}

TEST(NameStore, OnlyTheJobUnpublishes) {
  NameStore store;
  store.publish({text("k", a0), text("l", a0), text("m", a1)});
  EXPECT_FALSE(store.unpublish("k", "b"));
  EXPECT_TRUE(store.unpublish("k", "a"));
  EXPECT_FALSE(store.unpublish("k", "a"));
  store.unpublish_all(a0);
  EXPECT_EQ(store.size(), 1U);
}

/// A service, and the answers that it has given.
class Names : public testing::Test {
 protected:
  using Given = std::shared_ptr<std::optional<Answer>>;

  template <class What>
  Given ask(const RankId& of, What what) {
    auto given = std::make_shared<std::optional<Answer>>();
    service.handle({.of = of, .what = std::move(what), .answer = [given](Answer answer) { *given = answer; }}, now);
    return given;
  }
  Given look(const RankId& of, std::vector<std::string> keys, std::size_t awaited = 0, int seconds = 0) {
    LookupRequest request{.keys = std::move(keys), .awaited = awaited, .timeout = {}};
    if (seconds > 0) request.timeout = std::chrono::seconds(seconds);
    return ask(of, std::move(request));
  }
  static std::string value(const Given& given) { return given->value().found.at(0).text; }

  NameService service;
  const NameService::Clock::time_point now{};
};

TEST_F(Names, ALookupWaitsForAsManyKeysAsItAsksFor) {
  EXPECT_EQ(look(b0, {"k"})->value().status, Answer::Status::not_found);
  const Given all = look(b0, {"k", "l"}, 2);
  const Given one = look(b0, {"k", "l"}, 1);
  ask(a0, PublishRequest{{text("l", a0)}});
  EXPECT_FALSE(*all);
  EXPECT_EQ(one->value().found.size(), 1U);
  ask(a0, PublishRequest{{text("k", a0)}});
  EXPECT_EQ(all->value().found.size(), 2U);
}

TEST_F(Names, AValueForOneReaderIsReadByTheFirstThatWaits) {
  const Given first = look(b0, {"k"}, 1);
  const Given second = look(a1, {"k"}, 1);
  ask(a0, PublishRequest{{with(text("k", a0), Audience::everyone, Lifetime::first_read)}});
  EXPECT_TRUE(*first);
  EXPECT_FALSE(*second);
}

TEST_F(Names, AWaitEndsAtItsTime) {
  const Given late = look(b0, {"k"}, 1, 3);
  const Given early = look(b0, {"k"}, 1, 2);
  EXPECT_EQ(service.deadline(), now + std::chrono::seconds(2));
  service.on_timer(now + std::chrono::seconds(2));
  EXPECT_EQ(early->value().status, Answer::Status::timed_out);
  EXPECT_FALSE(*late);
  EXPECT_EQ(service.deadline(), now + std::chrono::seconds(3));
}

TEST_F(Names, WhoHasEndedGetsNoAnswer) {
  const Given of_process = look(b0, {"k"}, 1);
  const Given of_job = look(a1, {"k"}, 1);
  service.on_process_end(b0);
  service.on_job_end("a", "0 ");
  ask(RankId{"c", 0}, PublishRequest{{text("k", RankId{"c", 0})}});
  EXPECT_FALSE(*of_process);
  EXPECT_FALSE(*of_job);
}

TEST_F(Names, UnpublishAnswers) {
  ask(a0, PublishRequest{{text("k", a0)}});
  EXPECT_EQ(ask(b0, UnpublishRequest{{"k"}})->value().status, Answer::Status::not_found);
  EXPECT_EQ(ask(a1, UnpublishRequest{{"k"}})->value().status, Answer::Status::success);
  EXPECT_EQ(ask(a1, UnpublishRequest{})->value().status, Answer::Status::success);
}

TEST_F(Names, TheEndOfASpawnedJob) {
  EXPECT_EQ(look(a0, {"bowline.end.x"})->value().status, Answer::Status::not_found);
  service.on_spawned("x", "a");
  const Given waits = look(b0, {"bowline.end.x"});
  EXPECT_FALSE(*waits);
  service.on_job_end("x", "3 why");
  EXPECT_EQ(value(waits), "3 why");
  EXPECT_EQ(value(look(a0, {"bowline.end.x"})), "3 why");
  service.on_job_end("a", "0 ");
  EXPECT_EQ(look(b0, {"bowline.end.x"})->value().status, Answer::Status::not_found);
}

TEST_F(Names, AJobThatEndsAfterItsSpawnerIsToldToThoseWhoWait) {
  service.on_spawned("x", "a");
  service.on_job_end("a", "0 ");
  const Given waits = look(b0, {"bowline.end.x"});
  service.on_job_end("x", "0 ");
  EXPECT_EQ(value(waits), "0 ");
  EXPECT_EQ(look(b0, {"bowline.end.x"})->value().status, Answer::Status::not_found);
}

TEST_F(Names, OldEndsAreForgotten) {
  for (std::size_t i = 0; i <= NameService::most_ends; ++i) {
    service.on_spawned("x" + std::to_string(i), "a");
    service.on_job_end("x" + std::to_string(i), "0 ");
  }
  EXPECT_EQ(look(a0, {"bowline.end.x0"})->value().status, Answer::Status::not_found);
  EXPECT_EQ(value(look(a0, {"bowline.end.x1"})), "0 ");
}

TEST_F(Names, TheErrorOfASpawnIsForItsProcess) {
  service.set_spawn_error(a0, "-1 why");
  EXPECT_EQ(value(look(a0, {"bowline.spawn-error"})), "-1 why");
  EXPECT_EQ(look(a1, {"bowline.spawn-error"})->value().status, Answer::Status::not_found);
  EXPECT_EQ(look(a1, {"bowline.spawn-error"}, 1)->value().status, Answer::Status::not_found);
  service.set_spawn_error(a0, std::nullopt);
  EXPECT_EQ(look(a0, {"bowline.spawn-error"})->value().status, Answer::Status::not_found);
}

}  // namespace
}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/sharing/pointer_service.hpp"

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"

namespace bowline::mpiio {

static_assert(sizeof(PointerService::Ask) <= proto::max_prefix && sizeof(PointerService::Answer) <= proto::max_prefix);

const std::array<proto::MessageKind, 2> PointerService::forms{{
    {ask, {"pointer_ask", sizeof(Ask), 0, true}, &proto::call<PointerService, &PointerService::ask_arrived>},
    {answer,
     {"pointer_answer", sizeof(Answer), 0, false},
     &proto::call<PointerService, &PointerService::answer_arrived>},
}};

PointerService& PointerService::of(proto::Engine& engine) {
  return static_cast<PointerService&>(engine.services().of(ask));
}

Offset PointerService::change(int keeper, std::uint32_t context, int rank, PointerChange change, Offset value) {
  Question question{.keeper = keeper};
  const std::uint64_t id = questions_.add(question);
  if (id == proto::no_id) throw Error(ErrorClass::no_mem, "there is no memory left to ask for the shared file pointer");
  const struct Asked {
    ~Asked() { table.remove(id); }
    proto::IdTable<Question>& table;
    std::uint64_t id;
  } asked{questions_, id};
  const Ask message{id, value, static_cast<std::uint32_t>(change), 0};
  tell(engine_.peer(keeper), ask, {.context = context, .source = rank, .tag = 0}, proto::as_prefix(message));
  const proto::Awaiting awaiting{
      [](proto::Engine&, const void* what) -> proto::WaitDescription {
        const auto& asked_for = *static_cast<const Question*>(what);
        return {fmt::format("for the shared file pointer, which rank {} keeps", asked_for.keeper),
                WaitTargets::some_rank()};
      },
      &question};
  engine_.wait_until([&] { return question.answered; }, awaiting);
  if (question.failure != nullptr) throw Error(*question.failure);
  return question.value;
}

void PointerService::ask_arrived(const proto::Arrival& message) {
  const auto asked = message.read<Ask>();
  if (asked.change > static_cast<std::uint32_t>(PointerChange::set))
    throw message.wrong(fmt::format("it asks for change {}, which there is not", asked.change));
  proto::Peer& asker = engine_.peer(message.origin);  // connects now, when an error changes nothing yet
  const auto found = pointers_.find(message.header.context);
  const bool known = found != pointers_.end();
  const Offset before =
      known ? change_pointer(*found->second, static_cast<PointerChange>(asked.change), asked.value) : 0;
  tell(asker, answer, {}, proto::as_prefix(Answer{asked.id, before, known ? 1U : 0U}));
}

void PointerService::answer_arrived(const proto::Arrival& message) {
  const auto answered = message.read<Answer>();
  Question* const question = questions_.find(answered.id);
  if (question == nullptr) {
    if (questions_.has_named(answered.id)) return;
    throw message.wrong(fmt::format("it answers question {:#x}, which nobody asked", answered.id));
  }
  if (question->keeper != message.origin || question->answered)
    throw message.wrong("it answers a question that another rank was asked, or for the second time");
  if (answered.known == 0)
    question->failure = Error(ErrorClass::file, "the process that keeps the shared file pointer has closed the file");
  question->value = answered.value;
  question->answered = true;
}

bool PointerService::awaits(const proto::Peer& peer) const noexcept {
  bool found = false;
  questions_.for_each(
      [&](const Question& question) { found = found || (question.keeper == peer.rank && !question.answered); });
  return found;
}

void PointerService::unheard(const proto::Peer& peer, const Failure& why) noexcept {
  questions_.for_each([&](Question& question) {
    if (question.keeper != peer.rank || question.answered) return;
    question.failure = why;
    question.answered = true;
  });
}

}  // namespace bowline::mpiio

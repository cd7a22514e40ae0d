// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace bowline::coll {

/// One side of a transfer. A send keeps a copy of its data if it was done at once.
struct Model::Transfer : Completion {
  int member = 0;
  std::span<const std::byte> source;
  std::span<std::byte> target;
  std::vector<std::byte> copy;
};

class Model::MemberChannel final : public Channel, private SlotHost {
 public:
  MemberChannel(Model& model, int rank) : Channel(rank, model.size_), model_(model) {}

  /// Takes part in the memory of all. `readable`: whether members may read each other's buffers.
  void share(std::span<std::byte> shared, bool readable) {
    memory_.emplace(shared, rank(), size(), slot_bytes(size()), static_cast<SlotHost&>(*this));
    memory_->tell_process();
    memory_->set_readable(readable);
  }
  void open(std::uint64_t number) {
    if (memory_.has_value()) slots_ = &own_slots_.emplace(*memory_, number, CallId{}, 0);
  }
  void close() {
    own_slots_.reset();
    for (std::optional<Slots>& slots : node_slots_) slots.reset();
  }
  /// Takes part in the memory of a node as member `rank` of `size`.
  void share_on_node(std::span<std::byte> shared, int rank, int size, bool oversubscribed) {
    node_memory_.emplace(shared, rank, size, slot_bytes(size), static_cast<SlotHost&>(*this));
    node_memory_->tell_process();
    node_memory_->set_readable(model_.readable_);
    oversubscribed_ = oversubscribed;
  }
  const Hierarchy* hierarchy() const override { return model_.hierarchy_; }

  bool takes_node_sequences() const noexcept override { return node_memory_.has_value(); }
  void take_node_sequences() override {
    node_sequence_ = std::exchange(next_node_number_, next_node_number_ + node_sequences);
  }
  void open_node_slots() override {
    std::uint64_t number = node_sequence_;
    for (std::optional<Slots>& slots : node_slots_) slots.emplace(*node_memory_, number++, CallId{}, 0);
    next_node_slots_ = 0;
  }
  NodeMemory next_node_memory() override {
    if (!node_memory_.has_value()) return {};
    return {&node_slots_.at(next_node_slots_++).value(), oversubscribed_};
  }

  void combine(const Reduction& reduction, const std::byte* left, std::span<std::byte> inout) override {
    ++model_.combinations_.all;
    if (model_.under_way_[static_cast<std::size_t>(rank())] > 0) ++model_.combinations_.overlapped;
    Channel::combine(reduction, left, inout);
  }

 private:
  void watch(proto::Watch& watch, int) override { model_.waiting_.push_back({rank(), &watch}); }
  void wake(int) noexcept override { ADD_FAILURE() << "nobody sleeps"; }
  void back(std::span<std::byte>) override {}
  Completion* begin_send(int to, std::span<const std::byte> data) override {
    EXPECT_TRUE(to >= 0 && to < size()) << "sent to member " << to << " of " << size();
    ++model_.sends_[static_cast<std::size_t>(rank())];
    if (node_memory_.has_value() && model_.node_of(rank()) == model_.node_of(to)) ++model_.sends_within_nodes_;
    auto transfer = std::make_unique<Transfer>();
    Transfer& sent = *transfer;
    sent.member = rank();
    const Route route{rank(), to};
    model_.sent_[route].push_back(&sent);
    model_.note_match(route, model_.sent_[route].size(), model_.awaited_[route].size());
    if (model_.random_() % 2 == 0) {
      sent.copy.assign(data.begin(), data.end());
      sent.source = sent.copy;
      model_.done_at_once_.push_back(std::move(transfer));
      return nullptr;
    }
    sent.source = data;
    ++model_.under_way_[static_cast<std::size_t>(rank())];
    model_.living_[&sent] = std::move(transfer);
    return &sent;
  }
  Completion* begin_receive(int from, std::span<std::byte> data) override {
    EXPECT_TRUE(from >= 0 && from < size()) << "received from member " << from << " of " << size();
    ++model_.receives_[static_cast<std::size_t>(rank())];
    auto transfer = std::make_unique<Transfer>();
    Transfer& awaited = *transfer;
    awaited.member = rank();
    awaited.target = data;
    const Route route{from, rank()};
    model_.awaited_[route].push_back(&awaited);
    model_.note_match(route, model_.awaited_[route].size(), model_.sent_[route].size());
    ++model_.under_way_[static_cast<std::size_t>(rank())];
    model_.living_[&awaited] = std::move(transfer);
    return &awaited;
  }
  void end(Completion& completion) override { model_.give_back(completion); }
  void abandon(Completion&) noexcept override { ADD_FAILURE() << "a transfer of member " << rank() << " was dropped"; }

  Model& model_;
  std::optional<SlotMemory> memory_;
  std::optional<Slots> own_slots_;
  std::optional<SlotMemory> node_memory_;
  bool oversubscribed_ = false;
  std::uint64_t next_node_number_ = 0;
  std::uint64_t node_sequence_ = 0;  ///< the first one of the operation
  std::size_t next_node_slots_ = 0;
  std::array<std::optional<Slots>, node_sequences> node_slots_;
};

/// So long that every member has a line in each half of a slot.
std::size_t Model::slot_bytes(int size) {
  return std::max<std::size_t>(512, 128 * static_cast<std::size_t>(size));
}

Model::Shared::Shared(int size) {
  const std::size_t bytes = SlotMemory::bytes_for(size, slot_bytes(size));
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for slots");
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

Model::Shared::~Shared() {
  munmap(bytes_.data(), bytes_.size());
}

Model::Model(int size, std::uint32_t seed, bool with_slots)
    : size_(size),
      random_(seed),
      readable_(seed % 2 == 0),
      laggard_(seed % 3 == 0 ? static_cast<int>(random_() % static_cast<unsigned>(size)) : -1),
      under_way_(static_cast<std::size_t>(size)),
      sends_(static_cast<std::size_t>(size)),
      receives_(static_cast<std::size_t>(size)) {
  if (with_slots) shared_.emplace(size);
  for (int rank = 0; rank < size; ++rank) {
    channels_.push_back(std::make_unique<MemberChannel>(*this, rank));
    if (shared_.has_value()) channels_.back()->share(shared_->bytes(), readable_);
  }
}

Model::~Model() = default;

Channel& Model::channel(int rank) {
  return *channels_[static_cast<std::size_t>(rank)];
}

void Model::share_on_nodes(const std::vector<int>& nodes, bool oversubscribed) {
  nodes_ = nodes;
  std::map<int, int> placed;  // how many of each node's members have their places
  for (int member = 0; member < size_; ++member) {
    const int node = node_of(member);
    const auto count = static_cast<int>(std::ranges::count(nodes, node));
    if (count == 1) continue;
    const Shared& shared = shared_on_node_.try_emplace(node, count).first->second;
    channels_[static_cast<std::size_t>(member)]->share_on_node(shared.bytes(), placed[node]++, count, oversubscribed);
  }
}

void Model::open_slots() {
  for (const auto& channel : channels_) channel->open(operations_);
  ++operations_;
}

void Model::start(std::vector<std::unique_ptr<Task>>& tasks, const std::vector<int>& members) {
  std::vector<int> order = members;
  std::ranges::shuffle(order, random_);
  for (const int member : order) tasks[static_cast<std::size_t>(member)]->start();
}

/// Which of those who wait for flags may go on now: all whose flags are there, the laggard only if nothing else
/// happens.
std::vector<std::size_t> Model::flags_to_see() {
  std::vector<std::size_t> reached, late;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].watch->reached()) (waiting_[i].member == laggard_ ? late : reached).push_back(i);
  }
  return reached.empty() && matched_.empty() ? late : reached;
}

/// Ends transfers, in random order, as long as there are any whose two sides have begun, and lets those go on whose
/// flags are there.
void Model::settle() {
  while (true) {
    const std::vector<std::size_t> reached = flags_to_see();
    if (!reached.empty() && random_() % (reached.size() + matched_.size()) < reached.size()) {
      const auto found = waiting_.begin() + static_cast<std::ptrdiff_t>(reached[random_() % reached.size()]);
      const std::coroutine_handle<> waiter = found->watch->waiter;
      waiting_.erase(found);
      waiter.resume();
      continue;
    }
    if (matched_.empty()) return;
    std::swap(matched_[random_() % matched_.size()], matched_.back());
    const Route route = matched_.back();
    matched_.pop_back();
    Transfer& send = *sent_[route].front();
    Transfer& receive = *awaited_[route].front();
    sent_[route].pop_front();
    awaited_[route].pop_front();
    ASSERT_EQ(send.source.size(), receive.target.size()) << "from " << route.first << " to " << route.second;
    std::ranges::copy(send.source, receive.target.begin());
    // A completion may be gone once its waiter has run, so both are marked before either goes on.
    std::vector<std::coroutine_handle<>> waiters;
    for (Completion* completion : {static_cast<Completion*>(&send), static_cast<Completion*>(&receive)}) {
      if (living_.contains(completion))
        --under_way_[static_cast<std::size_t>(static_cast<Transfer*>(completion)->member)];
      completion->done = true;
      if (completion->waiter) waiters.push_back(std::exchange(completion->waiter, nullptr));
    }
    std::ranges::shuffle(waiters, random_);
    for (const auto waiter : waiters) waiter.resume();
  }
}

/// One more side of a route has begun; it has a match if the other side has begun as many.
void Model::note_match(const Route& route, std::size_t mine, std::size_t theirs) {
  if (mine <= theirs) matched_.push_back(route);
}

void Model::give_back(Completion& completion) {
  EXPECT_TRUE(completion.done) << "a transfer was given back before its end";
  EXPECT_EQ(living_.erase(&completion), 1U) << "a transfer was given back twice";
}

void Model::check_finished(const std::vector<std::unique_ptr<Task>>& tasks) {
  for (int member = 0; member < size_; ++member) {
    ASSERT_TRUE(tasks[static_cast<std::size_t>(member)]->done())
        << "member " << member << " of " << size_ << " is stuck";
    tasks[static_cast<std::size_t>(member)]->result();
    channels_[static_cast<std::size_t>(member)]->close();
  }
  EXPECT_TRUE(living_.empty()) << living_.size() << " transfers were never awaited";
  for (const auto& [route, sends] : sent_) {
    EXPECT_TRUE(sends.empty()) << "nobody received what " << route.first << " sent to " << route.second;
  }
}

void Model::run(const std::function<Task(Channel&)>& make_task) {
  open_slots();
  std::vector<std::unique_ptr<Task>> tasks;
  for (const auto& channel : channels_) tasks.push_back(std::make_unique<Task>(make_task(*channel)));
  std::vector<int> everyone(static_cast<std::size_t>(size_));
  std::iota(everyone.begin(), everyone.end(), 0);
  start(tasks, everyone);
  settle();
  check_finished(tasks);
}

std::vector<bool> Model::run_with_latecomer(const std::function<Task(Channel&)>& make_task, int late) {
  open_slots();
  std::vector<std::unique_ptr<Task>> tasks;
  for (const auto& channel : channels_) tasks.push_back(std::make_unique<Task>(make_task(*channel)));
  std::vector<int> punctual;
  for (int member = 0; member < size_; ++member) {
    if (member != late) punctual.push_back(member);
  }
  start(tasks, punctual);
  settle();
  std::vector<bool> finished;
  finished.reserve(tasks.size());
  for (const auto& task : tasks) finished.push_back(task->done());
  start(tasks, {late});
  settle();
  check_finished(tasks);
  return finished;
}

}  // namespace bowline::coll

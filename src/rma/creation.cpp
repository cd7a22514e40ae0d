// SPDX-License-Identifier: BSD-3-Clause
// Windows: how their members make and free them together.
//
// The members agree on a context, as for a duplicate of the communicator. The members on one node exchange facts about
// their memory, the first of them makes the memory that they share, and the others map it. If one of them cannot map
// it, they share none. At last all members exchange whether they have what they need; if one member lacks something, no
// window is made. No member leaves that exchange before all have entered their window into the lane's table, so
// operations find it.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/task.hpp"
#include "base/tunable.hpp"
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/barrier/barrier.hpp"
#include "coll/calls/drive.hpp"
#include "coll/channel/agreement.hpp"
#include "coll/channel/subchannel.hpp"
#include "comm/communicators.hpp"
#include "dtype/predefined.hpp"
#include "rma/messages/origins.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/window.hpp"
#include "rma/window_pool.hpp"

namespace bowline::rma {
namespace {

ChoiceTunable accumulates_tunable(
    Category::one_sided, "rma_accumulates", {"auto", "processor", "network"},
    "what makes accumulates of integers atomic: processor, instructions and locks of the target's processor; network, "
    "atomic operations of the network; auto: the network's if it has an adapter for them and the info key "
    "mpi_accumulate_granularity of a window on several nodes is 1 to 8");

/// What the members of a node tell each other first: facts about their memory.
struct NodeFacts {
  MemberFacts memory;
  std::uint64_t pid_namespace = 0;
};

/// What a member can do with the shared memory.
struct Ability {
  std::int32_t shares = 0;
  std::int32_t single_copy = 0;
};

/// The result of a member, or of several.
struct Verdict {
  std::int32_t error_class = 0;  ///< the greatest error class of all members
  std::int32_t rank = -1;        ///< the member that has failed
  std::uint32_t network = 0;  ///< lengths of integers whose accumulates are atomic operations of the network, added up
  std::int32_t with_memory = Window::no_member;  ///< the lowest member whose memory has a size above 0

  void add(const Verdict& other) noexcept {
    if (other.error_class > error_class) {
      error_class = other.error_class;
      rank = other.rank;
    }
    network &= other.network;
    with_memory = std::min(with_memory, other.with_memory);
  }
};

void combine_verdicts(void*, const void* in, void* inout, std::size_t bytes, const dtype::Datatype&) {
  if (bytes != sizeof(Verdict)) throw Error(ErrorClass::intern, "verdicts are combined whole");
  Verdict own, other;
  std::memcpy(&own, inout, sizeof own);
  std::memcpy(&other, in, sizeof other);
  own.add(other);
  std::memcpy(inout, &own, sizeof own);
}

const dtype::Op& verdicts() {
  static const dtype::Op& op = dtype::Op::make({.call = combine_verdicts, .context = nullptr}, true);
  return op;
}

template <class T>
std::span<std::byte> bytes_of_one(T& value) noexcept {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// The members of a window that may share memory with this process.
struct Here {
  std::vector<int> ranks;      ///< ascending
  std::vector<int> processes;  ///< process indices of the same members
  int mine = 0;
};

Here members_here(const comm::Communicator& comm, std::span<const int> processes) {
  std::vector<std::pair<int, int>> found;
  for (const int process : processes) {
    const int rank = comm.group().rank_of(process);
    if (rank != comm::Group::no_rank) found.emplace_back(rank, process);
  }
  if (found.empty()) found.emplace_back(comm.rank(), comm.process(comm.rank()));
  std::ranges::sort(found);
  Here here;
  for (const auto& [rank, process] : found) {
    if (rank == comm.rank()) here.mine = static_cast<int>(here.ranks.size());
    here.ranks.push_back(rank);
    here.processes.push_back(process);
  }
  return here;
}

bool dumpable() noexcept {
  return prctl(PR_GET_DUMPABLE) == 1;
}

}  // namespace

/// One member's part in the making of a window.
class Window::Creation {
 public:
  Creation(Window& window, const Surroundings& around, const WindowParameters& parameters)
      : window_(window), parameters_(parameters), here_(members_here(window.comm_, around.here)) {
    verdict_.network = wants_network(around) ? around.network_atomic_lengths : 0;
    if (parameters.size > 0) verdict_.with_memory = window.rank();
    layout_ = {.shared = parameters.flavor == Flavor::allocate || parameters.flavor == Flavor::shared,
               .contiguous = parameters.flavor == Flavor::shared && !parameters.hints.noncontiguous,
               .alignment = parameters.hints.alignment,
               .descriptions = parameters.flavor == Flavor::dynamic ? 0 : static_cast<std::size_t>(descriptions()),
               .regions = parameters.flavor == Flavor::dynamic,
               .null_if_empty = parameters.flavor == Flavor::shared && parameters.hints.noncontiguous};
    mine_.memory = {.size = parameters.size,
                    .unit = parameters.unit,
                    .address = reinterpret_cast<std::uint64_t>(parameters.base),
                    .offset = 0,
                    .process = node::own_mark()};
    mine_.pid_namespace = node::pid_namespace();
  }

  Task run(coll::Channel& channel) {
    if (here_.ranks.size() > 1) {
      coll::SubChannel node(channel, {.count = static_cast<int>(here_.ranks.size()), .table = here_.ranks.data()},
                            here_.mine);
      Task shared = share(node);
      co_await shared;
    }
    channel.check();
    const std::string failure = settle();
    if (verdict_.error_class == 0) window_.service_.add(window_);  // a window that fails has no messages
    Verdict verdict = verdict_;
    const coll::Reduction together{verdicts(), dtype::byte_type()};
    const coll::Arguments arguments{
        .input = bytes_of_one(verdict), .result = bytes_of_one(verdict), .reduction = &together};
    Task agreed = coll::allreduce_recursive_doubling(channel, arguments);
    co_await agreed;
    channel.check();
    window_.network_accumulates_ = verdict.network;
    window_.with_memory_ = verdict.with_memory;
    if (verdict.error_class == 0) co_return;
    throw Error(static_cast<ErrorClass>(verdict.error_class),
                verdict.rank == window_.rank() ? failure
                                               : fmt::format("rank {} of the communicator could not make its part of "
                                                             "the window; its own error says why",
                                                             verdict.rank));
  }

 private:
  /// The members on this node make the memory that they share, or agree that they share none.
  Task share(coll::Channel& channel) {
    std::vector<NodeFacts> facts(here_.ranks.size());
    facts[static_cast<std::size_t>(here_.mine)] = mine_;
    const coll::Blocks all(reinterpret_cast<std::byte*>(facts.data()), sizeof(NodeFacts));
    const coll::Arguments exchange{.input = all[here_.mine], .receive = all};
    Task exchanged = coll::allgather_bruck(channel, exchange);
    co_await exchanged;
    if (channel.failed()) co_return;
    std::vector<MemberFacts> memory;
    memory.reserve(facts.size());
    for (const NodeFacts& each : facts) memory.push_back(each.memory);
    auto node = std::make_unique<NodeMemory>(window_.engine_, here_.ranks, here_.processes, here_.mine);
    node->lay_out(layout_, memory);
    node::MemoryOffer offer;
    if (here_.mine == 0) offer = attempt([&] { return node->make(); });
    const coll::Arguments spread{.result = bytes_of_one(offer)};
    Task told = coll::bcast_binomial(channel, spread);
    co_await told;
    std::vector<Ability> abilities(here_.ranks.size());
    const coll::Blocks answers(reinterpret_cast<std::byte*>(abilities.data()), sizeof(Ability));
    Ability& own = abilities[static_cast<std::size_t>(here_.mine)];
    if (offer.bytes != 0 && !channel.failed()) {
      own = attempt([&] {
        if (here_.mine != 0) node->open(offer);
        return Ability{.shares = 1, .single_copy = single_copy(facts) ? 1 : 0};
      });
    }
    const coll::Arguments collect{.input = answers[here_.mine], .receive = answers};
    Task heard = coll::allgather_bruck(channel, collect);
    co_await heard;
    node->all_have_it();
    if (channel.failed() || !std::ranges::all_of(abilities, &Ability::shares)) co_return;
    node->set_single_copy(std::ranges::all_of(abilities, &Ability::single_copy));
    // A pid means nothing to a process of another pid namespace.
    const bool same =
        std::ranges::all_of(facts, [&](const NodeFacts& each) { return each.pid_namespace == mine_.pid_namespace; });
    if (!same) mine_.memory.process.process = 0;
    window_.node_ = std::move(node);
  }

  /// The result of `make`, or a default-constructed result if `make` fails.
  template <class Make>
  auto attempt(Make make) -> decltype(make()) {
    try {
      return make();
    } catch (const std::exception& error) {
      log::info("the members of a window on this node share no memory: {}", error.what());
      return {};
    }
  }

  bool single_copy(std::span<const NodeFacts> facts) const {
    return node::allows_single_copy() && dumpable() && facts[0].pid_namespace == mine_.pid_namespace &&
           (here_.mine == 0 || node::reaches(facts[0].memory.process));
  }

  /// Makes the parts of the window that need no other member. Returns why that failed; empty if it succeeded.
  std::string settle() {
    try {
      if (window_.node_ == nullptr) {
        if (parameters_.flavor == Flavor::shared && window_.size() > 1) refuse_sharing();
        window_.node_ = std::make_unique<NodeMemory>(window_.engine_, here_.ranks, here_.processes, here_.mine);
        window_.node_->make_private(layout_, mine_.memory);
      } else if (parameters_.flavor == Flavor::shared && window_.node_->members() < window_.size()) {
        refuse_sharing();
      }
      window_.node_->enter(mine_.memory);
      if (layout_.shared && layout_.has_address(parameters_.size))
        window_.base_ = window_.node_->data(window_.node_->mine());
      window_.processor_accumulates_ =
          layout_.shared && window_.node_->shared() && !(only_single_copy() && window_.node_->single_copy());
      return {};
    } catch (const std::bad_alloc&) {
      return failed(ErrorClass::no_mem, "no memory is left");
    } catch (const Error& error) {
      return failed(error.error_class(), error.what());
    }
  }

  std::string failed(ErrorClass error_class, std::string why) {
    verdict_.error_class = static_cast<std::int32_t>(error_class);
    verdict_.rank = window_.rank();
    return why;
  }

  /// Whether this member wants accumulates to be atomic operations of the network.
  bool wants_network(const Surroundings& around) const {
    const std::string_view chosen = accumulates_tunable.value();
    if (parameters_.flavor == Flavor::dynamic || chosen == "processor") return false;
    if (chosen == "network") return around.network_atomics != transport::RemoteAccess::none;
    constexpr std::uint64_t single = 8;  // the program is about single numbers
    const std::uint64_t granularity = parameters_.hints.granularity;
    return around.network_atomics == transport::RemoteAccess::native && granularity > 0 && granularity <= single &&
           static_cast<int>(here_.ranks.size()) < window_.size();
  }

  /// The number of descriptions of other nodes' members that the members here may have to keep.
  int descriptions() const { return static_cast<int>(here_.ranks.size()) < window_.size() ? window_.size() : 0; }

  [[noreturn]] static void refuse_sharing() {
    throw Error(ErrorClass::rma_shared,
                "the processes of comm cannot share memory: give a communicator that MPI_Comm_split_type makes with "
                "MPI_COMM_TYPE_SHARED; if this is one, BOWLINE_LOG_LEVEL=2 says why its processes share none");
  }

  Window& window_;
  const WindowParameters& parameters_;
  Here here_;
  DataLayout layout_;
  NodeFacts mine_;
  Verdict verdict_;
};

Window& Window::make(comm::Communicator& parent, comm::Communicators& all, const Surroundings& around,
                     const WindowParameters& parameters) {
  const comm::ContextId id = [&] {
    const LockGuard lane(parent.engine().lock());
    return all.agree(parent.team());
  }();
  comm::Communicator& own = all.make(id, parent.group());
  const LockGuard lane(own.engine().lock());
  Window& window = WindowPool::the().make(own, parameters);
  try {
    Creation creation(window, around, parameters);
    coll::drive(own.team(), own.team().blocking.next_tag(), own.team().next_id(coll::CallKind::making_window()),
                [&](coll::Channel& channel) { return creation.run(channel); });
  } catch (...) {
    window.service_.remove(window);
    WindowPool::the().destroy(window);
    all.free(own);
    throw;
  }
  return window;
}

void Window::meet() {
  coll::Team& team = comm_.team();
  const LockGuard lane(team.engine.lock());
  const coll::Arguments nothing;
  coll::drive(team, team.blocking.next_tag(), team.next_id(coll::CallKind::making_window()),
              [&](coll::Channel& channel) { return coll::barrier_dissemination(channel, nothing); });
}

void Window::free(Window& window, comm::Communicators& all) {
  comm::Communicator& own = window.comm_;
  const LockGuard lane(own.engine().lock());
  window.service_.remove(window);
  node::SharedMemory memory = window.node_->release();
  WindowPool::the().destroy(window);
  NodeMemory::keep(std::move(memory));
  all.free(own);
}

WindowService::~WindowService() {
  for (const auto& [context, window] : windows_) WindowPool::the().destroy(*window);
}

}  // namespace bowline::rma

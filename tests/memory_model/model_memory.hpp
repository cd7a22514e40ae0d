// SPDX-License-Identifier: BSD-3-Clause
// The memory of a model: words of Relacy, found by the addresses that the code under test uses. A structure of the
// library keeps its layout in shared memory; only what stands at its addresses is replaced.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "relacy.hpp"

namespace bowline::model {

/// A place in the sources. clang 14 cannot use std::source_location.
class Where {
 public:
  static constexpr Where current(const char* function = __builtin_FUNCTION(), const char* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE()) noexcept {
    return {function, file, line};
  }
  constexpr const char* function_name() const noexcept { return function_; }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr unsigned line() const noexcept { return line_; }

 private:
  constexpr Where(const char* function, const char* file, unsigned line) noexcept
      : function_(function), file_(file), line_(line) {}

  const char* function_;
  const char* file_;
  unsigned line_;
};

inline rl::memory_order relacy(std::memory_order order) noexcept {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_consume:
      return rl::mo_consume;
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    case std::memory_order_acq_rel:
      return rl::mo_acq_rel;
    case std::memory_order_seq_cst:
      return rl::mo_seq_cst;
  }
  return rl::mo_seq_cst;
}
/// The environment variable MODEL_RELAX=FILE:LINE makes the orders relaxed that stand in this line of the code under
/// test, and removes its fence. A test must fail then; otherwise the order is not needed, or the model is too small.
inline bool is_relaxed(const Where& where) {
  static const char* const given = std::getenv("MODEL_RELAX");
  if (given == nullptr) [[likely]]
    return false;
  static const std::string_view line(given);
  const std::size_t colon = line.find(':');
  return std::string_view(where.file_name()).ends_with(line.substr(0, colon)) &&
         std::strtoul(given + colon + 1, nullptr, 10) == where.line();
}
inline rl::memory_order relacy(std::memory_order order, const Where& where) {
  return is_relaxed(where) ? rl::mo_relaxed : relacy(order);
}
/// Relacy prints the place in the history of an order that fails.
inline rl::debug_info relacy(const Where& where) noexcept {
  return {where.function_name(), where.file_name(), where.line()};
}

/// The unsigned integer as large as T.
template <class T>
using RawOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

struct AnyObject {
  virtual ~AnyObject() = default;
};

/// An object of Relacy other than a word, such as a lock.
template <class Object>
struct Holder final : AnyObject {
  Object object;
};

/// An atomic word. Relacy's word holds the difference from the first value: one that every thread sees from the start
/// is zero in Relacy.
template <class Raw>
class Word : public AnyObject {
 public:
  explicit Word(Raw first) noexcept : first_(first) {}
  Raw first() const noexcept { return first_; }

  virtual Raw load(rl::memory_order order, const rl::debug_info& where) = 0;
  virtual void store(Raw value, rl::memory_order order, const rl::debug_info& where) = 0;
  virtual Raw exchange(Raw value, rl::memory_order order, const rl::debug_info& where) = 0;
  virtual Raw fetch_add(Raw value, rl::memory_order order, const rl::debug_info& where) = 0;
  virtual bool compare_exchange(Raw& expected, Raw value, rl::memory_order success, rl::memory_order failure, bool weak,
                                const rl::debug_info& where) = 0;
  /// futex(2): sleeps if the word has the value, until wake(); `ends` says whether the time of the sleep may be over.
  /// Some sleeps end without a reason, but not all: a wake-up that is lost has to show.
  virtual void wait(Raw value, bool ends, const rl::debug_info& where) = 0;
  virtual void wake(const rl::debug_info& where) = 0;

 private:
  Raw first_;
};

// Relacy leaves it to chance whether a thread has seen the first value of a word, and a load does not return a value
// that its thread has seen before a yield once there is a newer one. Here nobody has seen the first value at first. The
// instantiations give access to the place where Relacy keeps that, which is private.
template <class Raw>
using DataMember = rl::atomic_data* rl::generic_atomic<Raw, true>::*;
DataMember<std::uint8_t> data_member(std::uint8_t);
DataMember<std::uint16_t> data_member(std::uint16_t);
DataMember<std::uint32_t> data_member(std::uint32_t);
DataMember<std::uint64_t> data_member(std::uint64_t);
template <class Raw, DataMember<Raw> member>
struct Revealed {
  friend DataMember<Raw> data_member(Raw) { return member; }
};
template struct Revealed<std::uint8_t, &rl::generic_atomic<std::uint8_t, true>::impl_>;
template struct Revealed<std::uint16_t, &rl::generic_atomic<std::uint16_t, true>::impl_>;
template struct Revealed<std::uint32_t, &rl::generic_atomic<std::uint32_t, true>::impl_>;
template struct Revealed<std::uint64_t, &rl::generic_atomic<std::uint64_t, true>::impl_>;

template <int threads>
void nobody_has_seen(rl::atomic_data* data) {
  auto& all = static_cast<rl::atomic_data_impl<threads>&>(*data);
  for (rl::timestamp_t& order : all.history_[all.current_index_ % rl::atomic_history_size].first_seen_order_)
    order = ~rl::timestamp_t{0};
}
/// nobody_has_seen() for the number of threads of the model that runs.
inline void (*forget_first_sight)(rl::atomic_data*) = nullptr;

/// `everybody_sees`: whether the first value was there before the threads; otherwise the calling thread has written it.
template <class Raw, bool everybody_sees>
class RelacyWord final : public Word<Raw> {
 public:
  explicit RelacyWord(Raw first) : Word<Raw>(first) {
    if constexpr (everybody_sees)
      forget_first_sight(word_.*data_member(Raw{}));
    else
      word_.store(0, rl::mo_relaxed, RL_INFO);
  }

  Raw load(rl::memory_order order, const rl::debug_info& where) override { return value(word_.load(order, where)); }
  void store(Raw value, rl::memory_order order, const rl::debug_info& where) override {
    word_.store(difference(value), order, where);
  }
  Raw exchange(Raw new_value, rl::memory_order order, const rl::debug_info& where) override {
    return value(word_.exchange(difference(new_value), order, where));
  }
  Raw fetch_add(Raw summand, rl::memory_order order, const rl::debug_info& where) override {
    return value(word_.fetch_add(summand, order, where));
  }
  bool compare_exchange(Raw& expected, Raw new_value, rl::memory_order success, rl::memory_order failure, bool weak,
                        const rl::debug_info& where) override {
    Raw found = difference(expected);
    const bool done = weak
                          ? word_.compare_exchange_weak(found, difference(new_value), success, where, failure, where)
                          : word_.compare_exchange_strong(found, difference(new_value), success, where, failure, where);
    expected = value(found);
    return done;
  }
  void wait(Raw expected, bool ends, const rl::debug_info& where) override {
    rl::context& context = rl::ctx();
    context.sched();
    context.atomic_thread_fence_seq_cst();
    if (value(newest(context, where)) == expected) {
      const bool ends_by_itself = rl::rand(2) == 0;
      word_.wait(context, ends, ends_by_itself, where);
    }
  }
  void wake(const rl::debug_info& where) override {
    rl::context& context = rl::ctx();
    context.sched();
    context.atomic_thread_fence_seq_cst();
    word_.wake(context, 1000, where);
  }

 private:
  /// No other thread runs before the caller has acted on the value.
  Raw newest(rl::context& context, const rl::debug_info& where) {
    const rl::preemption_disabler hold(context);
    return word_.load(rl::mo_acquire, where);
  }
  Raw value(Raw difference) const noexcept { return static_cast<Raw>(difference + this->first()); }
  Raw difference(Raw value) const noexcept { return static_cast<Raw>(value - this->first()); }

  rl::generic_atomic<Raw, everybody_sees> word_;
};

/// Leaves the code of a process that ends at this access.
struct Ended {};

/// All words of one model, made when they are first used. A model has one, as its first member.
class Words {
 public:
  Words() { here = this; }
  ~Words() { here = nullptr; }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// The calling thread throws Ended when it has accessed atomic words this many times: it stands for a process that
  /// ends at any point.
  void end_after(int accesses) { accesses_left_[rl::thread_index()] = accesses; }
  /// The calling thread stands still at its access of this number, while the others make some dozens of accesses:
  /// random orders hardly ever let one thread fall so far behind.
  void stall_after(int accesses) { accesses_before_stall_[rl::thread_index()] = accesses; }

  /// The atomic word at an address.
  template <class Raw>
  Word<Raw>& word(const void* place) {
    if (threads_run) count_access();
    std::unique_ptr<AnyObject>& found = objects_[place];
    if (found == nullptr) found = std::make_unique<RelacyWord<Raw, true>>(content<Raw>(place));
    return static_cast<Word<Raw>&>(*found);
  }
  /// The object of Relacy for the object at an address.
  template <class Object>
  Object& object(const void* place) {
    std::unique_ptr<AnyObject>& found = objects_[place];
    if (found == nullptr) found = std::make_unique<Holder<Object>>();
    return static_cast<Holder<Object>&>(*found).object;
  }
  /// The constructor of an atomic word has run. A thread that makes one in mid-run has to publish it.
  template <class T>
  void made(const void* place) {
    objects_.erase(place);
    if (threads_run) objects_[place] = std::make_unique<RelacyWord<RawOf<T>, false>>(content<RawOf<T>>(place));
  }
  void forget(const void* place) { objects_.erase(place); }

  /// Some words of this memory are accessed both as AtomicRef and by copies: those for which `is_atomic(index)` holds.
  void mix(const std::byte* begin, std::size_t words, std::function<bool(std::size_t)> is_atomic) {
    mixed_.push_back({begin, words, std::move(is_atomic)});
  }

  void copy_to(void* to, const void* from, std::size_t bytes, const Where& where) {
    RL_ASSERT(bytes % word_bytes == 0);
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
      std::uint64_t value = 0;
      std::memcpy(&value, static_cast<const std::byte*>(from) + at, word_bytes);
      const std::byte* const place = static_cast<std::byte*>(to) + at;
      if (is_mixed(place))
        word<std::uint64_t>(place).store(value, rl::mo_relaxed, relacy(where));
      else
        plain(place)(relacy(where)).store(value);
    }
  }
  void copy_from(void* to, const void* from, std::size_t bytes, const Where& where) {
    RL_ASSERT(bytes % word_bytes == 0);
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
      const std::byte* const place = static_cast<const std::byte*>(from) + at;
      const std::uint64_t value = is_mixed(place) ? word<std::uint64_t>(place).load(rl::mo_relaxed, relacy(where))
                                                  : plain(place)(relacy(where)).load();
      std::memcpy(static_cast<std::byte*>(to) + at, &value, word_bytes);
    }
  }

  static inline Words* here = nullptr;
  bool threads_run = false;  ///< what was made before is known to all threads
  std::size_t segments = 0;  ///< that the run has made (node/segment.hpp)

 private:
  void count_access() {
    const unsigned thread = rl::thread_index();
    if (accesses_left_[thread] > 0 && --accesses_left_[thread] == 0) throw Ended();
    if (accesses_before_stall_[thread] == 0 || --accesses_before_stall_[thread] > 0) return;
    for (int i = 0; i < 40; ++i) rl::yield(1, RL_INFO);
  }

  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  struct Mixed {
    const std::byte* begin = nullptr;
    std::size_t words = 0;
    std::function<bool(std::size_t)> is_atomic;

    bool is_atomic_at(const std::byte* place) const {
      return place >= begin && place < begin + words * word_bytes &&
             is_atomic(static_cast<std::size_t>(place - begin) / word_bytes);
    }
  };

  bool is_mixed(const std::byte* place) const {
    return std::ranges::any_of(mixed_, [&](const Mixed& each) { return each.is_atomic_at(place); });
  }
  template <class Raw>
  static Raw content(const void* place) noexcept {
    Raw value{};
    std::memcpy(&value, place, sizeof value);
    return value;
  }
  rl::var<std::uint64_t>& plain(const void* place) {
    std::unique_ptr<rl::var<std::uint64_t>>& found = plain_[place];
    if (found == nullptr) found = std::make_unique<rl::var<std::uint64_t>>();
    return *found;
  }

  std::unordered_map<const void*, std::unique_ptr<AnyObject>> objects_;
  std::unordered_map<const void*, std::unique_ptr<rl::var<std::uint64_t>>> plain_;
  std::vector<Mixed> mixed_;
  std::array<int, 16> accesses_left_{};          ///< by thread; 0: the process does not end
  std::array<int, 16> accesses_before_stall_{};  ///< by thread; 0: the thread does not stall
};

}  // namespace bowline::model

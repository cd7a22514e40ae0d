// SPDX-License-Identifier: BSD-3-Clause
// Events: what happens in the library, such as that a message has met its receive. One declaration gives an event its
// name and the numbers that its listeners, tools by MPI_T, get. While nobody listens, the producer of an event makes
// one test. The shortest ways of messages and collectives make none: while somebody listens, they are not taken.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/atomic.hpp"
#include "base/variable.hpp"

namespace bowline {

class EventKind;

/// One number in the record of an event.
struct EventField {
  enum class Type : std::uint8_t { int32, uint64 };

  std::string_view name;
  std::string_view help;
  Type type;
  std::size_t offset;                            ///< in the record, in bytes
  std::span<const std::string_view> words = {};  ///< of the values 0, 1, 2 ...; empty: the number is not a word

  std::size_t bytes() const noexcept { return type == Type::int32 ? 4 : 8; }
};

/// Something that has happened.
struct Occurrence {
  const EventKind& kind;
  std::span<const std::byte> record;  ///< valid while the listener is called
  std::int64_t time;                  ///< event_time()
};

class EventListener {
 public:
  /// The thread in which it has happened calls this, with all locks that it holds, for one event at a time. A listener
  /// must not communicate.
  virtual void hear(const Occurrence& occurrence) noexcept = 0;

 protected:
  ~EventListener() = default;
};

/// The clock of all events: nanoseconds since some moment before the process began.
inline std::int64_t event_time() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Events that share one test whether anybody listens. Declared `constinit` at namespace scope.
class EventGroup {
 public:
  bool heard() const noexcept { return heard_.load(std::memory_order_relaxed) > 0; }

 private:
  friend class EventKind;
  mutable Atomic<int> heard_{0};  ///< events of the group with listeners
};

/// An event without the type of its record, as tools see it.
class EventKind {
 public:
  static constexpr std::size_t longest_record = 64;  ///< in bytes

  EventKind(const EventKind&) = delete;
  EventKind& operator=(const EventKind&) = delete;

  Category category() const noexcept { return category_; }
  std::string_view name() const noexcept { return name_; }
  std::string_view help() const noexcept { return help_; }
  std::span<const EventField> fields() const noexcept { return fields_; }
  std::size_t record_bytes() const noexcept { return record_bytes_; }

  /// Whether anybody listens. To be asked by the producer before it makes the record.
  bool heard() const noexcept { return heard_.load(std::memory_order_relaxed); }
  /// The listener must not end before it is removed. The caller holds no lock of the library. Throws std::bad_alloc.
  void add(EventListener& listener);
  /// Afterwards the listener is not called any more.
  void remove(EventListener& listener) noexcept;

  /// All events of the process, sorted by name.
  static std::span<EventKind* const> all();
  /// Keeps events from being delivered while it exists. A thread may hold several.
  class Pause {
   public:
    Pause();

   private:
    std::unique_lock<std::recursive_mutex> hold_;
  };
  /// Calls `changed` whenever somebody begins to listen, or ends it; nullptr: no more.
  static void notify_by(void (*changed)() noexcept) noexcept;

 protected:
  EventKind(const EventGroup* group, Category category, std::string_view name, std::string_view help,
            std::size_t record_bytes, std::vector<EventField> fields);
  ~EventKind() = default;
  void deliver(std::span<const std::byte> record) const noexcept;

 private:
  void note_listeners() noexcept;

  Category category_;
  std::string_view name_;
  std::string_view help_;
  std::size_t record_bytes_;
  std::vector<EventField> fields_;
  const EventGroup* group_;  ///< may be nullptr
  Atomic<bool> heard_{false};
  std::vector<EventListener*> listeners_;  ///< changed under Pause
};

/// Declared at namespace scope, not const: listeners change it. `Record`: a struct of std::int32_t and std::uint64_t.
template <class Record>
class Event final : public EventKind {
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) <= longest_record);

 public:
  class Field {
   public:
    Field(std::string_view name, std::int32_t Record::*member, std::string_view help,
          std::span<const std::string_view> words = {})
        : field_{name, help, EventField::Type::int32, offset_of(member), words} {}
    Field(std::string_view name, std::uint64_t Record::*member, std::string_view help)
        : field_{name, help, EventField::Type::uint64, offset_of(member)} {}

   private:
    friend class Event;
    template <class Number>
    static std::size_t offset_of(Number Record::*member) noexcept {
      static constexpr Record record{};
      return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(record.*member)) -
                                      reinterpret_cast<const std::byte*>(&record));
    }
    EventField field_;
  };

  Event(Category category, std::string_view name, std::string_view help, const std::vector<Field>& fields)
      : EventKind(nullptr, category, name, help, sizeof(Record), described(fields)) {}
  Event(const EventGroup& group, Category category, std::string_view name, std::string_view help,
        const std::vector<Field>& fields)
      : EventKind(&group, category, name, help, sizeof(Record), described(fields)) {}

  void tell(const Record& record) const noexcept { deliver(std::as_bytes(std::span(&record, 1))); }

 private:
  static std::vector<EventField> described(const std::vector<Field>& fields) {
    std::vector<EventField> all;
    for (const Field& each : fields) all.push_back(each.field_);
    return all;
  }
};

}  // namespace bowline

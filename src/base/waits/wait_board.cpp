// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/wait_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <span>

#include "base/diagnosis/mpi_call.hpp"
#include "base/diagnosis/python_place.hpp"
#include "base/log.hpp"
#include "base/memory_file.hpp"
#include "base/mutex.hpp"

namespace bowline {
namespace {

constinit Mutex showing;

/// The slot of a process whose launcher has made no board.
constinit WaitSlot own_slot;

/// The waits that are shown, the oldest first.
List<ShownWait>& shown() noexcept {
  static List<ShownWait> list;
  return list;
}

/// The number of slots of the board that the ticket names; 0 if the file is no such board, or too short for the
/// ticket's slot. The size of the file is fixed, so no access to it can fail.
std::uint32_t slots_of_board(const WaitBoardTicket& ticket) {
  struct stat file {};
  WaitBoardHeader header{};
  const bool is_board = has_fixed_length(ticket.descriptor) && fstat(ticket.descriptor, &file) == 0 &&
                        pread(ticket.descriptor, &header, sizeof header, 0) == sizeof header &&
                        header.key == ticket.key && ticket.slot < header.slots &&
                        static_cast<std::size_t>(file.st_size) >= WaitBoardTicket::bytes_for(header.slots);
  return is_board ? header.slots : 0;
}

/// The slots of the launcher's board; empty if there is none. Set by join_board().
std::span<WaitSlot> board_slots;

/// Maps the whole board, of which a process touches the page of its own slot only; empty if that fails.
std::span<WaitSlot> map_board(int descriptor, std::uint32_t slots) {
  void* const address =
      mmap(nullptr, WaitBoardTicket::bytes_for(slots), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) return {};
  auto* const first = reinterpret_cast<WaitSlot*>(static_cast<std::byte*>(address) + WaitBoardTicket::offset_of(0));
  return {first, slots};
}

/// The slot that the ticket names; nullptr if it names no board, or the board cannot be mapped. Otherwise sets
/// board_slots and closes the descriptor.
WaitSlot* slot_on_board(const WaitBoardTicket& ticket) {
  const std::uint32_t slots = slots_of_board(ticket);
  if (slots > 0) board_slots = map_board(ticket.descriptor, slots);
  if (board_slots.empty()) return nullptr;
  close(ticket.descriptor);
  return &board_slots[ticket.slot];
}

}  // namespace

void ShownWait::join_board() noexcept {
  const char* const value = std::getenv(WaitBoardTicket::variable);
  if (board_joined()) return;
  const auto ticket = value == nullptr ? std::nullopt : WaitBoardTicket::parse(value);
  WaitSlot* own = ticket ? slot_on_board(*ticket) : nullptr;
  if (own == nullptr) {
    if (value != nullptr)
      log::info("the launcher does not see what this process waits for: {} is \"{}\", which names no wait board",
                WaitBoardTicket::variable, value);
    own = &own_slot;
  }
  own->clear();
  launcher_sees.store(own != &own_slot, std::memory_order_relaxed);
  slot.store(own, std::memory_order_release);
}

bool ShownWait::board_joined() noexcept {
  return launcher_sees.load(std::memory_order_relaxed);
}

void ShownWait::show_to_user(int rank, int ranks, std::string_view job) noexcept {
  if (!is_shown() || board_joined()) return;
  constexpr std::size_t longest_name = 200;  // of memfd_create(2) are 249
  std::array<char, longest_name> name{};
  fmt::format_to_n(name.data(), name.size() - 1, "{}:{}:{}:{}", RankBoardName::prefix, rank, ranks, job);
  const WaitBoardTicket ticket{.descriptor = make_memory_file(name.data()), .slot = 0};
  const WaitBoardHeader header{.key = 0, .slots = 1};
  constexpr std::size_t written = offsetof(WaitBoardHeader, slots) + sizeof header.slots;  // what follows has no value
  WaitSlot* own = nullptr;
  if (ftruncate(ticket.descriptor, static_cast<off_t>(WaitBoardTicket::bytes_for(1))) == 0 &&
      pwrite(ticket.descriptor, &header, written, 0) == written)
    if (const auto mapped = map_board(ticket.descriptor, 1); !mapped.empty()) own = mapped.data();
  if (own == nullptr) {
    log::info("bowline-ps does not see what this process waits for: there is no memory file");
    if (ticket.descriptor >= 0) close(ticket.descriptor);
    return;
  }
  own->clear();
  slot.store(own, std::memory_order_release);  // the descriptor stays open: bowline-ps finds the file by it
}

WaitSlot::Line ShownWait::line() {
  const WaitSlot* const own = slot.load(std::memory_order_acquire);
  return own == nullptr ? WaitSlot::Line{} : own->read();
}

WaitSlot::Glimpse ShownWait::glimpse() noexcept {
  const WaitSlot* const own = slot.load(std::memory_order_acquire);
  return own == nullptr ? WaitSlot::Glimpse{} : own->glimpse();
}

std::optional<WaitSlot::Line> ShownWait::line_of(std::int32_t rank) {
  if (!board_joined() || static_cast<std::uint32_t>(rank) >= board_slots.size()) return {};
  return board_slots[static_cast<std::size_t>(rank)].read();
}

std::optional<WaitSlot::End> ShownWait::end_of(std::int32_t rank) noexcept {
  if (!board_joined() || static_cast<std::uint32_t>(rank) >= board_slots.size()) return {};
  return board_slots[static_cast<std::size_t>(rank)].read_end();
}

/// A caller in Python is a place that only this process can name.
void ShownWait::learn_call() noexcept {
  call_ = mpi_call_on_stack();
  try {
    if (const std::string place = python_place(); !place.empty()) place_ = fmt::format(" ({})", place);
  } catch (const std::bad_alloc&) {
    return;
  }
  if (!place_.empty()) call_.returns_to = 0;
}

void ShownWait::tell(std::string_view what, const WaitTargets& targets, const WaitActivity& activity) noexcept {
  WaitSlot* const own = slot.load(std::memory_order_acquire);
  if (own == nullptr) return;
  if (call_.function == nullptr) learn_call();
  std::array<char, WaitSlot::longest> text;
  const std::size_t room = text.size() - std::min(text.size(), place_.size());
  const auto written = fmt::format_to_n(text.data(), room, "in {}{}{}", call_.function, what.empty() ? "" : " ", what);
  const std::size_t length = std::min(written.size, room);
  place_.copy(text.data() + length, text.size() - length);
  const std::string_view line(text.data(), std::min(length + place_.size(), text.size()));
  const std::int64_t since = std::chrono::nanoseconds(since_.time_since_epoch()).count();
  const std::lock_guard hold(showing);
  if (!linked()) shown().push_back(*this);
  if (&shown().front() == this)
    own->write(
        {.text = line, .since = since, .returns_to = call_.returns_to, .targets = targets, .activity = activity});
}

void ShownWait::tell_ready() noexcept {
  if (WaitSlot* const own = slot.load(std::memory_order_acquire)) own->write_ready();
}

void ShownWait::tell_calls(std::uint64_t digest, std::string_view words) noexcept {
  if (WaitSlot* const own = slot.load(std::memory_order_acquire)) own->write_calls(digest, words);
}

/// The next wait in the list, if there is one, becomes visible when its thread calls tell() again.
ShownWait::~ShownWait() {
  const std::lock_guard hold(showing);  // first, because the neighbours in the list change the links of this object
  if (!linked()) return;
  const bool visible = &shown().front() == this;
  List<ShownWait>::remove(*this);
  if (visible) slot.load(std::memory_order_acquire)->clear();
}

}  // namespace bowline

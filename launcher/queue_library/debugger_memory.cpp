// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queue_library/debugger_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "launcher/queues/queue_error.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t longest_fetch = std::size_t{1} << 30;  // the interface counts bytes in an int
constexpr int pointer_bytes = 8, int_bytes = 4;

void check_architecture(mqs::Process* process, const mqs::ProcessCallbacks& callbacks,
                        const mqs::ImageCallbacks& image_callbacks) {
  mqs::TypeSizes sizes{};
  image_callbacks.get_type_sizes(process, &sizes);
  if (sizes.pointer_size != pointer_bytes || sizes.int_size != int_bytes)
    throw QueueError("the process has pointers of {} bytes and integers of {}: this library reads 64-bit processes",
                     sizes.pointer_size, sizes.int_size);
  const std::array<unsigned char, int_bytes> there{1, 2, 3, 4};
  std::array<unsigned char, int_bytes> here{};
  callbacks.target_to_host(process, there.data(), here.data(), int_bytes);
  if (here != there)
    throw QueueError(
        "the processor of the process has another order of bytes than this one: use the debugger of a machine of the "
        "same kind");
}

}  // namespace

DebuggerMemory memory_of(mqs::Process* process, const mqs::ProcessCallbacks& callbacks,
                         const mqs::ImageCallbacks& image_callbacks) {
  check_architecture(process, callbacks, image_callbacks);
  std::array<char, sizeof "bowline_queue_record"> symbol{"bowline_queue_record"};  // the interface takes no constant
  mqs::Address record = 0;
  if (image_callbacks.find_symbol(callbacks.get_image(process), symbol.data(), &record) != mqs::ok) record = 0;
  const auto fetch = [process, &callbacks](std::uint64_t address, std::size_t bytes, void* into) {
    for (auto* to = static_cast<std::byte*>(into); bytes > 0;) {
      const std::size_t part = std::min(bytes, longest_fetch);
      if (callbacks.fetch_data(process, address, static_cast<int>(part), to) != mqs::ok) return false;
      to += part;
      address += part;
      bytes -= part;
    }
    return true;
  };
  return DebuggerMemory("this process", record, fetch);
}

}  // namespace bowline::launcher

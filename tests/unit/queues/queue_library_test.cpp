// SPDX-License-Identifier: BSD-3-Clause
// libbowline_dbg.so under a debugger that is made up, whose process is made up: what goes wrong is told in a sentence.
// tests/launcher/queue_library_test.py shows it real processes.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "launcher/queue_library/mqs.hpp"
#include "launcher/queues/record_search.hpp"
#include "made_memory.hpp"

namespace bowline::mqs {
namespace {

using launcher::MadeMemory;
using launcher::MadeRank;

/// The debugger. The interface has functions without a place for the debugger's own data.
struct Debugger {
  MadeMemory memory;
  Address symbol = MadeRank::record;
  int pointer_size = 8;
  bool turns_bytes = false;
  ImageInfo* image = nullptr;
  ProcessInfo* process = nullptr;
};
Debugger* the_debugger = nullptr;

constexpr int no_symbol = 100;

const BasicCallbacks basic{
    .allocate = nullptr,
    .free = nullptr,
    .print = nullptr,
    .error_string = nullptr,
    .put_image_info = [](Image*, ImageInfo* info) { the_debugger->image = info; },
    .get_image_info = [](Image*) { return the_debugger->image; },
    .put_process_info = [](Process*, ProcessInfo* info) { the_debugger->process = info; },
    .get_process_info = [](Process*) { return the_debugger->process; },
};
const ImageCallbacks image_callbacks{
    .get_type_sizes = [](Process*, TypeSizes* sizes) { *sizes = {2, 4, 8, 8, the_debugger->pointer_size, 1, 8}; },
    .find_function = nullptr,
    .find_symbol = [](Image*, char* name, Address* address) -> int {
      *address = the_debugger->symbol;
      return std::strcmp(name, "bowline_queue_record") == 0 && *address != 0 ? int{ok} : no_symbol;
    },
    .find_type = nullptr,
    .field_offset = nullptr,
    .size_of = nullptr,
};
const ProcessCallbacks process_callbacks{
    .get_global_rank = [](Process*) { return 2; },
    .get_image = [](Process*) -> Image* { return nullptr; },
    .fetch_data = [](Process*, Address address, int bytes, void* into) -> int {
      const std::span<std::byte> place(static_cast<std::byte*>(into), static_cast<std::size_t>(bytes));
      return the_debugger->memory.read(address, place) ? int{ok} : no_symbol;
    },
    .target_to_host =
        [](Process*, const void* from, void* to, int bytes) {
          const auto* const begin = static_cast<const char*>(from);
          std::reverse_copy(begin, begin + bytes, static_cast<char*>(to));
          if (!the_debugger->turns_bytes) std::memcpy(to, from, static_cast<std::size_t>(bytes));
        },
};

struct QueueLibraryTest : testing::Test {
  QueueLibraryTest() {
    the_debugger = &debugger;
    MadeRank::fill(debugger.memory);
    EXPECT_NE(library, nullptr) << dlerror();
    find<decltype(mqs_setup_basic_callbacks)>("mqs_setup_basic_callbacks")(&basic);
    EXPECT_EQ(find<decltype(mqs_setup_image)>("mqs_setup_image")(nullptr, &image_callbacks), ok);
    EXPECT_EQ(find<decltype(mqs_setup_process)>("mqs_setup_process")(nullptr, &process_callbacks), ok);
  }
  ~QueueLibraryTest() override {
    find<decltype(mqs_destroy_process_info)>("mqs_destroy_process_info")(debugger.process);
    find<decltype(mqs_destroy_image_info)>("mqs_destroy_image_info")(debugger.image);
  }
  QueueLibraryTest(const QueueLibraryTest&) = delete;
  QueueLibraryTest& operator=(const QueueLibraryTest&) = delete;

  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
  int call(const char* name) const { return find<int(Process*)>(name)(nullptr); }
  /// What the library says of a process that it refuses; nothing if it takes it.
  std::string complaint() const {
    char* message = nullptr;
    const int result = find<decltype(mqs_process_has_queues)>("mqs_process_has_queues")(nullptr, &message);
    EXPECT_EQ(result == ok, message == nullptr);
    if (message == nullptr) return {};
    EXPECT_EQ(find<decltype(mqs_dll_error_string)>("mqs_dll_error_string")(result), std::string(message));
    return message;
  }
  std::string name() const {
    Communicator communicator{};
    EXPECT_EQ(find<decltype(mqs_get_communicator)>("mqs_get_communicator")(nullptr, &communicator), ok);
    return communicator.name;
  }

  void* const library = dlopen(QUEUE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  Debugger debugger;
};

TEST_F(QueueLibraryTest, TellsItsInterface) {
  EXPECT_EQ(find<decltype(mqs_version_compatibility)>("mqs_version_compatibility")(), 2);
  EXPECT_EQ(find<decltype(mqs_dll_taddr_width)>("mqs_dll_taddr_width")(), 8);
  EXPECT_TRUE(std::string(find<decltype(mqs_version_string)>("mqs_version_string")()).starts_with("Bowline "));
  char* message = nullptr;
  EXPECT_EQ(find<decltype(mqs_image_has_queues)>("mqs_image_has_queues")(nullptr, &message), ok);
  EXPECT_EQ(message, nullptr);
  EXPECT_EQ(complaint(), "");
}

TEST_F(QueueLibraryTest, AProcessWithoutRecord) {
  debugger.symbol = 0;
  EXPECT_TRUE(complaint().starts_with("this process has no message queues of Bowline")) << complaint();
  debugger.symbol = MadeRank::record + 16;  // such as that of a library that is not yet where it will be
  EXPECT_TRUE(complaint().starts_with("this process has no message queues of Bowline")) << complaint();
}

TEST_F(QueueLibraryTest, AProcessBeforeMpiInitWillHaveQueues) {
  const std::uint64_t self = MadeRank::record + offsetof(QueueRecord, self);
  debugger.memory.put_address(self, 0);
  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(call("mqs_update_communicator_list"), ok);
  EXPECT_EQ(call("mqs_setup_communicator_iterator"), end_of_list);
  debugger.memory.put_address(self, MadeRank::record);
  EXPECT_EQ(call("mqs_setup_communicator_iterator"), ok);
}

TEST_F(QueueLibraryTest, ARecordOfAnotherVersion) {
  debugger.memory.put(MadeRank::record + offsetof(QueueRecord, version), std::uint32_t{77});
  EXPECT_TRUE(complaint().starts_with("the message queues of this process are those of another version of Bowline (77"))
      << complaint();
  EXPECT_GE(call("mqs_update_communicator_list"), first_own);
  EXPECT_GE(call("mqs_setup_communicator_iterator"), first_own);
  EXPECT_EQ(call("mqs_next_communicator"), end_of_list);
}

TEST_F(QueueLibraryTest, AProcessOfAnotherKind) {
  debugger.pointer_size = 4;
  EXPECT_TRUE(complaint().starts_with("the process has pointers of 4 bytes")) << complaint();
  debugger.pointer_size = 8;
  debugger.turns_bytes = true;
  EXPECT_TRUE(complaint().starts_with("the processor of the process has another order of bytes")) << complaint();
}

TEST_F(QueueLibraryTest, MemoryThatCannotBeRead) {
  EXPECT_EQ(call("mqs_update_communicator_list"), ok);
  debugger.memory.put_address(MadeRank::record + offsetof(QueueRecord, lanes), 0x10);
  EXPECT_GE(call("mqs_update_communicator_list"), first_own);
  EXPECT_EQ(call("mqs_next_communicator"), end_of_list) << "nothing of the former look is told";
}

TEST_F(QueueLibraryTest, ANewIteratorLooksAgain) {
  EXPECT_EQ(call("mqs_update_communicator_list"), ok);
  EXPECT_EQ(call("mqs_setup_communicator_iterator"), ok);
  EXPECT_EQ(name(), "the world");
  debugger.memory.put(MadeRank::world + 120, 'T');  // its name stands behind it
  EXPECT_EQ(call("mqs_setup_communicator_iterator"), ok);
  EXPECT_EQ(name(), "The world");
}

TEST_F(QueueLibraryTest, Iterators) {
  EXPECT_EQ(find<int(Process*, int)>("mqs_setup_operation_iterator")(nullptr, pending_receives), no_information);
  EXPECT_EQ(call("mqs_setup_communicator_iterator"), ok);
  std::string names = name();
  while (call("mqs_next_communicator") == ok) names += '|' + name();
  EXPECT_EQ(names, "the world|the world, collectives|oneself|split|bridge");
  EXPECT_EQ(call("mqs_next_communicator"), end_of_list);
  Communicator communicator{};
  EXPECT_EQ(find<decltype(mqs_get_communicator)>("mqs_get_communicator")(nullptr, &communicator), no_information);
}

TEST_F(QueueLibraryTest, AReceiveThatIsMatched) {
  EXPECT_EQ(call("mqs_setup_communicator_iterator"), ok);
  EXPECT_EQ(call("mqs_next_communicator"), ok);
  EXPECT_EQ(name(), "the world, collectives");
  EXPECT_EQ(find<int(Process*, int)>("mqs_setup_operation_iterator")(nullptr, 3), no_information);
  EXPECT_EQ(find<int(Process*, int)>("mqs_setup_operation_iterator")(nullptr, pending_receives), ok);
  PendingOperation receive{};
  EXPECT_EQ(find<decltype(mqs_next_operation)>("mqs_next_operation")(nullptr, &receive), ok);
  EXPECT_EQ(receive.status, matched);
  EXPECT_EQ(receive.desired_length, 600);
  EXPECT_EQ(receive.actual_local_rank, 3);
  EXPECT_EQ(receive.actual_global_rank, 3);
  EXPECT_EQ(receive.actual_tag, 9);
  EXPECT_EQ(receive.actual_length, 900);
  EXPECT_STREQ(receive.extra_text[0], "matched; 200 of them have arrived");
  EXPECT_STREQ(receive.extra_text[1], "communicator the world, collectives (rank 2 of 4, context 1)");
  EXPECT_STREQ(receive.extra_text[2], "");
  EXPECT_EQ(find<decltype(mqs_next_operation)>("mqs_next_operation")(nullptr, &receive), end_of_list);
}

}  // namespace
}  // namespace bowline::mqs

// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/async/io_ring.hpp"

#include <liburing.h>

#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "base/signals_blocked.hpp"
#include "base/tunable.hpp"
#include "mpiio/async/run_work.hpp"

namespace bowline::mpiio {
namespace {

ChoiceTunable io_uring_tunable(Category::files, "io_uring", {"auto", "off"},
                               "whether the kernel executes non-blocking accesses to files where it offers that "
                               "(io_uring); otherwise threads of the library do");

constexpr unsigned entries = 64;

class Kernel {
 public:
  /// Throws std::exception if the system has no thread left. `ring`: made.
  explicit Kernel(io_uring& ring) : ring_(ring) {
    const SignalsBlocked during;
    reaper_ = std::thread([this] { reap(); });
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel() {
    {
      const std::lock_guard hold(mutex_);
      if (io_uring_sqe* const entry = io_uring_get_sqe(&ring_)) {
        io_uring_prep_nop(entry);
        io_uring_sqe_set_data(entry, nullptr);  // ends the thread
        io_uring_submit(&ring_);
      }
    }
    reaper_.join();
    io_uring_queue_exit(&ring_);
  }

  /// Each call takes one entry, which the kernel consumes at once; so there is always room for the next call.
  bool start(RunWork& work) noexcept {
    const std::lock_guard hold(mutex_);
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) return false;
    const RunWork::Next next = work.next();
    const auto bytes = static_cast<unsigned>(next.memory.size());
    if (next.writes) {
      io_uring_prep_write(entry, next.descriptor, next.memory.data(), bytes, static_cast<__u64>(next.offset));
    } else {
      io_uring_prep_read(entry, next.descriptor, next.memory.data(), bytes, static_cast<__u64>(next.offset));
    }
    io_uring_sqe_set_flags(entry, IOSQE_ASYNC);  // the caller does not copy data of the page cache
    io_uring_sqe_set_data(entry, &work);
    int submitted = 0;
    do {
      submitted = io_uring_submit(&ring_);
    } while (submitted == -EINTR);
    if (submitted == 1) return true;
    io_uring_prep_nop(entry);  // the entry may be submitted later; the thread must not take it for the access
    io_uring_sqe_set_data(entry, &nothing_);
    return false;
  }

 private:
  void reap() {
    for (;;) {
      io_uring_cqe* completion = nullptr;
      if (io_uring_wait_cqe(&ring_, &completion) != 0) continue;
      void* const data = io_uring_cqe_get_data(completion);
      const int result = completion->res;
      io_uring_cqe_seen(&ring_, completion);
      if (data == nullptr) return;
      if (data == &nothing_) continue;
      auto& work = *static_cast<RunWork*>(data);
      if (work.moved(result) && start(work)) continue;
      finish_here(work);
    }
  }

  /// The rest of an access that the kernel takes no more is moved here.
  static void finish_here(RunWork& work) noexcept {
    work.complete();
    work.finish();
  }

  io_uring& ring_;
  std::mutex mutex_;  ///< of the submissions
  std::thread reaper_;
  char nothing_ = 0;
};

struct Shared {
  std::mutex mutex;
  bool asked = false;  ///< whether the kernel has been asked
  io_uring ring{};
  std::unique_ptr<Kernel> kernel;
};

/// never destroyed, not even by exit(): a program may end while its accesses go on.
Shared& shared() {
  static auto* const all = new Shared;
  return *all;
}

/// Asks the kernel, once. The caller holds the mutex.
void ask(Shared& all) noexcept {
  if (std::exchange(all.asked, true) || io_uring_tunable.value() == "off") return;
  const int result = io_uring_queue_init(entries, &all.ring, 0);
  if (result != 0) {
    log::info("the kernel does not offer io_uring ({}): threads execute non-blocking accesses to files",
              std::strerror(-result));
    return;
  }
  io_uring_probe* const probe = io_uring_get_probe_ring(&all.ring);
  const bool knows = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_READ) != 0 &&
                     io_uring_opcode_supported(probe, IORING_OP_WRITE) != 0;
  if (probe != nullptr) io_uring_free_probe(probe);
  try {
    if (knows) all.kernel = std::make_unique<Kernel>(all.ring);
  } catch (const std::exception& error) {
    log::info("no thread can be made for io_uring: {}", error.what());
  }
  if (all.kernel == nullptr) io_uring_queue_exit(&all.ring);
}

Kernel* kernel() noexcept {
  Shared& all = shared();
  const std::lock_guard hold(all.mutex);
  ask(all);
  return all.kernel.get();
}

}  // namespace

bool Ring::available() noexcept {
  return kernel() != nullptr;
}

bool Ring::start(RunWork& work) noexcept {
  Kernel* const found = kernel();
  return found != nullptr && found->start(work);
}

void Ring::end() noexcept {
  Shared& all = shared();
  const std::lock_guard hold(all.mutex);
  all.kernel.reset();
  all.asked = false;
}

}  // namespace bowline::mpiio

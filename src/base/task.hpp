// SPDX-License-Identifier: BSD-3-Clause
// Task: a lazily started coroutine whose frame comes from a pool.
//
// A task runs when it is awaited or when resume() is called on the outermost task. A finished inner task resumes its
// awaiter directly (symmetric transfer), so depth costs no stack. Exceptions travel to the awaiter.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

namespace bowline {

/// Memory for frames when the system has none: a collective operation that has begun must go on, because other members
/// wait for this process. A frame from the reserve stays in the pool of its thread until the pool is trimmed. The
/// reserve takes no physical memory before it is used. Thread-safe.
class FrameReserve {
 public:
  static constexpr std::size_t cell = 4096;

  /// nullptr if the reserve is used up, or if no cell is long enough.
  static void* take(std::size_t bytes) noexcept;
  /// Whether the frame lies in the reserve; if so, gives the frame back.
  static bool give(void* frame) noexcept;
};

/// Recycles coroutine frames by size class. Each thread has a pool of its own, so the pool needs no lock. If another
/// thread frees a frame, the frame joins that thread's pool.
class FramePool {
 public:
  static void* allocate(std::size_t bytes) {
    const std::size_t index = class_of(bytes);
    if (index >= classes) return make(bytes);
    auto& list = lists().heads[index];
    if (list == nullptr) return make((index + 1) * granule);
    return std::exchange(list, list->next);
  }

  static void release(void* frame, std::size_t bytes) noexcept {
    const std::size_t index = class_of(bytes);
    if (index >= classes) return drop(frame);
    auto& list = lists().heads[index];
    list = new (frame) Free{list};
  }

  /// The memory that this thread's pool has allocated: for each size class the high-water mark of frames in use.
  struct Taken {
    std::size_t frames = 0;
    std::size_t bytes = 0;
  };
  static Taken taken() noexcept { return lists().taken; }
  /// Frees the memory of unused frames and resets the counts.
  static void trim() noexcept {
    lists().clear();
    lists().taken = {};
  }

 private:
  static constexpr std::size_t granule = 128;
  static constexpr std::size_t classes = 16;

  struct Free {
    Free* next;
  };
  struct Lists {
    std::array<Free*, classes> heads{};
    Taken taken;
    ~Lists() { clear(); }
    void clear() noexcept {
      for (Free*& list : heads) {
        while (list != nullptr) drop(std::exchange(list, list->next));
      }
    }
  };

  static void* make(std::size_t bytes);
  static void drop(void* frame) noexcept {
    if (!FrameReserve::give(frame)) ::operator delete(frame);
  }

  static std::size_t class_of(std::size_t bytes) noexcept { return (bytes - 1) / granule; }
  // Uses the initial-exec TLS model, so access needs neither a guard nor a call. A library that is loaded with the
  // program has static TLS; a library that is loaded later uses the few bytes of static TLS that the loader reserves.
  static Lists& lists() {
    if (mine == nullptr) [[unlikely]]
      mine = &make_lists();
    return *mine;
  }
  [[gnu::noinline]] static Lists& make_lists() {
    thread_local Lists lists;
    return lists;
  }
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local Lists* mine = nullptr;
};

/// A coroutine without a result. Move-only; owns its frame: destroying a task that has not finished destroys the frame.
/// A task without a coroutine has finished: its work was done without a frame.
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Task() noexcept = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Starts the outermost task, which runs until it must wait for the first time. Call once.
  void start() {
    if (handle_) handle_.resume();
  }
  bool done() const noexcept { return !handle_ || handle_.done(); }
  /// Rethrows what the finished task threw, if anything.
  void result() const;

  /// Awaiting a task starts it and continues the awaiter when it has finished.
  bool await_ready() const noexcept { return !handle_; }
  Handle await_suspend(std::coroutine_handle<> awaiter) noexcept;
  void await_resume() const { result(); }

 private:
  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Handle handle_ = nullptr;
};

struct Task::promise_type {
  std::coroutine_handle<> awaiter = std::noop_coroutine();
  std::exception_ptr error;

  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }

  struct ResumeAwaiter {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle finished) const noexcept { return finished.promise().awaiter; }
    void await_resume() const noexcept {}
  };

  Task get_return_object() noexcept { return Task(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  ResumeAwaiter final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { error = std::current_exception(); }
};

inline void Task::result() const {
  if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
}

inline Task::Handle Task::await_suspend(std::coroutine_handle<> awaiter) noexcept {
  handle_.promise().awaiter = awaiter;
  return handle_;
}

/// A coroutine that starts at once and that no caller awaits; it destroys its frame at its end. It must not throw.
struct Background {
  struct promise_type {
    static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }

    Background get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

}  // namespace bowline

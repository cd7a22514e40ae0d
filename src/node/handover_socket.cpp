// SPDX-License-Identifier: BSD-3-Clause
#include "node/handover_socket.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/job_folder.hpp"
#include "base/log.hpp"
#include "base/signals_blocked.hpp"
#include "node/handover.hpp"

namespace bowline::node {
namespace {

constexpr int backlog = 1024;
// The stack also holds the thread_local variables of all libraries.
constexpr std::size_t stack_bytes = 256 << 10;
// If more clients than this are connected without a request, the oldest connection is closed.
constexpr std::size_t most_unanswered = 64;

bool give(int connection, int descriptor) noexcept {
  std::byte word{};
  iovec data{&word, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  return sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

class HandoverSocket {
 public:
  /// Throws Error.
  HandoverSocket() : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), name_(make_secret() | 1) {
    if (socket_.number() < 0 || !bind_somewhere() || listen(socket_.number(), backlog) != 0) {
      throw Error(ErrorClass::other, std::strerror(errno));
    }
    // This thread reserves room for few connections, because the first allocation of another thread would make a heap
    // arena of its own.
    clients_.reserve(8);
    polled_.reserve(8);
    const SignalsBlocked meanwhile;
    start();
  }
  ~HandoverSocket() {
    shutdown(socket_.number(), SHUT_RDWR);  // this wakes the thread
    pthread_join(thread_, nullptr);
    if (in_folder_) unlink(in_folder_->file());
  }
  HandoverSocket(const HandoverSocket&) = delete;
  HandoverSocket& operator=(const HandoverSocket&) = delete;

  std::uint64_t name() const noexcept { return name_; }
  pid_t process() const noexcept { return process_; }
  bool empty() const noexcept { return offers_.empty(); }

  void offer(std::uint64_t secret, int descriptor) {
    const std::lock_guard hold(mutex_);
    offers_[secret] = descriptor;
  }
  void withdraw(std::uint64_t secret) noexcept {
    const std::lock_guard hold(mutex_);
    offers_.erase(secret);
  }

 private:
  struct Client {
    Descriptor connection;
    bool answered = false;
  };

  bool bind_somewhere() noexcept {
    in_folder_ = UnixSocketAddress::in_folder(name_);
    if (in_folder_ && bind(socket_.number(), in_folder_->get(), in_folder_->size()) == 0) return true;
    in_folder_.reset();  // a file system without sockets, or no /proc
    const UnixSocketAddress address(name_);
    return bind(socket_.number(), address.get(), address.size()) == 0;
  }

  void start() {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, stack_bytes);
    const int failure = pthread_create(
        &thread_, &small,
        [](void* self) -> void* {
          static_cast<HandoverSocket*>(self)->serve();
          return nullptr;
        },
        this);
    pthread_attr_destroy(&small);
    if (failure != 0) throw Error(ErrorClass::other, std::strerror(failure));
  }

  // Errors, including lack of memory or descriptors, end one connection only.
  void serve() noexcept {
    prctl(PR_SET_NAME, "bowline-socket");
    for (;;) {
      try {
        polled_.assign(1, {socket_.number(), POLLIN, 0});
        for (const Client& each : clients_) polled_.push_back({each.connection.number(), POLLIN, 0});
        if (poll(polled_.data(), polled_.size(), -1) < 0) continue;
        if ((polled_[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return;
        for (std::size_t i = clients_.size(); i-- > 0;) {
          if (polled_[i + 1].revents != 0 && !answer(clients_[i])) {
            clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
          }
        }
        if (polled_[0].revents != 0) admit();
      } catch (const std::exception&) {
        clients_.clear();
      }
    }
  }

  void admit() {
    Descriptor connection(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.number() < 0) {
      // If no descriptor is left, the connection stays in the queue and poll() returns at once.
      std::this_thread::sleep_for(std::chrono::milliseconds(errno == EMFILE || errno == ENFILE ? 100 : 0));
      return;
    }
    if (!other_end(connection.number()).same_user) return;
    const auto waits = [](const Client& each) { return !each.answered; };
    if (static_cast<std::size_t>(std::ranges::count_if(clients_, waits)) >= most_unanswered) {
      clients_.erase(std::ranges::find_if(clients_, waits));
    }
    clients_.push_back({std::move(connection), false});
  }

  /// Answers a client's request. Returns whether the connection stays open; after an answer it does until the other
  /// side ends.
  bool answer(Client& client) noexcept {
    std::uint64_t secret = 0;
    if (recv(client.connection.number(), &secret, sizeof secret, 0) != sizeof secret || client.answered) return false;
    const std::lock_guard hold(mutex_);  // after withdraw() the owner closes the descriptor
    const auto found = offers_.find(secret);
    client.answered = found != offers_.end() && give(client.connection.number(), found->second);
    return client.answered;
  }

  Descriptor socket_;
  std::uint64_t name_;
  std::optional<UnixSocketAddress> in_folder_;  ///< the address of the socket if it lies in the job's folder
  pid_t process_ = getpid();
  std::mutex mutex_;
  std::map<std::uint64_t, int> offers_;
  std::vector<Client> clients_;  // clients_ and the member below belong to the thread
  std::vector<pollfd> polled_;
  pthread_t thread_{};
};

constinit std::mutex opening;
HandoverSocket* handover_socket = nullptr;  // not destroyed by exit(): a program may end without MPI_Finalize

}  // namespace

UnixSocketAddress::UnixSocketAddress(std::uint64_t name) noexcept {
  address_.sun_family = AF_UNIX;
  char* const begin = address_.sun_path + 1;
  const auto end = fmt::format_to_n(begin, sizeof address_.sun_path - 1, "bowline-{:016x}", name).out;
  size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(end - begin));
}

std::optional<UnixSocketAddress> UnixSocketAddress::in_folder(std::uint64_t name) noexcept {
  const auto folder = job_folder();
  if (!folder) return {};
  std::array<char, 32> text{};
  fmt::format_to_n(text.data(), text.size() - 1, "socket-{:016x}", name);
  UnixSocketAddress result;
  result.address_ = address_in_folder(folder->descriptor, text.data());
  return result;
}

SocketPeer other_end(int connection) noexcept {
  ucred process{};
  socklen_t size = sizeof process;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &process, &size) != 0) return {};
  return {process.uid == geteuid() || process.uid == 0, process.pid};
}

std::uint64_t offer_descriptor(std::uint64_t secret, int descriptor) {
  const std::lock_guard hold(opening);
  try {
    // A forked process has no thread at its parent's socket, and must not close the socket.
    if (handover_socket == nullptr || handover_socket->process() != getpid()) handover_socket = new HandoverSocket;
    handover_socket->offer(secret, descriptor);
    return handover_socket->name();
  } catch (const std::exception& error) {
    log::info("other processes can take descriptors of this one through /proc only: {}", error.what());
    return 0;
  }
}

void withdraw_descriptor(std::uint64_t secret) noexcept {
  const std::lock_guard hold(opening);
  if (handover_socket == nullptr || handover_socket->process() != getpid()) return;
  handover_socket->withdraw(secret);
  if (handover_socket->empty()) delete std::exchange(handover_socket, nullptr);
}

}  // namespace bowline::node

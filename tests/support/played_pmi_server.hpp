// SPDX-License-Identifier: BSD-3-Clause
// A PMI server for tests: threads that answer the ranks of a job over pairs of sockets, as Hydra does.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace bowline::test {

/// The end of a connection that a server has.
class ServedConnection {
 public:
  ServedConnection() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    own_ = ends[0];
    client_ = ends[1];
  }
  ~ServedConnection() { hang_up(); }
  ServedConnection(const ServedConnection&) = delete;
  ServedConnection& operator=(const ServedConnection&) = delete;

  /// For the client, which closes it.
  int client() const noexcept { return client_; }
  /// The next line; empty if the client is gone.
  std::string hear() {
    std::string line;
    for (char c = 0; recv(own_, &c, 1, 0) == 1 && c != '\n';) line.push_back(c);
    return line;
  }
  void say(const std::string& text) const { send(own_, text.data(), text.size(), MSG_NOSIGNAL); }
  void hang_up() noexcept {
    if (own_ >= 0) close(std::exchange(own_, -1));
  }

 private:
  int own_ = -1, client_ = -1;
};

/// A whole job. Everything that its ranks have put is seen after the fence only.
class PlayedPmiServer {
 public:
  struct Settings {
    int ranks = 1;
    int longest_value = 1024;
    std::string map = "(vector,(0,1,1))";  ///< empty: the server has none
  };

  explicit PlayedPmiServer(Settings settings)
      : settings_(std::move(settings)), fence_(settings_.ranks, Publish{this}), connections_(settings_.ranks) {
    if (!settings_.map.empty()) seen_["PMI_process_mapping"] = settings_.map;
    for (ServedConnection& each : connections_) threads_.emplace_back([this, &each] { serve(each); });
  }
  ~PlayedPmiServer() {
    for (std::thread& each : threads_) each.join();
  }
  PlayedPmiServer(const PlayedPmiServer&) = delete;
  PlayedPmiServer& operator=(const PlayedPmiServer&) = delete;

  int client(int rank) const { return connections_[static_cast<std::size_t>(rank)].client(); }
  /// The lines of all ranks.
  std::vector<std::string> heard() const {
    const std::lock_guard hold(mutex_);
    return heard_;
  }

 private:
  struct Publish {
    PlayedPmiServer* server;
    void operator()() const noexcept {
      const std::lock_guard hold(server->mutex_);
      server->seen_.insert(server->put_.begin(), server->put_.end());
    }
  };

  static std::string word(const std::string& line, const std::string& name) {
    const std::size_t begin = line.find(' ' + name + '=');
    if (begin == std::string::npos) return {};
    const std::size_t value = begin + name.size() + 2;
    return line.substr(value, line.find(' ', value) - value);
  }

  void serve(ServedConnection& connection) {
    for (std::string line = connection.hear(); !line.empty(); line = connection.hear()) {
      if (line == "cmd=barrier_in") fence_.arrive_and_wait();
      const std::lock_guard hold(mutex_);
      heard_.push_back(line);
      if (line.starts_with("cmd=abort")) return connection.say("cmd=end\n");  // a real server kills the rank
      connection.say(answer(line) + '\n');
      if (line == "cmd=finalize") break;
    }
    connection.hang_up();
  }

  std::string answer(const std::string& line) {
    if (line.starts_with("cmd=init ")) return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0";
    if (line == "cmd=get_maxes")
      return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=" + std::to_string(settings_.longest_value);
    if (line == "cmd=get_my_kvsname") return "cmd=my_kvsname kvsname=store-7";
    if (line == "cmd=get_appnum") return "cmd=appnum appnum=3";
    if (line == "cmd=get_universe_size") return "cmd=universe_size size=-1";
    if (line == "cmd=barrier_in") return "cmd=barrier_out";
    if (line == "cmd=finalize") return "cmd=finalize_ack";
    const std::string key = word(line, "key");
    if (line.starts_with("cmd=put ")) {
      const std::string value = word(line, "value");
      if (value.size() >= static_cast<std::size_t>(settings_.longest_value)) return "cmd=put_result rc=-1 msg=too_long";
      put_[key] = value;
      return "cmd=put_result rc=0 msg=success";
    }
    if (line.starts_with("cmd=get ") && seen_.contains(key)) return "cmd=get_result rc=0 value=" + seen_[key];
    return "cmd=get_result rc=-1 msg=no such key value=unknown";
  }

  Settings settings_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> put_, seen_;
  std::vector<std::string> heard_;
  std::barrier<Publish> fence_;
  std::vector<ServedConnection> connections_;
  std::vector<std::thread> threads_;
};

}  // namespace bowline::test

// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/proto/lanes.hpp: one lane, with the sleepers of the library.
#pragma once

#include <chrono>

#include "proto/sleepers.hpp"

namespace bowline::proto {

class Engine;

class Lanes {
 public:
  struct Round {
    unsigned events = 0;
    bool outstanding = false, reachable = false;
    bool occupied = false;
  };

  explicit Lanes(transport::Sleeper* place) : sleepers_(place) {}
  void add(Engine& engine) { engine_ = &engine; }
  Engine& operator[](std::size_t) { return *engine_; }

  Round look_after();
  void doze(std::chrono::milliseconds);
  void wake_sleepers() { sleepers_.wake(); }
  Sleepers& sleepers() { return sleepers_; }

 private:
  bool busy();

  Sleepers sleepers_;
  Engine* engine_ = nullptr;
};

}  // namespace bowline::proto

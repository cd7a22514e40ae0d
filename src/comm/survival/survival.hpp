// SPDX-License-Identifier: BSD-3-Clause
// Survival: what a lane needs so that a program goes on although processes have failed (ULFM).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "comm/survival/agreements.hpp"
#include "comm/survival/revocations.hpp"

namespace bowline::comm {

class Survival {
 public:
  /// Adds the services to the engine, which owns them. `find`: as that of Revocations.
  Survival(proto::Engine& engine, std::function<Communicator*(std::uint32_t context)> find)
      : agreements_(add(engine, std::make_unique<Agreements>(engine))),
        revocations_(add(engine, std::make_unique<Revocations>(engine, std::move(find)))) {}

  Agreements& agreements() noexcept { return agreements_; }
  Revocations& revocations() noexcept { return revocations_; }

 private:
  template <class S>
  static S& add(proto::Engine& engine, std::unique_ptr<S> service) {
    S& added = *service;
    engine.services().add(std::move(service));
    return added;
  }

  Agreements& agreements_;
  Revocations& revocations_;
};

}  // namespace bowline::comm

// SPDX-License-Identifier: BSD-3-Clause
// Statuses and states in words.
#include <array>

#include "support/fabric/verbs_header.hpp"

namespace {

constexpr std::array statuses = {
    "success",
    "local length error",
    "local QP operation error",
    "local EE context operation error",
    "local protection error",
    "Work Request Flushed Error",
    "memory management operation error",
    "bad response error",
    "local access error",
    "remote invalid request error",
    "remote access error",
    "remote operation error",
    "transport retry counter exceeded",
    "RNR retry counter exceeded",
};

constexpr std::array states = {"no state change", "down", "init", "armed", "active", "active defer"};

template <typename Table>
const char* word(const Table& table, int index) {
  return index >= 0 && index < static_cast<int>(table.size()) ? table[static_cast<std::size_t>(index)] : "unknown";
}

}  // namespace

extern "C" {

const char* ibv_wc_status_str(ibv_wc_status status) {
  return word(statuses, status);
}
const char* ibv_port_state_str(ibv_port_state state) {
  return word(states, state);
}

const char* ibv_node_type_str(ibv_node_type type) {
  return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown";
}

const char* ibv_event_type_str(ibv_event_type event) {
  switch (event) {
    case IBV_EVENT_CQ_ERR:
      return "CQ error";
    case IBV_EVENT_QP_FATAL:
      return "local work queue catastrophic error";
    case IBV_EVENT_QP_REQ_ERR:
      return "invalid request local work queue error";
    case IBV_EVENT_QP_ACCESS_ERR:
      return "local access violation work queue error";
    case IBV_EVENT_SRQ_LIMIT_REACHED:
      return "SRQ limit reached";
    case IBV_EVENT_DEVICE_FATAL:
      return "local catastrophic error";
    case IBV_EVENT_PORT_ERR:
      return "port error";
    case IBV_EVENT_PATH_MIG:
      return "path migrated";
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      return "last WQE reached";
    default:
      return "unknown";
  }
}

}  // extern "C"

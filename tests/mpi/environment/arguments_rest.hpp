// SPDX-License-Identifier: BSD-3-Clause
// The table of wrong calls, second part: the functions that send and receive in one, and those that take requests.
#pragma once

#include "arguments_table.hpp"

namespace arguments {

inline void Table::exchanges() {
  const Names out{"sendbuf", "sendcount", "sendtype", "dest", "sendtag"};
  const Names in{"recvbuf", "recvcount", "recvtype", "source", "recvtag"};
  static int other = 0;
  MPI_Request* const request = &wrong_.request;
  const int self = check::rank;
  const auto both = [&](const std::string& f, const Call& sending, const Call& receiving) {
    message_rows(f, out, sending);
    envelope_rows(f, out, true, sending);
    communicator_rows(f, sending);
    message_rows(f, in, receiving);
    envelope_rows(f, in, false, receiving);
  };
  const auto count = [](const Arguments& a) { return static_cast<int>(a.count); };
  both(
      "MPI_Sendrecv",
      [=](const Arguments& a) {
        return MPI_Sendrecv(a.buffer, count(a), a.type, a.rank, a.tag, &other, 1, MPI_INT, self, 700, a.comm,
                            MPI_STATUS_IGNORE);
      },
      [=](const Arguments& a) {
        return MPI_Sendrecv(&other, 1, MPI_INT, self, 700, a.buffer, count(a), a.type, a.rank, a.tag, a.comm,
                            MPI_STATUS_IGNORE);
      });
  both(
      "MPI_Isendrecv",
      [=](const Arguments& a) {
        return MPI_Isendrecv(a.buffer, count(a), a.type, a.rank, a.tag, &other, 1, MPI_INT, self, 700, a.comm, request);
      },
      [=](const Arguments& a) {
        return MPI_Isendrecv(&other, 1, MPI_INT, self, 700, a.buffer, count(a), a.type, a.rank, a.tag, a.comm, request);
      });

  const auto replace = [&](const std::string& f, const auto& call) {
    const Call sending = [=](const Arguments& a) { return call(a, a.rank, a.tag, self, 700); };
    all_rows(f, {.tag = "sendtag"}, true, sending);
    envelope_rows(f, in, false, [=](const Arguments& a) { return call(a, self, 700, a.rank, a.tag); });
  };
  replace("MPI_Sendrecv_replace", [=](const Arguments& a, int dest, int sendtag, int source, int recvtag) {
    return MPI_Sendrecv_replace(a.buffer, count(a), a.type, dest, sendtag, source, recvtag, a.comm, MPI_STATUS_IGNORE);
  });
  replace("MPI_Isendrecv_replace", [=](const Arguments& a, int dest, int sendtag, int source, int recvtag) {
    return MPI_Isendrecv_replace(a.buffer, count(a), a.type, dest, sendtag, source, recvtag, a.comm, request);
  });
}

inline void Table::completions() {
  static int flag, index, memory;
  static std::array<int, 4> indices;
  static std::array<MPI_Request, 4> list;
  static std::array<MPI_Status, 4> statuses;
  Wrong* const w = &wrong_;
  const auto requests = [this](const char* f, const char* name, const std::function<MPI_Request()>& make,
                               int (*call)(MPI_Request*)) {
    add(f, name, MPI_ERR_REQUEST, [make, call] {
      MPI_Request request = make();
      return call(&request);
    });
  };
  const auto null = [] { return MPI_REQUEST_NULL; };
  const auto stale = [w] { return w->stale; };
  const auto wait = [](MPI_Request* r) { return MPI_Wait(r, MPI_STATUS_IGNORE); };
  const auto test = [](MPI_Request* r) { return MPI_Test(r, &flag, MPI_STATUS_IGNORE); };
  const auto look = [](MPI_Request* r) { return MPI_Request_get_status(*r, &flag, MPI_STATUS_IGNORE); };
  const auto complete = [](MPI_Request* r) { return MPI_Grequest_complete(*r); };
  const auto ready = [](MPI_Request* r) { return MPI_Pready(0, *r); };

  requests("MPI_Wait", "request", stale, wait);
  requests("MPI_Test", "request", stale, test);
  requests("MPI_Request_get_status", "request", stale, look);
  for (const std::function<MPI_Request()>& make : {std::function<MPI_Request()>(null), {stale}}) {
    requests("MPI_Request_free", "request", make, [](MPI_Request* r) { return MPI_Request_free(r); });
    requests("MPI_Cancel", "request", make, [](MPI_Request* r) { return MPI_Cancel(r); });
    requests("MPI_Start", "request", make, [](MPI_Request* r) { return MPI_Start(r); });
    requests("MPI_Startall", "array_of_requests", make, [](MPI_Request* r) { return MPI_Startall(1, r); });
    requests("MPI_Grequest_complete", "request", make, complete);
    requests("MPI_Pready", "request", make, ready);
  }
  // What is no persistent, no generalized and no partitioned request, and what is active already.
  requests(
      "MPI_Start", "request", [w] { return w->active; }, [](MPI_Request* r) { return MPI_Start(r); });
  requests(
      "MPI_Start", "request", [w] { return w->started; }, [](MPI_Request* r) { return MPI_Start(r); });
  requests(
      "MPI_Startall", "array_of_requests", [w] { return w->started; },
      [](MPI_Request* r) { return MPI_Startall(1, r); });
  requests(
      "MPI_Grequest_complete", "request", [w] { return w->active; }, complete);
  requests(
      "MPI_Pready", "request", [w] { return w->active; }, ready);

  // Lists: a stale handle among good ones, and a negative length.
  const auto lists = [&](const char* f, const char* length, int (*call)(int)) {
    add(f, length, MPI_ERR_COUNT, [call] { return call(-1); });
    add(f, "array_of_requests", MPI_ERR_REQUEST, [call, w] {
      list.fill(MPI_REQUEST_NULL);
      list[2] = w->stale;
      return call(4);
    });
  };
  lists("MPI_Waitall", "count", [](int n) { return MPI_Waitall(n, list.data(), statuses.data()); });
  lists("MPI_Testall", "count", [](int n) { return MPI_Testall(n, list.data(), &flag, statuses.data()); });
  lists("MPI_Waitany", "count", [](int n) { return MPI_Waitany(n, list.data(), &index, statuses.data()); });
  lists("MPI_Testany", "count", [](int n) { return MPI_Testany(n, list.data(), &index, &flag, statuses.data()); });
  lists("MPI_Waitsome", "incount",
        [](int n) { return MPI_Waitsome(n, list.data(), &index, indices.data(), statuses.data()); });
  lists("MPI_Testsome", "incount",
        [](int n) { return MPI_Testsome(n, list.data(), &index, indices.data(), statuses.data()); });
  add("MPI_Startall", "count", MPI_ERR_COUNT, [] { return MPI_Startall(-1, list.data()); });

  static MPI_Message none;
  add("MPI_Mrecv", "message", MPI_ERR_REQUEST, [] {
    none = MPI_MESSAGE_NULL;
    return MPI_Mrecv(&memory, 1, MPI_INT, &none, MPI_STATUS_IGNORE);
  });
  add("MPI_Imrecv", "message", MPI_ERR_REQUEST, [w] {
    none = MPI_MESSAGE_NULL;
    return MPI_Imrecv(&memory, 1, MPI_INT, &none, &w->request);
  });
}

}  // namespace arguments

// SPDX-License-Identifier: BSD-3-Clause
// The table of wrong calls: for each function and each of its arguments, values that
// MPI does not allow, the error class they give, and the name of the argument that the error text must contain.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

namespace arguments {

struct Row {
  std::string function, argument;
  int error_class;
  std::function<int()> call;
};

/// The arguments of one call, right unless a row spoils one. What is received goes to a place of its own.
struct Arguments {
  void* buffer;
  MPI_Count count = 1;
  MPI_Datatype type = MPI_INT;
  int rank;
  int tag = 700;
  MPI_Comm comm = MPI_COMM_WORLD;
};

/// Handles that are wrong, made while MPI runs.
struct Wrong {
  MPI_Comm freed = MPI_COMM_NULL;
  MPI_Comm garbage = MPI_COMM_NULL;              // another kind of handle
  MPI_Comm ring = MPI_COMM_NULL;                 // right, for calls that need a topology: all in a ring
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;  // stays null where there are no derived types
  MPI_Request stale = MPI_REQUEST_NULL;          // was waited for
  MPI_Request active = MPI_REQUEST_NULL;         // a receive that is not persistent
  MPI_Request started = MPI_REQUEST_NULL;        // a persistent receive that is active
  MPI_Request request = MPI_REQUEST_NULL;        // where calls that go wrong might leave one
};

class Table {
 public:
  explicit Table(Wrong& wrong) : wrong_(wrong) {
    sends();
    receives();
    probes();
    exchanges();
    completions();
    operators();
    datatypes();
    groups();
    communicators();
    infos();
    collectives();
  }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  using Call = std::function<int(const Arguments&)>;
  struct Names {
    const char *buffer = "buf", *count = "count", *type = "datatype", *rank = "dest", *tag = "tag";
  };

  void add(const std::string& function, const std::string& argument, int error_class, std::function<int()> call) {
    rows_.push_back({function, argument, error_class, std::move(call)});
  }

  /// One row with one argument changed from what is right.
  template <class Change>
  void spoil(const std::string& function, const char* argument, int error_class, const Call& call, Change change) {
    add(function, argument, error_class, [call, change] {
      static std::array<int, 16> memory;
      Arguments arguments{memory.data(), 1, MPI_INT, check::rank};
      change(arguments);
      return call(arguments);
    });
  }

  void message_rows(const std::string& f, const Names& names, const Call& call) {
    Wrong* const w = &wrong_;
    spoil(f, names.buffer, MPI_ERR_BUFFER, call, [](Arguments& a) { a.buffer = nullptr; });
    for (const int count : {-1, -2147483647}) {
      spoil(f, names.count, MPI_ERR_COUNT, call, [count](Arguments& a) { a.count = count; });
    }
    spoil(f, names.type, MPI_ERR_TYPE, call, [](Arguments& a) { a.type = MPI_DATATYPE_NULL; });
    if (w->uncommitted != MPI_DATATYPE_NULL) {
      spoil(f, names.type, MPI_ERR_TYPE, call, [w](Arguments& a) { a.type = w->uncommitted; });
    }
  }

  void envelope_rows(const std::string& f, const Names& names, bool sends, const Call& call) {
    // The named ranks that are wrong here; numbers out of range on either side.
    for (const int rank : {check::size, 2147483647, -77, sends ? MPI_ANY_SOURCE : -78}) {
      spoil(f, names.rank, MPI_ERR_RANK, call, [rank](Arguments& a) { a.rank = rank; });
    }
    for (const int tag : {-77, sends ? MPI_ANY_TAG : -78}) {
      spoil(f, names.tag, MPI_ERR_TAG, call, [tag](Arguments& a) { a.tag = tag; });
    }
  }

  void communicator_rows(const std::string& f, const Call& call) {
    Wrong* const w = &wrong_;
    spoil(f, "comm", MPI_ERR_COMM, call, [](Arguments& a) { a.comm = MPI_COMM_NULL; });
    spoil(f, "comm", MPI_ERR_COMM, call, [w](Arguments& a) { a.comm = w->garbage; });
    spoil(f, "comm", MPI_ERR_COMM, call, [w](Arguments& a) { a.comm = w->freed; });
  }

  void all_rows(const std::string& f, const Names& names, bool sends, const Call& call) {
    message_rows(f, names, call);
    envelope_rows(f, names, sends, call);
    communicator_rows(f, call);
  }

  template <class Function>
  Call blocking_send(Function function) {
    return [function](const Arguments& a) {
      return function(a.buffer, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm);
    };
  }
  template <class Function>
  Call with_request(Function function) {
    MPI_Request* const request = &wrong_.request;
    return [function, request](const Arguments& a) {
      return function(a.buffer, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm, request);
    };
  }
  template <class Function>
  Call partitioned(Function function) {
    MPI_Request* const request = &wrong_.request;
    return [function, request](const Arguments& a) {
      return function(a.buffer, 1, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm, MPI_INFO_NULL, request);
    };
  }

  void sends();
  void receives();
  void probes();
  void exchanges();
  void completions();
  void operators();
  void datatypes();
  void groups();
  void communicators();
  void infos();
  void collectives();

  Wrong& wrong_;
  std::vector<Row> rows_;
};

#define ARGUMENTS_SEND(function) all_rows(#function, {}, true, blocking_send(function))
#define ARGUMENTS_ISEND(function) all_rows(#function, {}, true, with_request(function))

inline void Table::sends() {
  ARGUMENTS_SEND(MPI_Send);
  ARGUMENTS_SEND(MPI_Bsend);
  ARGUMENTS_SEND(MPI_Ssend);
  ARGUMENTS_SEND(MPI_Rsend);
  ARGUMENTS_ISEND(MPI_Isend);
  ARGUMENTS_ISEND(MPI_Ibsend);
  ARGUMENTS_ISEND(MPI_Issend);
  ARGUMENTS_ISEND(MPI_Irsend);
  ARGUMENTS_ISEND(MPI_Send_init);
  ARGUMENTS_ISEND(MPI_Bsend_init);
  ARGUMENTS_ISEND(MPI_Ssend_init);
  ARGUMENTS_ISEND(MPI_Rsend_init);
  ARGUMENTS_SEND(MPI_Send_c);
  ARGUMENTS_SEND(MPI_Bsend_c);
  ARGUMENTS_SEND(MPI_Ssend_c);
  ARGUMENTS_SEND(MPI_Rsend_c);
  ARGUMENTS_ISEND(MPI_Isend_c);
  ARGUMENTS_ISEND(MPI_Ibsend_c);
  ARGUMENTS_ISEND(MPI_Issend_c);
  ARGUMENTS_ISEND(MPI_Irsend_c);
  ARGUMENTS_ISEND(MPI_Send_init_c);
  ARGUMENTS_ISEND(MPI_Bsend_init_c);
  ARGUMENTS_ISEND(MPI_Ssend_init_c);
  ARGUMENTS_ISEND(MPI_Rsend_init_c);
  all_rows("MPI_Psend_init", {}, true, partitioned(MPI_Psend_init));
}

inline void Table::receives() {
  const Names names{.rank = "source"};
  const auto recv = [](auto function) {
    return [function](const Arguments& a) {
      return function(a.buffer, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm, MPI_STATUS_IGNORE);
    };
  };
  all_rows("MPI_Recv", names, false, recv(MPI_Recv));
  all_rows("MPI_Recv_c", names, false, recv(MPI_Recv_c));
  all_rows("MPI_Irecv", names, false, with_request(MPI_Irecv));
  all_rows("MPI_Irecv_c", names, false, with_request(MPI_Irecv_c));
  all_rows("MPI_Recv_init", names, false, with_request(MPI_Recv_init));
  all_rows("MPI_Recv_init_c", names, false, with_request(MPI_Recv_init_c));
  // The standard calls the source of MPI_Precv_init "dest" too, and it takes no wildcards.
  all_rows("MPI_Precv_init", {}, true, partitioned(MPI_Precv_init));
}

inline void Table::probes() {
  static int flag;
  static MPI_Message message;
  const auto rows = [this](const char* f, const Call& call) {
    envelope_rows(f, {.rank = "source"}, false, call);
    communicator_rows(f, call);
  };
  rows("MPI_Probe", [](const Arguments& a) { return MPI_Probe(a.rank, a.tag, a.comm, MPI_STATUS_IGNORE); });
  rows("MPI_Iprobe", [](const Arguments& a) { return MPI_Iprobe(a.rank, a.tag, a.comm, &flag, MPI_STATUS_IGNORE); });
  rows("MPI_Mprobe", [](const Arguments& a) { return MPI_Mprobe(a.rank, a.tag, a.comm, &message, MPI_STATUS_IGNORE); });
  rows("MPI_Improbe",
       [](const Arguments& a) { return MPI_Improbe(a.rank, a.tag, a.comm, &flag, &message, MPI_STATUS_IGNORE); });
}

}  // namespace arguments

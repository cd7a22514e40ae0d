// SPDX-License-Identifier: BSD-3-Clause
// The table of wrong calls: collective operations, each in its three forms.
#pragma once

#include "arguments_table.hpp"

namespace arguments {

// What a collective call is given: right, unless a row spoils it. Each process calls itself the root, so that all
// arguments mean something everywhere; nobody gets as far as to send. On a topology it is a ring, so that everybody has
// two neighbours.
struct Collective {
  static constexpr int most = 64;
  void* sendbuf;
  void* recvbuf;
  int sendcount = 1, recvcount = 1;
  MPI_Datatype sendtype = MPI_INT, recvtype = MPI_INT;
  MPI_Op op = MPI_SUM;
  int root = check::rank;
  MPI_Comm comm = MPI_COMM_WORLD;
  std::array<int, most> counts{}, displs{};
  const int* sendcounts = nullptr;
  const int* recvcounts = nullptr;
  const int* sdispls = nullptr;
  const int* rdispls = nullptr;
  std::array<MPI_Datatype, most> types{};
  const MPI_Datatype* sendtypes = nullptr;
  const MPI_Datatype* recvtypes = nullptr;
  std::array<MPI_Aint, most> byte_displs{};
  const MPI_Aint* byte_sdispls = nullptr;
  const MPI_Aint* byte_rdispls = nullptr;
  MPI_Request* request;
};

/// Handles that were freed just now, so that nothing else has their memory.
inline MPI_Datatype freed_type() {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &made);
  MPI_Type_commit(&made);
  MPI_Datatype handle = made;
  MPI_Type_free(&handle);
  return made;
}
inline MPI_Op freed_op() {
  MPI_Op made = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &made);
  MPI_Op handle = made;
  MPI_Op_free(&handle);
  return made;
}
/// A handle of another kind.
template <class Handle, class Other>
Handle as_another_kind(Other other) {
  Handle handle;
  static_assert(sizeof handle == sizeof other);
  std::memcpy(&handle, &other, sizeof handle);
  return handle;
}

class CollectiveRows {
 public:
  using Call = std::function<int(const Collective&)>;
  using Add = std::function<void(const std::string&, const std::string&, int, std::function<int()>)>;

  /// Calls are on `comm`, unless a row changes it.
  CollectiveRows(Wrong& wrong, MPI_Comm comm, Add add) : wrong_(wrong), comm_(comm), add_(std::move(add)) {}

  // The function in its three forms. `names`: its arguments, of which all rows are made. `spread` calls what it is
  // given with the arguments in their order.
  template <class B, class N, class P, class Spread>
  void function(const std::string& name, B blocking, N nonblocking, P init, const std::vector<std::string>& names,
                Spread spread) {
    std::string lower = name;
    lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
    const auto rows = [&](const std::string& form, const Call& call, bool has_request) {
      for (const std::string& argument : names) spoil(form, argument, call);
      if (has_request) spoil(form, "request", call);
    };
    rows(
        "MPI_" + name, [=](const Collective& a) { return spread(a, blocking); }, false);
    rows(
        "MPI_I" + lower,
        [=](const Collective& a) {
          return spread(a, [&](auto... arguments) { return nonblocking(arguments..., a.request); });
        },
        true);
    rows(
        "MPI_" + name + "_init",
        [=](const Collective& a) {
          return spread(a, [&](auto... arguments) { return init(arguments..., MPI_INFO_NULL, a.request); });
        },
        true);
  }

 private:
  template <class Change>
  void row(const std::string& form, const std::string& argument, int error_class, const Call& call, Change change) {
    MPI_Request* const request = &wrong_.request;
    add_(form, argument, error_class, [call, change, request, comm = comm_] {
      static std::array<int, 4 * Collective::most> memory;
      Collective a{.sendbuf = memory.data(), .recvbuf = memory.data() + memory.size() / 2, .request = request};
      a.comm = comm;
      a.counts.fill(1);
      a.types.fill(MPI_INT);
      a.sendcounts = a.recvcounts = a.counts.data();
      a.sdispls = a.rdispls = a.displs.data();
      a.byte_sdispls = a.byte_rdispls = a.byte_displs.data();
      a.sendtypes = a.recvtypes = a.types.data();
      change(a);
      return call(a);
    });
  }

  void spoil(const std::string& f, const std::string& name, const Call& call) {
    Wrong* const w = &wrong_;
    const auto is = [&](const char* which) { return name == which; };
    if (is("sendbuf")) row(f, name, MPI_ERR_BUFFER, call, [](Collective& a) { a.sendbuf = nullptr; });
    if (is("no place")) row(f, "sendbuf", MPI_ERR_BUFFER, call, [](Collective& a) { a.sendbuf = MPI_IN_PLACE; });
    if (is("recvbuf alone")) row(f, "recvbuf", MPI_ERR_BUFFER, call, [](Collective& a) { a.recvbuf = nullptr; });
    if (is("recvbuf")) {
      row(f, name, MPI_ERR_BUFFER, call, [](Collective& a) { a.recvbuf = nullptr; });
      row(f, name, MPI_ERR_BUFFER, call, [](Collective& a) { a.recvbuf = a.sendbuf = MPI_IN_PLACE; });
    }
    if (is("buffer")) row(f, name, MPI_ERR_BUFFER, call, [](Collective& a) { a.sendbuf = MPI_IN_PLACE; });
    if (is("sendcount") || is("count")) row(f, name, MPI_ERR_COUNT, call, [](Collective& a) { a.sendcount = -1; });
    if (is("recvcount")) row(f, name, MPI_ERR_COUNT, call, [](Collective& a) { a.recvcount = -7; });
    if (is("sendtype") || is("datatype")) {
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.sendtype = MPI_DATATYPE_NULL; });
      row(f, name, MPI_ERR_TYPE, call, [w](Collective& a) { a.sendtype = w->uncommitted; });
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.sendtype = freed_type(); });
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.sendtype = as_another_kind<MPI_Datatype>(MPI_SUM); });
    }
    if (is("recvtype")) {
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.recvtype = MPI_DATATYPE_NULL; });
      row(f, name, MPI_ERR_TYPE, call, [w](Collective& a) { a.recvtype = w->uncommitted; });
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.recvtype = freed_type(); });
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.recvtype = as_another_kind<MPI_Datatype>(MPI_SUM); });
    }
    if (is("sendcounts")) row(f, name, MPI_ERR_ARG, call, [](Collective& a) { a.sendcounts = nullptr; });
    if (is("recvcounts")) row(f, name, MPI_ERR_ARG, call, [](Collective& a) { a.recvcounts = nullptr; });
    if (is("sendcounts") || is("recvcounts"))
      row(f, name, MPI_ERR_COUNT, call, [](Collective& a) { a.counts[0] = -1; });
    if (is("sdispls")) {
      row(f, name, MPI_ERR_ARG, call, [](Collective& a) {
        a.sdispls = nullptr;
        a.byte_sdispls = nullptr;
      });
    }
    if (is("rdispls")) {
      row(f, name, MPI_ERR_ARG, call, [](Collective& a) {
        a.rdispls = nullptr;
        a.byte_rdispls = nullptr;
      });
    }
    if (is("displs")) row(f, name, MPI_ERR_ARG, call, [](Collective& a) { a.sdispls = a.rdispls = nullptr; });
    if (is("sendtypes")) row(f, name, MPI_ERR_ARG, call, [](Collective& a) { a.sendtypes = nullptr; });
    if (is("recvtypes")) {
      row(f, name, MPI_ERR_ARG, call, [](Collective& a) { a.recvtypes = nullptr; });
      row(f, name, MPI_ERR_TYPE, call, [w](Collective& a) { a.types[0] = w->uncommitted; });
      row(f, name, MPI_ERR_TYPE, call, [](Collective& a) { a.types[0] = freed_type(); });
    }
    if (is("op")) {
      row(f, name, MPI_ERR_OP, call, [](Collective& a) { a.op = MPI_OP_NULL; });
      row(f, name, MPI_ERR_OP, call, [](Collective& a) { a.op = MPI_REPLACE; });
      row(f, name, MPI_ERR_OP, call, [](Collective& a) { a.op = MPI_MAXLOC; });  // of integers that are no pairs
      row(f, name, MPI_ERR_OP, call, [](Collective& a) { a.op = freed_op(); });
      row(f, name, MPI_ERR_OP, call, [](Collective& a) { a.op = as_another_kind<MPI_Op>(MPI_INT); });
    }
    for (const int root : {check::size, -77, MPI_ROOT, MPI_PROC_NULL}) {
      if (is("root")) row(f, name, MPI_ERR_ROOT, call, [root](Collective& a) { a.root = root; });
    }
    if (is("request")) row(f, name, MPI_ERR_ARG, call, [](Collective& a) { a.request = nullptr; });
    if (is("comm")) {
      row(f, name, MPI_ERR_COMM, call, [](Collective& a) { a.comm = MPI_COMM_NULL; });
      row(f, name, MPI_ERR_COMM, call, [w](Collective& a) { a.comm = w->garbage; });
      row(f, name, MPI_ERR_COMM, call, [w](Collective& a) { a.comm = w->freed; });
    }
    if (is("comm without a topology")) row(f, "comm", MPI_ERR_TOPOLOGY, call, [](Collective&) {});
    // Lengths that do not agree, as far as one process can know.
    if (is("a longer block")) row(f, "sendbuf", MPI_ERR_TRUNCATE, call, [](Collective& a) { a.sendcount = 2; });
    if (is("a shorter block")) row(f, "sendbuf", MPI_ERR_COUNT, call, [](Collective& a) { a.sendcount = 0; });
    if (is("one memory")) row(f, "sendbuf", MPI_ERR_BUFFER, call, [](Collective& a) { a.recvbuf = a.sendbuf; });
    // The block from this process to itself, in the other's own place.
    const auto own = [](void* blocks) { return static_cast<int*>(blocks) + check::rank; };
    if (is("one block of recvbuf"))
      row(f, "sendbuf", MPI_ERR_BUFFER, call, [own](Collective& a) { a.sendbuf = own(a.recvbuf); });
    if (is("one block of sendbuf"))
      row(f, "sendbuf", MPI_ERR_BUFFER, call, [own](Collective& a) { a.recvbuf = own(a.sendbuf); });
  }

  Wrong& wrong_;
  MPI_Comm comm_;
  Add add_;
};

#define ARGUMENTS_FORMS(Name, name) #Name, MPI_##Name, MPI_I##name, MPI_##Name##_init

inline void Table::collectives() {
  const auto add_row = [this](const std::string& function, const std::string& argument, int error_class,
                              std::function<int()> call) { add(function, argument, error_class, call); };
  CollectiveRows rows(wrong_, MPI_COMM_WORLD, add_row);
  using A = const Collective&;
  rows.function(ARGUMENTS_FORMS(Barrier, barrier), {"comm"}, [](A a, auto f) { return f(a.comm); });
  rows.function(ARGUMENTS_FORMS(Bcast, bcast), {"buffer", "count", "datatype", "root", "comm"},
                [](A a, auto f) { return f(a.sendbuf, a.sendcount, a.sendtype, a.root, a.comm); });

  const std::vector<std::string> two_sides = {"sendbuf",  "sendcount", "sendtype",       "recvbuf",        "recvcount",
                                              "recvtype", "comm",      "a longer block", "a shorter block"};
  const auto with = [](std::vector<std::string> names, const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  const auto with_root = [](A a, auto f) {
    return f(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype, a.root, a.comm);
  };
  const auto without = [](A a, auto f) {
    return f(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype, a.comm);
  };
  rows.function(ARGUMENTS_FORMS(Gather, gather), with(two_sides, {"root", "one block of recvbuf"}), with_root);
  rows.function(ARGUMENTS_FORMS(Scatter, scatter), with(two_sides, {"root", "one block of sendbuf"}), with_root);
  rows.function(ARGUMENTS_FORMS(Allgather, allgather), with(two_sides, {"one block of recvbuf"}), without);
  rows.function(ARGUMENTS_FORMS(Alltoall, alltoall), with(two_sides, {"one memory"}), without);
  rows.function(ARGUMENTS_FORMS(Gatherv, gatherv),
                {"sendbuf", "sendcount", "sendtype", "recvbuf", "recvcounts", "displs", "recvtype", "root", "comm",
                 "a longer block", "one memory"},
                [](A a, auto f) {
                  return f(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls, a.recvtype, a.root,
                           a.comm);
                });
  rows.function(
      ARGUMENTS_FORMS(Scatterv, scatterv),
      {"sendbuf", "sendcounts", "displs", "sendtype", "recvbuf", "recvcount", "recvtype", "root", "comm", "one memory"},
      [](A a, auto f) {
        return f(a.sendbuf, a.sendcounts, a.sdispls, a.sendtype, a.recvbuf, a.recvcount, a.recvtype, a.root, a.comm);
      });
  rows.function(ARGUMENTS_FORMS(Allgatherv, allgatherv),
                {"sendbuf", "sendcount", "sendtype", "recvbuf", "recvcounts", "displs", "recvtype", "comm",
                 "a longer block", "one memory"},
                [](A a, auto f) {
                  return f(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls, a.recvtype, a.comm);
                });
  rows.function(ARGUMENTS_FORMS(Alltoallv, alltoallv),
                {"sendbuf", "sendcounts", "sdispls", "sendtype", "recvbuf", "recvcounts", "rdispls", "recvtype", "comm",
                 "one memory"},
                [](A a, auto f) {
                  return f(a.sendbuf, a.sendcounts, a.sdispls, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls,
                           a.recvtype, a.comm);
                });
  rows.function(ARGUMENTS_FORMS(Alltoallw, alltoallw),
                {"sendbuf", "sendcounts", "sdispls", "sendtypes", "recvbuf", "recvcounts", "rdispls", "recvtypes",
                 "comm", "one memory"},
                [](A a, auto f) {
                  return f(a.sendbuf, a.sendcounts, a.sdispls, a.sendtypes, a.recvbuf, a.recvcounts, a.rdispls,
                           a.recvtypes, a.comm);
                });

  const std::vector<std::string> reduction = {"sendbuf", "recvbuf", "count", "datatype", "op", "comm", "one memory"};
  const auto reduce = [](A a, auto f) { return f(a.sendbuf, a.recvbuf, a.sendcount, a.sendtype, a.op, a.comm); };
  rows.function(ARGUMENTS_FORMS(Reduce, reduce),
                {"sendbuf", "recvbuf", "count", "datatype", "op", "root", "comm", "one memory"},
                [](A a, auto f) { return f(a.sendbuf, a.recvbuf, a.sendcount, a.sendtype, a.op, a.root, a.comm); });
  rows.function(ARGUMENTS_FORMS(Allreduce, allreduce), reduction, reduce);
  rows.function(ARGUMENTS_FORMS(Scan, scan), reduction, reduce);
  rows.function(ARGUMENTS_FORMS(Exscan, exscan), {"sendbuf", "count", "datatype", "op", "comm"}, reduce);
  rows.function(ARGUMENTS_FORMS(Reduce_scatter_block, reduce_scatter_block),
                {"sendbuf", "recvbuf", "recvcount", "datatype", "op", "comm", "one memory"},
                [](A a, auto f) { return f(a.sendbuf, a.recvbuf, a.recvcount, a.sendtype, a.op, a.comm); });
  rows.function(ARGUMENTS_FORMS(Reduce_scatter, reduce_scatter),
                {"sendbuf", "recvbuf", "recvcounts", "datatype", "op", "comm", "one memory"},
                [](A a, auto f) { return f(a.sendbuf, a.recvbuf, a.recvcounts, a.sendtype, a.op, a.comm); });

  const std::vector<std::string> none = {"comm without a topology"};
  rows.function(ARGUMENTS_FORMS(Neighbor_allgather, neighbor_allgather), none, without);
  rows.function(ARGUMENTS_FORMS(Neighbor_alltoall, neighbor_alltoall), none, without);
  const auto gather_blocks = [](A a, auto f) {
    return f(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls, a.recvtype, a.comm);
  };
  const auto exchange_blocks = [](A a, auto f) {
    return f(a.sendbuf, a.sendcounts, a.sdispls, a.sendtype, a.recvbuf, a.recvcounts, a.rdispls, a.recvtype, a.comm);
  };
  const auto exchange_types = [](A a, auto f) {
    return f(a.sendbuf, a.sendcounts, a.byte_sdispls, a.sendtypes, a.recvbuf, a.recvcounts, a.byte_rdispls, a.recvtypes,
             a.comm);
  };
  rows.function(ARGUMENTS_FORMS(Neighbor_allgatherv, neighbor_allgatherv), none, gather_blocks);
  rows.function(ARGUMENTS_FORMS(Neighbor_alltoallv, neighbor_alltoallv), none, exchange_blocks);
  rows.function(ARGUMENTS_FORMS(Neighbor_alltoallw, neighbor_alltoallw), none, exchange_types);

  CollectiveRows around(wrong_, wrong_.ring, add_row);
  const std::vector<std::string> blocks = {"sendbuf",       "no place",  "sendcount", "sendtype",
                                           "recvbuf alone", "recvcount", "recvtype",  "comm"};
  around.function(ARGUMENTS_FORMS(Neighbor_allgather, neighbor_allgather), blocks, without);
  around.function(ARGUMENTS_FORMS(Neighbor_alltoall, neighbor_alltoall), blocks, without);
  around.function(
      ARGUMENTS_FORMS(Neighbor_allgatherv, neighbor_allgatherv),
      {"sendbuf", "no place", "sendcount", "sendtype", "recvbuf alone", "recvcounts", "displs", "recvtype", "comm"},
      gather_blocks);
  around.function(ARGUMENTS_FORMS(Neighbor_alltoallv, neighbor_alltoallv),
                  {"sendbuf", "no place", "sendcounts", "sdispls", "sendtype", "recvbuf alone", "recvcounts", "rdispls",
                   "recvtype", "comm"},
                  exchange_blocks);
  around.function(ARGUMENTS_FORMS(Neighbor_alltoallw, neighbor_alltoallw),
                  {"sendbuf", "no place", "sendcounts", "sdispls", "sendtypes", "recvbuf alone", "recvcounts",
                   "rdispls", "recvtypes", "comm"},
                  exchange_types);
}

}  // namespace arguments

// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of every collective, forced one after the other by the hint of a communicator, with all results
// checked. Arguments: rules such as allreduce=ring. One more argument, "bits", makes rank 0 print a number made of the
// bits of floating-point reductions instead, which tells whether operands were combined in the same order.
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "every_operation.hpp"

namespace {

/// A duplicate of the world that serves its collectives by this rule.
class Forced {
 public:
  explicit Forced(const std::string& rule) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    apply(rule);
  }
  /// The ranks in a circle.
  Forced(const std::string& rule, bool /*circle*/) {
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &check::size, &periodic, 0, &comm);
    apply(rule);
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
  ~Forced() { MPI_Comm_free(&comm); }

  MPI_Comm comm = MPI_COMM_NULL;

 private:
  void apply(const std::string& rule) const {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "bowline_collectives", rule.c_str());
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    // A hint that was taken is among those in use; one that means nothing is not.
    MPI_Comm_get_info(comm, &info);
    int length = 0, there = 0;
    std::string value(200, '\0');
    length = static_cast<int>(value.size());
    MPI_Info_get_string(info, "bowline_collectives", &length, value.data(), &there);
    CHECK(there != 0);
    if (there != 0) CHECK_EQ(std::string(value.c_str()), rule);
    MPI_Info_free(&info);
  }
};

const std::map<std::string, std::function<void(MPI_Comm, int, int)>> operations = {
    {"barrier", every::barrier},
    {"bcast", every::bcast},
    {"gather", every::gather},
    {"gatherv", every::gatherv},
    {"scatter", every::scatter},
    {"scatterv", every::scatterv},
    {"allgather", every::allgather},
    {"allgatherv", every::allgatherv},
    {"alltoall", every::alltoall},
    {"alltoallv", every::alltoallv},
    {"reduce", every::reduce},
    {"allreduce", every::allreduce},
    {"reduce_scatter_block", every::reduce_scatter_block},
    {"reduce_scatter", every::reduce_scatter},
    {"scan", every::scan},
    {"exscan", every::exscan},
    {"neighbor_allgather", every::neighbor_allgather},
    {"neighbor_alltoall", every::neighbor_alltoall},
};

void run(const std::string& rule) {
  const std::string operation = rule.substr(0, rule.find('='));
  const auto found = operations.find(operation);
  CHECK(found != operations.end());
  if (found == operations.end()) return;
  const bool circle = operation.rfind("neighbor", 0) == 0;
  const Forced forced = circle ? Forced(rule, true) : Forced(rule);
  const long failed_before = check::failed;
  for (const int count : {0, 1, 7, 1000, 20000}) {
    for (const int root : {0, check::size - 1}) found->second(forced.comm, count, root);
  }
  if (check::failed != failed_before) check::report(__FILE__, __LINE__, "with the rule " + rule);
}

void mix(std::uint64_t& mixed, const std::vector<std::vector<double>>& results) {
  for (const std::vector<double>& each : results) {
    for (const double result : each) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &result, sizeof bits);
      mixed = (mixed ^ bits) * 0x9e3779b97f4a7c15U;
    }
  }
}

/// Mixes the bits of floating-point reductions whose result depends on the order of operands.
std::uint64_t bits_of_reductions(MPI_Comm comm) {
  std::uint64_t mixed = 0;
  for (const int count : {1, 100, 5000, 30000}) {
    mix(mixed, every::sums(comm, count));
    mix(mixed, every::maxima_of_zeros(comm, count));
  }
  std::vector<std::uint64_t> all(static_cast<std::size_t>(check::size));
  MPI_Gather(&mixed, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (const std::uint64_t each : all) mixed = (mixed ^ each) * 0x9e3779b97f4a7c15U;
  return mixed;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const bool bits = argc > 1 && std::string(argv[1]) == "bits";
  for (int i = bits ? 2 : 1; i < argc; ++i) {
    if (!bits) {
      run(argv[i]);
      continue;
    }
    const Forced forced{std::string(argv[i])};
    const std::uint64_t once = bits_of_reductions(forced.comm), again = bits_of_reductions(forced.comm);
    CHECK(check::rank != 0 || once == again);
    if (check::rank == 0) std::printf("bits %s %016llx\n", argv[i], static_cast<unsigned long long>(once));
  }
  if (bits && argc == 2) {
    const std::uint64_t once = bits_of_reductions(MPI_COMM_WORLD);
    CHECK(true);
    if (check::rank == 0) std::printf("bits default %016llx\n", static_cast<unsigned long long>(once));
  }
  return program.finish();
}

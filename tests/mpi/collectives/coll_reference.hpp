// SPDX-License-Identifier: BSD-3-Clause
// What collective operations must do, said with sends and receives: each is a list of what this process sends to
// others, and one of what it receives.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "datatypes.hpp"

namespace coll {

// A datatype whose elements are one integer or two, so that the two sides of an operation can differ.
struct Layout {
  const char* name;
  MPI_Datatype type;
  std::size_t extent;
  bool is_pair;  // an element is two integers, not one
};

inline std::vector<Layout> make_layouts() {
  std::vector<Layout> layouts = {{"MPI_INT", MPI_INT, sizeof(int), false}};
  MPI_Datatype strided, holes, backwards;
  MPI_Type_vector(2, 1, 3, MPI_INT, &strided);
  MPI_Datatype padded;
  MPI_Type_create_resized(strided, 0, 24, &padded);
  MPI_Type_commit(&padded);
  MPI_Type_free(&strided);
  layouts.push_back({"two of six integers", padded, 24, true});
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {12, 4};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, types, &backwards);
  MPI_Type_create_resized(backwards, 0, 20, &holes);
  MPI_Type_commit(&holes);
  MPI_Type_free(&backwards);
  layouts.push_back({"two integers, the higher first", holes, 20, true});
  return layouts;
}

inline void free_layouts(std::vector<Layout>& layouts) {
  for (Layout& layout : layouts) {
    if (layout.type != MPI_INT) CHECK_EQ(MPI_Type_free(&layout.type), MPI_SUCCESS);
  }
}

// Memory for elements, every byte of which says who filled it.
class Memory {
 public:
  Memory(const Layout& layout, int elements, int owner, int salt)
      : layout_(layout),
        bytes_(check::patterned(layout.extent * static_cast<std::size_t>(elements) + 64, owner, salt)) {}

  void* at(int element) { return bytes_.data() + layout_.extent * static_cast<std::size_t>(element); }
  bool operator==(const Memory& other) const { return bytes_ == other.bytes_; }

 private:
  Layout layout_;
  std::vector<unsigned char> bytes_;
};

// Elements that this process sends to another, or receives from it.
struct Part {
  int peer;
  void* data;
  int count;
  MPI_Datatype type;
  int tag = 77;
};

inline void exchange(MPI_Comm comm, const std::vector<Part>& sends, const std::vector<Part>& receives) {
  std::vector<MPI_Request> requests;
  for (const Part& part : receives) {
    requests.emplace_back();
    MPI_Irecv(part.data, part.count, part.type, part.peer, part.tag, comm, &requests.back());
  }
  for (const Part& part : sends) {
    requests.emplace_back();
    MPI_Isend(part.data, part.count, part.type, part.peer, part.tag, comm, &requests.back());
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

// How the members of a communicator see each other in collective operations.
struct Sides {
  explicit Sides(MPI_Comm comm_) : comm(comm_) {
    int flag = 0;
    MPI_Comm_test_inter(comm, &flag);
    inter = flag != 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    peers = size;
    if (inter) MPI_Comm_remote_size(comm, &peers);
  }
  MPI_Comm comm;
  bool inter = false;
  int rank = -1, size = 0;
  int peers = 0;  // of which there are blocks
};

// Sets `count` elements of `result` to the combination of what each of `operands` contributes, in their order.
inline void fold(const std::vector<void*>& operands, int count, MPI_Datatype type, MPI_Op op, void* result,
                 std::size_t bytes) {
  std::vector<unsigned char> inout(bytes);
  std::memcpy(inout.data(), operands.back(), bytes);
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    CHECK_EQ(MPI_Reduce_local(operands[i], inout.data(), count, type, op), MPI_SUCCESS);
  }
  // What lies between the data stays.
  MPI_Sendrecv(inout.data(), count, type, 0, 0, result, count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

// A root, as each process has to name it: on an intercommunicator it is in the group with colour 0, or in the other.
struct Root {
  int argument;      // what this process gives as root
  bool here;         // whether it is the root
  bool contributes;  // whether it gives to the root, or gets from it
};

inline Root root_of(const Sides& sides, int root, bool in_my_group) {
  if (!sides.inter) return {root, sides.rank == root, true};
  if (!in_my_group) return {root, false, true};
  return {sides.rank == root ? MPI_ROOT : MPI_PROC_NULL, sides.rank == root, false};
}

}  // namespace coll

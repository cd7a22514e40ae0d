// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives in one call: rings, self, MPI_PROC_NULL on either side, different lengths both ways; and messages
// to oneself in every mode.
#include <array>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::array<int, 8> sizes = {0, 1, 40, 41, 8192, 8193, 65536, 1 << 20};
constexpr int forms = 4;  // blocking, blocking with large counts, non-blocking, non-blocking with large counts

struct Side {
  int rank;
  int tag;
};

// Sends `out` and receives into `in` in the form asked for.
MPI_Status exchange(const Bytes& out, Side to, Bytes& in, Side from, int form) {
  const void* const data = out.data();
  void* const room = in.data();
  const int out_bytes = static_cast<int>(out.size()), in_bytes = static_cast<int>(in.size());
  const MPI_Datatype type = MPI_BYTE;
  MPI_Status status = unset_status();
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  switch (form) {
    case 0:
      code = MPI_Sendrecv(data, out_bytes, type, to.rank, to.tag, room, in_bytes, type, from.rank, from.tag, world,
                          &status);
      break;
    case 1:
      code = MPI_Sendrecv_c(data, out_bytes, type, to.rank, to.tag, room, in_bytes, type, from.rank, from.tag, world,
                            &status);
      break;
    case 2:
      code = MPI_Isendrecv(data, out_bytes, type, to.rank, to.tag, room, in_bytes, type, from.rank, from.tag, world,
                           &request);
      break;
    default:
      code = MPI_Isendrecv_c(data, out_bytes, type, to.rank, to.tag, room, in_bytes, type, from.rank, from.tag, world,
                             &request);
  }
  CHECK_EQ(code, MPI_SUCCESS);
  if (form >= 2) CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL);
  return status;
}

// The same with one buffer for both ways.
MPI_Status replace(Bytes& buffer, Side to, Side from, int form) {
  void* const data = buffer.data();
  const int bytes = static_cast<int>(buffer.size());
  MPI_Status status = unset_status();
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  switch (form) {
    case 0:
      code = MPI_Sendrecv_replace(data, bytes, MPI_BYTE, to.rank, to.tag, from.rank, from.tag, world, &status);
      break;
    case 1:
      code = MPI_Sendrecv_replace_c(data, bytes, MPI_BYTE, to.rank, to.tag, from.rank, from.tag, world, &status);
      break;
    case 2:
      code = MPI_Isendrecv_replace(data, bytes, MPI_BYTE, to.rank, to.tag, from.rank, from.tag, world, &request);
      break;
    default:
      code = MPI_Isendrecv_replace_c(data, bytes, MPI_BYTE, to.rank, to.tag, from.rank, from.tag, world, &request);
  }
  CHECK_EQ(code, MPI_SUCCESS);
  if (form >= 2) CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  return status;
}

// Everybody sends `shift` ranks further on, each a message of its own length. Shift 0: to itself.
void ring(int shift, int form, bool wildcards) {
  const int to = (check::rank + shift) % check::size, from = (check::rank + check::size - shift) % check::size;
  const auto length = [](int rank, std::size_t i) {
    return sizes[(i + static_cast<std::size_t>(rank)) % sizes.size()];
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Bytes out = contents(static_cast<std::size_t>(length(check::rank, i)), check::rank);
    const Bytes expected = contents(static_cast<std::size_t>(length(from, i)), from);
    const Side source = wildcards ? Side{MPI_ANY_SOURCE, MPI_ANY_TAG} : Side{from, from};
    Bytes in(expected.size() + 3, 0xEE);
    const MPI_Status status = exchange(out, {to, check::rank}, in, source, form);
    CHECK_STATUS(status, from, from, static_cast<int>(expected.size()));
    in.resize(expected.size());
    CHECK(in == expected);
    if (wildcards) MPI_Barrier(world);  // or somebody's next message could be taken for this one
  }
}

void ring_replace(int shift, int form) {
  const int to = (check::rank + shift) % check::size, from = (check::rank + check::size - shift) % check::size;
  for (const int bytes : sizes) {
    Bytes buffer = contents(static_cast<std::size_t>(bytes), check::rank);
    const MPI_Status status = replace(buffer, {to, check::rank}, {from, from}, form);
    CHECK_STATUS(status, from, from, bytes);
    CHECK(buffer == contents(buffer.size(), from));
  }
}

// A message shorter than the buffer replaces only its beginning.
void replaced_in_part(int form) {
  const int to = (check::rank + 1) % check::size, from = (check::rank + check::size - 1) % check::size;
  Bytes buffer = contents(1000, check::rank);
  const Bytes shorter = contents(10, check::rank + 1), before = buffer;
  Bytes in(1000);
  std::array<MPI_Request, 2> requests;
  MPI_Irecv(in.data(), 1000, MPI_BYTE, from, 2, world, &requests[0]);
  MPI_Isend(shorter.data(), 10, MPI_BYTE, to, 1, world, &requests[1]);
  MPI_Status status = replace(buffer, {to, 2}, {from, 1}, form);
  CHECK_STATUS(status, from, 1, 10);
  CHECK(Bytes(buffer.begin(), buffer.begin() + 10) == contents(10, from + 1));
  CHECK(Bytes(buffer.begin() + 10, buffer.end()) == Bytes(before.begin() + 10, before.end()));
  MPI_Wait(&requests[0], &status);
  CHECK_STATUS(status, from, 2, 1000);
  CHECK(in == contents(1000, from));
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

// A chain from rank 0 to the last: its ends have MPI_PROC_NULL on one side.
void chain(int form) {
  const int right = check::rank + 1 < check::size ? check::rank + 1 : MPI_PROC_NULL;
  const int left = check::rank > 0 ? check::rank - 1 : MPI_PROC_NULL;
  for (const int bytes : sizes) {
    const Bytes out = contents(static_cast<std::size_t>(bytes), check::rank), untouched(out.size(), 0xEE);
    const Bytes expected = left == MPI_PROC_NULL ? untouched : contents(out.size(), left);
    Bytes in = untouched;
    MPI_Status status = exchange(out, {right, 4}, in, {left, 4}, form);
    CHECK(in == expected);
    if (left == MPI_PROC_NULL) CHECK_NO_PROC(status);
    if (left != MPI_PROC_NULL) CHECK_STATUS(status, left, 4, bytes);
    Bytes buffer = out;
    status = replace(buffer, {right, 5}, {left, 5}, form);
    CHECK(buffer == (left == MPI_PROC_NULL ? out : expected));
    if (left == MPI_PROC_NULL) CHECK_NO_PROC(status);
    if (left != MPI_PROC_NULL) CHECK_STATUS(status, left, 5, bytes);
  }
}

// Both sides nobody.
void nobody(int form) {
  Bytes buffer = contents(100, 1);
  const Bytes out = buffer;
  CHECK_NO_PROC(exchange(out, {MPI_PROC_NULL, 0}, buffer, {MPI_PROC_NULL, MPI_ANY_TAG}, form));
  CHECK(buffer == out);
  CHECK_NO_PROC(replace(buffer, {MPI_PROC_NULL, 0}, {MPI_PROC_NULL, MPI_ANY_TAG}, form));
  CHECK(buffer == out);
}

// Many non-blocking exchanges at once, completed in one call, with both neighbours.
void many_at_once() {
  constexpr int n = 30;
  const int to = (check::rank + 1) % check::size, from = (check::rank + check::size - 1) % check::size;
  std::vector<Bytes> out, in;
  std::vector<MPI_Request> requests(n, MPI_REQUEST_NULL);
  for (int i = 0; i < n; ++i) {
    const std::size_t bytes = static_cast<std::size_t>(sizes[static_cast<std::size_t>(i) % (sizes.size() - 1)]);
    out.push_back(contents(bytes, check::rank * n + i));
    in.emplace_back(bytes);
  }
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    MPI_Isendrecv(out[at].data(), static_cast<int>(out[at].size()), MPI_BYTE, to, i, in[at].data(),
                  static_cast<int>(in[at].size()), MPI_BYTE, from, i, world, &requests[at]);
  }
  std::vector<MPI_Status> statuses(n);
  CHECK_EQ(MPI_Waitall(n, requests.data(), statuses.data()), MPI_SUCCESS);
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK_STATUS(statuses[at], from, i, static_cast<int>(in[at].size()));
    CHECK(in[at] == contents(in[at].size(), from * n + i));
  }
}

// Messages to oneself over the world and over MPI_COMM_SELF: received before, between and behind the sends.
void to_oneself(int bytes) {
  const Bytes out = contents(static_cast<std::size_t>(bytes), check::rank);
  const AttachedBuffer buffer(4 * (out.size() + MPI_BSEND_OVERHEAD));
  for (const MPI_Comm comm : {world, MPI_COMM_SELF}) {
    const int me = comm == world ? check::rank : 0;
    for (const auto& isend : {MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend}) {
      for (const bool receive_first : {true, false}) {
        if (!receive_first && isend == MPI_Irsend) continue;
        MPI_Request send, receive;
        MPI_Status status;
        Bytes in(out.size());
        if (receive_first) MPI_Irecv(in.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, 7, comm, &receive);
        CHECK_EQ(isend(out.data(), bytes, MPI_BYTE, me, 7, comm, &send), MPI_SUCCESS);
        if (!receive_first) MPI_Irecv(in.data(), bytes, MPI_BYTE, me, MPI_ANY_TAG, comm, &receive);
        CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&receive, &status), MPI_SUCCESS);
        CHECK_STATUS(status, me, 7, bytes);
        CHECK(in == out);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (int form = 0; form < forms; ++form) {
    for (int shift = 0; shift < check::size; ++shift) {
      for (const bool wildcards : {false, true}) ring(shift, form, wildcards);
      ring_replace(shift, form);
    }
    replaced_in_part(form);
    chain(form);
    nobody(form);
  }
  many_at_once();
  for (const int bytes : sizes) to_oneself(bytes);
  return program.finish();
}

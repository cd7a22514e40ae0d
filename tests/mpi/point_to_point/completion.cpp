// SPDX-License-Identifier: BSD-3-Clause
// The ways to complete requests: Wait and Test, one, any, some and all, with null requests among them.
//
// Two ranks at least: 0 receives what 1 sends, in an order that 1 chooses; the other ranks only check the empty cases.
#include <algorithm>
#include <array>
#include <vector>

#include "status.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int n = 8;
constexpr int length = 3000;  // ints in the odd messages: larger than a slot

using Requests = std::array<MPI_Request, n>;
using Statuses = std::array<MPI_Status, n>;
using Buffers = std::array<std::vector<int>, n>;

void check_empty(MPI_Status& status) {
  CHECK(check::is_empty(status));
  status = check::spoilt();
}

int length_of(int i) {
  return i % 2 ? length : 1;
}

// Receives of rank 0 under the tags 0 ... n-1; where `holes` the even places hold null requests.
void post(Buffers& in, Requests& requests, bool holes) {
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::size_t>(i);
    in[index].assign(length, -1);
    requests[index] = MPI_REQUEST_NULL;
    if (!(holes && i % 2 == 0)) MPI_Irecv(in[index].data(), length, MPI_INT, 1, i, world, &requests[index]);
  }
}

// Rank 1 sends message i when rank 0 asks for it, so that rank 0 knows what cannot have completed yet.
void send_one(int i) {
  const std::vector<int> out(length, i);
  MPI_Send(out.data(), length_of(i), MPI_INT, 0, i, world);
}

void ask(int i) {
  MPI_Send(&i, 1, MPI_INT, 1, 100, world);
}

void answer_until_end() {
  for (int i = 0; i >= 0;) {
    MPI_Recv(&i, 1, MPI_INT, 0, 100, world, MPI_STATUS_IGNORE);
    if (i >= 0) send_one(i);
  }
}

void check_arrived(const Buffers& in, int i, const MPI_Status& status) {
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_EQ(count, length_of(i));
  CHECK_EQ(status.MPI_TAG, i);
  CHECK_EQ(status.MPI_SOURCE, 1);
  CHECK_EQ(in[static_cast<std::size_t>(i)][static_cast<std::size_t>(length_of(i)) - 1], i);
}

void null_requests() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status = check::spoilt();
  int flag = 0, index = 0, count = -1;
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  check_empty(status);
  CHECK_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  check_empty(status);

  Requests none;
  Statuses statuses;
  std::array<int, n> indices;
  none.fill(MPI_REQUEST_NULL);
  statuses.fill(check::spoilt());
  for (const int length_of_list : {0, n}) {
    CHECK_EQ(MPI_Waitall(length_of_list, none.data(), statuses.data()), MPI_SUCCESS);
    for (int i = 0; i < length_of_list; ++i) check_empty(statuses[static_cast<std::size_t>(i)]);
    flag = 0;
    CHECK_EQ(MPI_Testall(length_of_list, none.data(), &flag, statuses.data()), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    for (int i = 0; i < length_of_list; ++i) check_empty(statuses[static_cast<std::size_t>(i)]);
    CHECK_EQ(MPI_Waitany(length_of_list, none.data(), &index, &status), MPI_SUCCESS);
    CHECK_EQ(index, MPI_UNDEFINED);
    check_empty(status);
    flag = 0;
    CHECK_EQ(MPI_Testany(length_of_list, none.data(), &index, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    check_empty(status);
    CHECK_EQ(MPI_Waitsome(length_of_list, none.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Testsome(length_of_list, none.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
  }
}

void one_by_one(bool testing) {
  Buffers in;
  Requests requests;
  post(in, requests, false);
  for (int i = n - 1; i >= 0; --i) {
    MPI_Request& request = requests[static_cast<std::size_t>(i)];
    MPI_Status status;
    int flag = 1;
    MPI_Test(&request, &flag, &status);
    CHECK_EQ(flag, 0);  // nobody has sent it
    ask(i);
    if (testing) {
      while (!flag) MPI_Test(&request, &flag, &status);
    } else {
      MPI_Wait(&request, &status);
    }
    CHECK(request == MPI_REQUEST_NULL);
    check_arrived(in, i, status);
  }
}

void any(bool testing, bool holes) {
  Buffers in;
  Requests requests;
  post(in, requests, holes);
  for (int i = n - 1; i >= 0; --i) {
    if (requests[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL) continue;
    int index = -7, flag = 1;
    MPI_Status status;
    MPI_Testany(n, requests.data(), &index, &flag, &status);
    CHECK_EQ(flag, 0);
    CHECK_EQ(index, MPI_UNDEFINED);
    ask(i);
    if (testing) {
      while (!flag) MPI_Testany(n, requests.data(), &index, &flag, &status);
    } else {
      MPI_Waitany(n, requests.data(), &index, &status);
    }
    CHECK_EQ(index, i);
    CHECK(requests[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL);
    check_arrived(in, i, status);
  }
}

void some(bool testing, bool holes) {
  Buffers in;
  Requests requests;
  post(in, requests, holes);
  std::array<bool, n> arrived{};
  int count = -7, left = holes ? n / 2 : n;
  std::array<int, n> indices;
  Statuses statuses;
  MPI_Testsome(n, requests.data(), &count, indices.data(), statuses.data());
  CHECK_EQ(count, 0);
  for (int i = 0; i < n; ++i) {
    if (requests[static_cast<std::size_t>(i)] != MPI_REQUEST_NULL) ask(i);
  }
  while (left > 0) {
    if (testing) {
      MPI_Testsome(n, requests.data(), &count, indices.data(), statuses.data());
    } else {
      MPI_Waitsome(n, requests.data(), &count, indices.data(), statuses.data());
      CHECK(count >= 1);
    }
    if (!CHECK(count >= 0 && count <= left)) return;
    for (int k = 0; k < count; ++k) {
      const int i = indices[static_cast<std::size_t>(k)];
      if (!CHECK(i >= 0 && i < n && !arrived[static_cast<std::size_t>(i)])) return;
      arrived[static_cast<std::size_t>(i)] = true;
      CHECK(requests[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL);
      check_arrived(in, i, statuses[static_cast<std::size_t>(k)]);
    }
    left -= count;
  }
}

void all(bool testing, bool holes) {
  Buffers in;
  Requests requests;
  post(in, requests, holes);
  const Requests before = requests;
  Statuses statuses;
  int flag = 1;
  for (int i = 0; i < n; ++i) {
    if (before[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL) continue;
    // As long as one is missing MPI_Testall completes none of them.
    MPI_Testall(n, requests.data(), &flag, statuses.data());
    CHECK_EQ(flag, 0);
    CHECK(requests == before);
    ask(i);
  }
  if (testing) {
    while (!flag) MPI_Testall(n, requests.data(), &flag, statuses.data());
  } else {
    MPI_Waitall(n, requests.data(), statuses.data());
  }
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::size_t>(i);
    CHECK(requests[index] == MPI_REQUEST_NULL);
    if (before[index] == MPI_REQUEST_NULL) {
      check_empty(statuses[index]);
    } else {
      check_arrived(in, i, statuses[index]);
    }
  }
}

// Sends and receives in one list, many at a time, statuses not wanted.
void mixed() {
  constexpr int many = 300;
  std::vector<int> out(many), in(many, -1);
  std::vector<MPI_Request> requests;
  const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
  for (int i = 0; i < many; ++i) {
    const auto index = static_cast<std::size_t>(i);
    out[index] = check::rank * many + i;
    MPI_Isend(&out[index], 1, MPI_INT, next, i, world, &requests.emplace_back());
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(&in[index], 1, MPI_INT, previous, i, world, &requests.emplace_back());
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (int i = 0; i < many; ++i) CHECK_EQ(in[static_cast<std::size_t>(i)], previous * many + i);
  CHECK(std::count(requests.begin(), requests.end(), MPI_REQUEST_NULL) == static_cast<long>(requests.size()));
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  null_requests();
  mixed();
  MPI_Barrier(world);
  if (check::rank == 0 && check::size > 1) {
    for (const bool testing : {false, true}) {
      one_by_one(testing);
      for (const bool holes : {false, true}) {
        any(testing, holes);
        some(testing, holes);
        all(testing, holes);
      }
    }
    ask(-1);
  } else if (check::rank == 1) {
    answer_until_end();
  }
  return program.finish();
}

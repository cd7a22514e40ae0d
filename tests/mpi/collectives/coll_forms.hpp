// SPDX-License-Identifier: BSD-3-Clause
// Calls a collective function in each of its forms, small and large counts, with the same arguments.
#pragma once

#include <sched.h>

#include <vector>

#include "check.hpp"

namespace coll {

enum class Form { blocking, nonblocking, persistent };
inline constexpr Form forms[] = {Form::blocking, Form::nonblocking, Form::persistent};

// Counts or displacements for either form of a function.
struct Counts {
  std::vector<int> small;
  std::vector<MPI_Count> large;

  void push(int value) {
    small.push_back(value);
    large.push_back(value);
  }
  int operator[](int i) const { return small[static_cast<std::size_t>(i)]; }
  operator const int*() const { return small.data(); }
  operator const MPI_Count*() const { return large.data(); }
};

// Waits in one way or another.
inline void complete(MPI_Request& request, int salt) {
  if (salt % 2 == 0) {
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return;
  }
  int done = 0, code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  for (; done == 0 && code == MPI_SUCCESS; code = MPI_Test(&request, &done, MPI_STATUS_IGNORE)) sched_yield();
  CHECK_EQ(code, MPI_SUCCESS);
}

// One call, or one round of it. The function in its six variants: see FORMS.
template <class B, class N, class P, class... Arguments>
void run(Form form, B blocking, N nonblocking, P init, const Arguments&... arguments) {
  static int salt = 0;
  ++salt;
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == Form::blocking) {
    CHECK_EQ(blocking(arguments...), MPI_SUCCESS);
  } else if (form == Form::nonblocking) {
    CHECK_EQ(nonblocking(arguments..., &request), MPI_SUCCESS);
    complete(request, salt);
    CHECK(request == MPI_REQUEST_NULL);
  } else {
    CHECK_EQ(init(arguments..., MPI_INFO_NULL, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    complete(request, salt);
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  }
}

template <class B, class N, class P, class Bc, class Nc, class Pc, class... Arguments>
void call(Form form, bool large, B b, N n, P p, Bc bc, Nc nc, Pc pc, const Arguments&... arguments) {
  if (large) {
    run(form, bc, nc, pc, arguments...);
  } else {
    run(form, b, n, p, arguments...);
  }
}

}  // namespace coll

#define FORMS(Name, name) \
  MPI_##Name, MPI_I##name, MPI_##Name##_init, MPI_##Name##_c, MPI_I##name##_c, MPI_##Name##_init_c

// SPDX-License-Identifier: BSD-3-Clause
// What is sent arrives, byte for byte and nothing beside it: every size around the protocols' limits, every predefined
// type.
//
// Every rank sends to the next one of a ring and receives from the one before; with one rank it is its own neighbour.
#include <vector>

#include "check.hpp"
#include "datatypes.hpp"

namespace {

constexpr std::size_t guard = 64;  // bytes behind the receive buffer that must stay as they are

enum class Way { isend_recv, irecv_send, sendrecv };

void exchange(const void* out, void* in, int count, MPI_Datatype type, int tag, Way way, MPI_Status& status) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (way) {
    case Way::isend_recv:
      MPI_Isend(out, count, type, check::right(), tag, MPI_COMM_WORLD, &request);
      MPI_Recv(in, count, type, check::left(), tag, MPI_COMM_WORLD, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case Way::irecv_send:
      MPI_Irecv(in, count, type, check::left(), tag, MPI_COMM_WORLD, &request);
      MPI_Send(out, count, type, check::right(), tag, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      break;
    case Way::sendrecv:
      MPI_Sendrecv(out, count, type, check::right(), tag, in, count, type, check::left(), tag, MPI_COMM_WORLD, &status);
      break;
  }
}

void check_size(std::size_t bytes, Way way) {
  const int tag = static_cast<int>(bytes % 32000);
  const auto out = check::patterned(bytes, check::rank, tag);
  std::vector<unsigned char> in(bytes + guard, check::untouched);
  MPI_Status status;
  exchange(out.data(), in.data(), static_cast<int>(bytes), MPI_BYTE, tag, way, status);

  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, static_cast<int>(bytes));
  CHECK_EQ(status.MPI_SOURCE, check::left());
  CHECK_EQ(status.MPI_TAG, tag);
  CHECK_EQ(check::first_difference(in, bytes, check::left(), tag), -1);
}

void check_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 0; bytes <= 260; ++bytes) sizes.push_back(bytes);
  // Limits of protocols lie at powers of two, often less a header; one prime step meets the places between.
  for (std::size_t power = 512; power <= 65536; power *= 2) {
    for (const int near : {-64, -48, -32, -24, -17, -16, -9, -8, -1, 0, 1, 8, 16})
      sizes.push_back(power + static_cast<std::size_t>(near));
  }
  for (std::size_t bytes = 263; bytes <= 70000; bytes += 997) sizes.push_back(bytes);
  for (const std::size_t bytes : {70000UL, 131072UL, 1000003UL, 4194304UL + 1}) sizes.push_back(bytes);

  for (const Way way : {Way::isend_recv, Way::irecv_send, Way::sendrecv}) {
    for (const std::size_t bytes : sizes) check_size(bytes, way);
  }
}

void check_type(const check::Type& type, int count) {
  const std::size_t bytes = type.extent * static_cast<std::size_t>(count);
  const auto out = check::patterned(bytes, check::rank, count);
  std::vector<unsigned char> in(bytes + guard, check::untouched);
  MPI_Status status;
  exchange(out.data(), in.data(), count, type.handle, 5, Way::isend_recv, status);

  int received = -1;
  MPI_Get_count(&status, type.handle, &received);
  CHECK_EQ(received, count);
  const auto wrong_at = [&](std::size_t place) {
    if (place >= bytes) return in[place] != check::untouched;
    const bool right_byte = in[place] == check::pattern(place, check::left(), count);
    return type.carries(place % type.extent) ? !right_byte : !right_byte && in[place] != check::untouched;
  };
  for (std::size_t place = 0; place < in.size(); ++place) {
    if (!wrong_at(place)) continue;
    check::report(__FILE__, __LINE__,
                  std::to_string(count) + " x " + type.name + ": wrong at byte " + std::to_string(place));
    return;
  }
  CHECK(true);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  check_sizes();
  for (const check::Type& type : check::all_types()) {
    for (const int count : {0, 1, 2, 3, 17, 1000, 9000}) check_type(type, count);
  }
  return program.finish();
}

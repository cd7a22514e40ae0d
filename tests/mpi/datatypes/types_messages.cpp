// SPDX-License-Identifier: BSD-3-Clause
// Messages of derived datatypes: between different layouts with one signature, short and long, in every mode; cut in
// the middle of an element; from absolute addresses; with datatypes that are freed while the message is under way.
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

MPI_Datatype committed(MPI_Datatype type) {
  CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  return type;
}

// `rows` by `columns` ints: sends column 1 as it stands, receives it as row 0 of a transposed matrix, and the reverse.
void column_to_row(int rows) {
  constexpr int columns = 3;
  const auto n = static_cast<std::size_t>(rows);
  MPI_Datatype column;
  CHECK_EQ(MPI_Type_vector(rows, 1, columns, MPI_INT, &column), MPI_SUCCESS);
  column = committed(column);
  std::vector<int> matrix(n * columns);
  std::iota(matrix.begin(), matrix.end(), 1000 * check::rank);
  std::vector<int> row(n, -1);
  CHECK_EQ(MPI_Sendrecv(&matrix[1], 1, column, check::right(), 1, row.data(), rows, MPI_INT, check::left(), 1, world,
                        MPI_STATUS_IGNORE),
           MPI_SUCCESS);
  bool same = true;
  for (std::size_t i = 0; i < n; ++i) same = same && row[i] == 1000 * check::left() + 1 + static_cast<int>(i) * columns;
  CHECK(same);

  std::vector<int> target(n * columns, -1);
  MPI_Status status;
  CHECK_EQ(MPI_Sendrecv(row.data(), rows, MPI_INT, check::right(), 2, &target[2], 1, column, check::left(), 2, world,
                        &status),
           MPI_SUCCESS);
  int count = -1, elements = -1;
  CHECK_EQ(MPI_Get_count(&status, column, &count), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_elements(&status, column, &elements), MPI_SUCCESS);
  CHECK_EQ(count, 1);
  CHECK_EQ(elements, rows);
  const int source = (check::left() + check::size - 1) % check::size;
  same = true;
  for (std::size_t i = 0; i < n; ++i) {
    same = same && target[3 * i] == -1 && target[3 * i + 1] == -1 &&
           target[3 * i + 2] == 1000 * source + 1 + static_cast<int>(i) * columns;
  }
  CHECK(same);
  CHECK_EQ(MPI_Type_free(&column), MPI_SUCCESS);
  CHECK(column == MPI_DATATYPE_NULL);
}

struct Particle {
  char kind;
  double place[3];
  int charge;
};

MPI_Datatype particle_type() {
  const std::array<int, 3> lengths{1, 3, 1};
  const std::array<MPI_Aint, 3> places{offsetof(Particle, kind), offsetof(Particle, place), offsetof(Particle, charge)};
  const std::array<MPI_Datatype, 3> types{MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype type;
  CHECK_EQ(MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), &type), MPI_SUCCESS);
  MPI_Aint lb = -1, extent = -1;
  CHECK_EQ(MPI_Type_get_extent(type, &lb, &extent), MPI_SUCCESS);
  CHECK_EQ(lb, 0);
  CHECK_EQ(extent, static_cast<MPI_Aint>(sizeof(Particle)));
  return committed(type);
}

// Two and a half elements into a buffer of four: counts tell how far it got.
void partial_receive() {
  MPI_Datatype particle = particle_type();
  std::array<Particle, 3> out{};
  for (int i = 0; i < 3; ++i) out[static_cast<std::size_t>(i)] = {'a', {1.5 + i, 2.5, 3.5}, 7 + i};
  std::array<std::byte, 3 * 29> packed;
  int position = 0;
  CHECK_EQ(MPI_Pack(out.data(), 3, particle, packed.data(), static_cast<int>(packed.size()), &position, world),
           MPI_SUCCESS);
  CHECK_EQ(position, 3 * 29);
  std::array<Particle, 4> in{};
  MPI_Status status;
  constexpr int bytes = 2 * 29 + 1 + 8;
  CHECK_EQ(MPI_Sendrecv(packed.data(), bytes, MPI_PACKED, check::right(), 3, in.data(), 4, particle, check::left(), 3,
                        world, &status),
           MPI_SUCCESS);
  int count = -1, elements = -1;
  CHECK_EQ(MPI_Get_count(&status, particle, &count), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_elements(&status, particle, &elements), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  CHECK_EQ(elements, 2 * 5 + 2);
  CHECK_EQ(in[2].place[0], 3.5);
  CHECK_EQ(in[2].place[1], 0.0);
  CHECK_EQ(in[1].charge, 8);
  CHECK_EQ(MPI_Status_set_elements(&status, particle, 6), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_elements(&status, particle, &elements), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_count(&status, particle, &count), MPI_SUCCESS);
  CHECK_EQ(elements, 6);
  CHECK_EQ(count, MPI_UNDEFINED);
  CHECK_EQ(MPI_Type_free(&particle), MPI_SUCCESS);
}

void absolute_addresses() {
  int first = 10 + check::rank;
  double second = 0.5 + check::rank;
  int got_first = -1;
  double got_second = -1;
  const auto at = [](void* one, void* other) {
    std::array<MPI_Aint, 2> places;
    MPI_Get_address(one, &places[0]);
    MPI_Get_address(other, &places[1]);
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
    MPI_Datatype type;
    CHECK_EQ(MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &type), MPI_SUCCESS);
    return committed(type);
  };
  MPI_Datatype from = at(&first, &second), to = at(&got_first, &got_second);
  CHECK_EQ(MPI_Sendrecv(MPI_BOTTOM, 1, from, check::right(), 4, MPI_BOTTOM, 1, to, check::left(), 4, world,
                        MPI_STATUS_IGNORE),
           MPI_SUCCESS);
  CHECK_EQ(got_first, 10 + check::left());
  CHECK_EQ(got_second, 0.5 + check::left());
  MPI_Type_free(&from);
  MPI_Type_free(&to);
}

// The receive is posted, and the send is made, with types that their owner frees at once.
void free_in_flight(int count) {
  const auto n = static_cast<std::size_t>(count);
  std::vector<double> out(2 * n), in(2 * n, -1.0);
  for (std::size_t i = 0; i < n; ++i) out[2 * i] = static_cast<double>(i) + check::rank;
  const auto every_other = [&] {
    MPI_Datatype type;
    CHECK_EQ(MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &type), MPI_SUCCESS);
    return committed(type);
  };
  MPI_Datatype sent = every_other(), received = every_other();
  std::array<MPI_Request, 2> requests;
  CHECK_EQ(MPI_Irecv(in.data(), 1, received, check::left(), 5, world, &requests[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Isend(out.data(), 1, sent, check::right(), 5, world, &requests[1]), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&sent), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&received), MPI_SUCCESS);
  MPI_Datatype other;  // takes the memory, if it was given up too early
  CHECK_EQ(MPI_Type_contiguous(3, MPI_CHAR, &other), MPI_SUCCESS);
  CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  bool same = true;
  for (std::size_t i = 0; i < n; ++i)
    same = same && in[2 * i] == static_cast<double>(i) + check::left() && in[2 * i + 1] == -1.0;
  CHECK(same);
  CHECK_EQ(MPI_Type_free(&other), MPI_SUCCESS);
}

// One run of bytes that does not begin at the address, and one with a hole behind it.
void displaced_runs(int length) {
  const auto n = static_cast<std::size_t>(length);
  const int place = 5;
  MPI_Datatype displaced, padded;
  CHECK_EQ(MPI_Type_indexed(1, &length, &place, MPI_INT, &displaced), MPI_SUCCESS);
  displaced = committed(displaced);
  CHECK_EQ(MPI_Type_create_resized(displaced, 0, static_cast<MPI_Aint>((n + 20) * sizeof(int)), &padded), MPI_SUCCESS);
  padded = committed(padded);
  std::vector<int> out(2 * n + 40, -1), in(2 * n + 40, -1);
  for (std::size_t i = 0; i < 2 * n; ++i) out[5 + i] = static_cast<int>(i) + check::rank;
  for (const MPI_Datatype type : {displaced, padded}) {
    in.assign(in.size(), -1);
    CHECK_EQ(MPI_Sendrecv(out.data(), 1, displaced, check::right(), 6, in.data(), 1, type, check::left(), 6, world,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    bool same = in[4] == -1 && in[5 + n] == -1;
    for (std::size_t i = 0; i < n; ++i) same = same && in[5 + i] == static_cast<int>(i) + check::left();
    CHECK(same);
  }
  CHECK_EQ(MPI_Sendrecv(out.data(), 2, displaced, check::right(), 7, in.data(), 2, padded, check::left(), 7, world,
                        MPI_STATUS_IGNORE),
           MPI_SUCCESS);
  bool same = true;
  for (std::size_t i = 0; i < n; ++i) {
    same = same && in[5 + i] == static_cast<int>(i) + check::left() &&
           in[n + 25 + i] == static_cast<int>(n + i) + check::left();
  }
  CHECK(same);
  MPI_Type_free(&displaced);
  MPI_Type_free(&padded);
}

void broadcast(int rows) {
  MPI_Datatype column;
  CHECK_EQ(MPI_Type_vector(rows, 1, 2, MPI_INT, &column), MPI_SUCCESS);
  column = committed(column);
  std::vector<int> data(2 * static_cast<std::size_t>(rows), -1);
  for (std::size_t i = 0; i < data.size() && check::rank == 0; i += 2) data[i] = static_cast<int>(i);
  CHECK_EQ(MPI_Bcast(data.data(), 1, column, 0, world), MPI_SUCCESS);
  bool same = true;
  for (std::size_t i = 0; i < data.size(); ++i) same = same && data[i] == (i % 2 == 0 ? static_cast<int>(i) : -1);
  CHECK(same);
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (const int rows : {1, 2, 10, 1000, 5000, 200000}) {
    column_to_row(rows);
    free_in_flight(rows);
    displaced_runs(rows);
    broadcast(rows);
  }
  partial_receive();
  absolute_addresses();
  return program.finish();
}

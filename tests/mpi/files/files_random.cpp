// SPDX-License-Identifier: BSD-3-Clause
// Random views, buffers and access functions on all ranks against a plain array of bytes. The arguments are hints, as
// key=value, which force a way of access. With regroup=1 the hints change before each access that decide which
// processes merge their data, and which of them access the file. The seed is that of the variable TEST_SEED, or one of
// a fixed few.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "files.hpp"

namespace {

using files::Bytes;

int failed_round = -1;

// Draws the same numbers on all ranks.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int upto(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
  int between(int least, int most) { return least + upto(most - least); }
  bool chance(int in) { return upto(in - 1) == 0; }

 private:
  std::mt19937 random_;
};

// A part of the file for each rank: cells of some bytes, dealt out at random or in turns, again and again.
struct Pattern {
  int cell;                // bytes of an etype
  std::vector<int> owner;  // of each cell of a tile; -1: nobody
  int extent;              // cells from one tile to the next
  int displacement;

  static Pattern make(Random& random) {
    Pattern made;
    made.cell = random.chance(2) ? 1 << random.upto(3) : random.between(1, 12);
    const int cells = random.between(1, random.chance(3) ? 300 : 24);
    const bool in_turns = random.chance(2);
    const int run = random.between(1, 4), holes = random.chance(2) ? 0 : random.between(1, 3);
    for (int i = 0; i < cells; ++i) {
      const int turn = i / run % (check::size + holes);
      int who = in_turns ? turn : random.upto(check::size - 1 + holes);
      if (who >= check::size) who = -1;
      made.owner.push_back(who);
    }
    made.extent = cells + (random.chance(3) ? random.upto(9) : 0);
    made.displacement = random.chance(2) ? 0 : random.upto(5000);
    return made;
  }

  std::vector<int> cells_of(int rank) const {
    std::vector<int> cells;
    for (int i = 0; i < static_cast<int>(owner.size()); ++i)
      if (owner[static_cast<std::size_t>(i)] == rank) cells.push_back(i);
    return cells;
  }
  // The offset of a byte of a rank's view.
  std::size_t offset_of(const std::vector<int>& cells, long byte) const {
    const long etype = byte / cell, tile = etype / static_cast<long>(cells.size());
    const long in_tile = cells[static_cast<std::size_t>(etype % static_cast<long>(cells.size()))];
    return static_cast<std::size_t>(displacement + (tile * extent + in_tile) * cell + byte % cell);
  }
};

// The datatypes of this rank's view, freed at the end.
class View {
 public:
  View(const Pattern& pattern, int rank) {
    const std::vector<int> cells = pattern.cells_of(rank);
    MPI_Type_contiguous(pattern.cell, MPI_BYTE, &etype_);
    MPI_Type_commit(&etype_);
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(static_cast<int>(cells.size()), 1, cells.data(), etype_, &blocks);
    MPI_Type_create_resized(blocks, 0, MPI_Aint{pattern.extent} * pattern.cell, &filetype_);
    MPI_Type_commit(&filetype_);
    MPI_Type_free(&blocks);
  }
  ~View() {
    MPI_Type_free(&etype_);
    MPI_Type_free(&filetype_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  void set(MPI_File file, const Pattern& pattern) const {
    CHECK_EQ(MPI_File_set_view(file, pattern.displacement, etype_, filetype_, "native", MPI_INFO_NULL), MPI_SUCCESS);
  }

 private:
  MPI_Datatype etype_ = MPI_DATATYPE_NULL, filetype_ = MPI_DATATYPE_NULL;
};

// A user's buffer: `count` elements of `each` bytes of data, in one run or with holes.
struct Buffer {
  int count = 0, each = 1, block = 1, gap = 0;
  MPI_Datatype type = MPI_BYTE;
  Bytes memory;

  static Buffer make(Random& random, int cell, int most) {
    Buffer made;
    made.each = cell * random.between(1, 6);
    made.count = random.chance(6) ? 0 : random.upto(most);
    made.block = random.chance(2) ? made.each : random.between(1, made.each);
    made.gap = random.chance(2) ? 0 : random.between(1, 5);
    return made;
  }
  // Makes the datatype and the memory. Blocks of `block` bytes, the last of them shorter, with gaps behind them.
  void realize() {
    std::vector<int> lengths, places;
    for (int at = 0, place = 0; at < each; at += block, place += block + gap) {
      lengths.push_back(std::min(block, each - at));
      places.push_back(place);
    }
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, extent(), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&blocks);
    memory.assign(static_cast<std::size_t>(extent()) * static_cast<std::size_t>(count) + 1, 0xee);
  }
  void free() { MPI_Type_free(&type); }
  int extent() const { return each + (each - 1) / block * gap + gap; }
  long bytes() const { return long{count} * each; }
  unsigned char& at(long byte) {
    const long element = byte / each, in = byte % each;
    return memory[static_cast<std::size_t>(element * extent() + in / block * (block + gap) + in % block)];
  }
};

unsigned char value(int round, int rank, long byte) {
  return static_cast<unsigned char>((byte * 31 + rank * 77 + round * 13) % 251 + 1);
}

// What the ranks do in a round: the same function, each with a start and a buffer of its own.
struct Plan {
  int function;
  std::vector<int> starts;  // in etypes
  std::vector<Buffer> buffers;

  static Plan make(Random& random, const Pattern& pattern) {
    Plan made;
    made.function = random.upto(8);
    const int most = random.chance(8) ? 3000 : 40;
    for (int rank = 0; rank < check::size; ++rank) {
      made.starts.push_back(random.upto(60));
      made.buffers.push_back(Buffer::make(random, pattern.cell, most));
      if (pattern.cells_of(rank).empty()) made.buffers.back().count = 0;
    }
    return made;
  }
};

// Calls one of the data access functions; returns the bytes in its status.
int call(MPI_File file, bool writes, int function, int start, Buffer& buffer, int cell) {
  void* const memory = buffer.memory.data();
  const int n = buffer.count;
  MPI_Datatype type = buffer.type;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (function == 1 || function == 3 || function == 4 || function == 6 || function == 8)
    MPI_File_seek(file, start, MPI_SEEK_SET);
  switch (function) {
    case 0:
      code = writes ? MPI_File_write_at_all(file, start, memory, n, type, &status)
                    : MPI_File_read_at_all(file, start, memory, n, type, &status);
      break;
    case 1:
      code = writes ? MPI_File_write_all(file, memory, n, type, &status)
                    : MPI_File_read_all(file, memory, n, type, &status);
      break;
    case 2:
      code = writes ? MPI_File_iwrite_at_all(file, start, memory, n, type, &request)
                    : MPI_File_iread_at_all(file, start, memory, n, type, &request);
      break;
    case 3:
      code = writes ? MPI_File_iwrite_all(file, memory, n, type, &request)
                    : MPI_File_iread_all(file, memory, n, type, &request);
      break;
    case 4:
      code = writes ? MPI_File_write_all_begin(file, memory, n, type) : MPI_File_read_all_begin(file, memory, n, type);
      CHECK_EQ(code, MPI_SUCCESS);
      code = writes ? MPI_File_write_all_end(file, memory, &status) : MPI_File_read_all_end(file, memory, &status);
      break;
    case 5:
      code = writes ? MPI_File_write_at(file, start, memory, n, type, &status)
                    : MPI_File_read_at(file, start, memory, n, type, &status);
      break;
    case 6:
      code = writes ? MPI_File_write(file, memory, n, type, &status) : MPI_File_read(file, memory, n, type, &status);
      break;
    case 7:
      code = writes ? MPI_File_iwrite_at(file, start, memory, n, type, &request)
                    : MPI_File_iread_at(file, start, memory, n, type, &request);
      break;
    default:
      code =
          writes ? MPI_File_iwrite(file, memory, n, type, &request) : MPI_File_iread(file, memory, n, type, &request);
  }
  if (code != MPI_SUCCESS) std::fprintf(stderr, "%s\n", files::sentence_of(code).c_str());
  CHECK_EQ(code, MPI_SUCCESS);
  if (request != MPI_REQUEST_NULL) CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  if (function == 1 || function == 3 || function == 4 || function == 6 || function == 8) {
    MPI_Offset position = -1;
    MPI_File_get_position(file, &position);
    CHECK_EQ(position - start, buffer.bytes() / cell);
  }
  int bytes = -1;
  MPI_Get_elements(&status, MPI_BYTE, &bytes);
  return bytes;
}

void check_file(const std::string& name, const Bytes& expected, const char* when) {
  if (check::rank == 0) {
    const Bytes found = files::bytes_of(name);
    CHECK_EQ(found.size(), expected.size());
    const auto different =
        std::mismatch(found.begin(), found.begin() + static_cast<long>(std::min(found.size(), expected.size())),
                      expected.begin())
            .first;
    if (different != found.end() && !(found == expected))
      std::fprintf(stderr, "round %d, %s: byte %ld of the file differs\n", failed_round, when,
                   static_cast<long>(different - found.begin()));
    CHECK(found == expected);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void check_write(MPI_File file, const std::string& name, Bytes& model, int round, Random& random) {
  const Pattern pattern = Pattern::make(random);
  Plan plan = Plan::make(random, pattern);
  const View view(pattern, check::rank);
  view.set(file, pattern);
  for (int rank = 0; rank < check::size; ++rank) {
    const std::vector<int> cells = pattern.cells_of(rank);
    const Buffer& buffer = plan.buffers[static_cast<std::size_t>(rank)];
    for (long byte = 0; byte < buffer.bytes(); ++byte) {
      const std::size_t offset =
          pattern.offset_of(cells, byte + long{plan.starts[static_cast<std::size_t>(rank)]} * pattern.cell);
      if (offset >= model.size()) model.resize(offset + 1);
      model[offset] = value(round, rank, byte);
    }
  }
  const auto mine = static_cast<std::size_t>(check::rank);
  Buffer& buffer = plan.buffers[mine];
  buffer.realize();
  for (long byte = 0; byte < buffer.bytes(); ++byte) buffer.at(byte) = value(round, check::rank, byte);
  CHECK_EQ(call(file, true, plan.function, plan.starts[mine], buffer, pattern.cell), buffer.bytes());
  buffer.free();
  MPI_Barrier(MPI_COMM_WORLD);
  check_file(name, model, "written");
}

void check_read(MPI_File file, const Bytes& model, Random& random) {
  const Pattern pattern = Pattern::make(random);
  Plan plan = Plan::make(random, pattern);
  // Several ranks may read the same data.
  const int whose = random.chance(2) ? check::rank : 0;
  const View view(pattern, whose);
  view.set(file, pattern);
  const auto mine = static_cast<std::size_t>(check::rank);
  Buffer buffer = plan.buffers[mine];
  const std::vector<int> cells = pattern.cells_of(whose);
  if (cells.empty()) buffer.count = 0;
  buffer.realize();
  Buffer expected = buffer;
  long there = 0;
  for (; there < buffer.bytes(); ++there) {
    const std::size_t offset = pattern.offset_of(cells, there + long{plan.starts[mine]} * pattern.cell);
    if (offset >= model.size()) break;
    expected.at(there) = model[offset];
  }
  CHECK_EQ(call(file, false, plan.function, plan.starts[mine], buffer, pattern.cell), there);
  CHECK(buffer.memory == expected.memory);
  buffer.free();
}

void regroup(MPI_File file, Random& random) {
  const files::Hints hints;
  const auto set = [&](const char* key, int value) { MPI_Info_set(hints, key, std::to_string(value).c_str()); };
  set("bowline_cb_unit", random.between(1, check::size));
  set("cb_nodes", random.between(1, check::size + 1));
  set("cb_buffer_size", random.between(1, 3) * 20000);
  MPI_Info_set(hints, "bowline_cb_two_level", random.chance(4) ? "disable" : "automatic");
  CHECK_EQ(MPI_File_set_info(file, hints), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const files::Hints hints;
  int rounds = 40;
  bool regroups = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const std::size_t at = argument.find('=');
    const std::string key = argument.substr(0, at);
    if (key == "rounds") {
      rounds = std::atoi(argument.c_str() + at + 1);
    } else if (key == "regroup") {
      regroups = true;
    } else {
      MPI_Info_set(hints, key.c_str(), argument.c_str() + at + 1);
    }
  }
  const char* const wanted = std::getenv("TEST_SEED");
  const std::vector<unsigned> seeds =
      wanted != nullptr ? std::vector<unsigned>{static_cast<unsigned>(std::strtoul(wanted, nullptr, 10))}
                        : std::vector<unsigned>{1, 2, 3};
  {
    const files::Name name("random");
    for (const unsigned seed : seeds) {
      Random random(seed);
      Bytes model(static_cast<std::size_t>(random.upto(3000)));
      for (unsigned char& each : model) each = static_cast<unsigned char>(random.upto(255));
      if (check::rank == 0) files::make(name.text(), model);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File file = files::open(MPI_COMM_WORLD, name.get(), MPI_MODE_RDWR, hints);
      for (int round = 0; round < rounds; ++round) {
        const long failed = check::failed;
        failed_round = round;
        if (regroups) regroup(file, random);
        check_write(file, name.text(), model, round, random);
        if (regroups) regroup(file, random);
        check_read(file, model, random);
        if (check::failed > failed) std::fprintf(stderr, "rank %d: TEST_SEED=%u, round %d\n", check::rank, seed, round);
      }
      files::close(file);
    }
  }
  return program.finish();
}

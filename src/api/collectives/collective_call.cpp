// SPDX-License-Identifier: BSD-3-Clause
#include "api/collectives/collective_call.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "coll/calls/call_comparison.hpp"
#include "coll/calls/collective_events.hpp"
#include "coll/calls/drive.hpp"
#include "coll/calls/inter.hpp"
#include "comm/process_topology.hpp"

namespace bowline::api {
namespace {

std::uintptr_t address_of(const void* buffer) noexcept {
  return reinterpret_cast<std::uintptr_t>(buffer);
}

std::byte* bytes_at(std::uintptr_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

// ---- one run of bytes

std::span<std::byte> CollectiveCall::in_and_out(void* buffer, std::size_t count, const dtype::Datatype& type) {
  const std::span<std::byte> both = output(buffer, count, type);
  own({both.data(), both.size()}, 0, {address_of(buffer), count, &type});
  return both;
}

// ---- blocks

coll::Blocks CollectiveCall::copies(const void* buffer, std::size_t count, const dtype::Datatype& type, int members) {
  return staged_run(in_, buffer, count, type, members);
}

coll::Blocks CollectiveCall::inputs(const MemberBlocks& pieces, int members) {
  return table_of(in_, in_blocks_, pieces, members, Stage::if_holes);
}

coll::Blocks CollectiveCall::outputs(const MemberBlocks& pieces, int members) {
  return table_of(out_, out_blocks_, pieces, members, Stage::if_holes);
}

coll::Blocks CollectiveCall::copies(const MemberBlocks& pieces, int members) {
  return table_of(in_, in_blocks_, pieces, members, Stage::always);
}

std::span<const std::byte> CollectiveCall::own(const coll::Blocks& outputs, int member, const Piece& piece) {
  const std::span<std::byte> block = outputs[member];
  if (!piece.type->contiguous()) {
    in_.reserve(0, 1);
    in_.add(*piece.type, piece.count, piece.address, block.data());
  }
  return block;
}

coll::Blocks CollectiveCall::staged_run(Staging& staging, const void* buffer, std::size_t count,
                                        const dtype::Datatype& type, int members) {
  const std::size_t each = count * type.size();
  const auto blocks = static_cast<std::size_t>(members);
  staging.reserve(blocks * each, 1);
  staging.add(type, blocks * count, address_of(buffer), staging.memory());
  return {staging.memory(), each};
}

coll::Blocks CollectiveCall::table_of(Staging& staging, BlockTable& table, const MemberBlocks& pieces, int members,
                                      Stage stage) {
  coll::Block* const blocks = table.make(static_cast<std::size_t>(members));
  const auto is_staged = [stage](const Piece& piece) { return stage == Stage::always || !piece.type->contiguous(); };
  const bool all_alike = pieces.type() != nullptr && stage == Stage::if_holes && pieces.type()->contiguous();
  std::size_t bytes = 0;
  std::size_t moves = 0;
  for (int i = 0; !all_alike && i < members; ++i) {
    const Piece piece = pieces[i];
    if (!is_staged(piece)) continue;
    bytes += piece.bytes();
    ++moves;
  }
  if (moves > 0) staging.reserve(bytes, moves);

  std::byte* next = staging.memory();
  std::byte* base = nullptr;  // the first block with data; the offsets of the other blocks count from it
  for (int i = 0; i < members; ++i) {
    const Piece piece = pieces[i];
    coll::Block& block = blocks[i];
    block = {0, piece.bytes()};
    if (block.bytes == 0) continue;
    std::byte* data = bytes_at(piece.address + static_cast<std::uintptr_t>(piece.type->origin()));
    if (moves > 0 && is_staged(piece)) {
      staging.add(*piece.type, piece.count, piece.address, next);
      data = std::exchange(next, next + block.bytes);
    }
    if (base == nullptr) base = data;
    block.offset = static_cast<std::ptrdiff_t>(address_of(data) - address_of(base));
  }
  return {base, blocks};
}

// ---- reductions

std::span<std::byte> CollectiveCall::in_place(void* buffer, std::size_t count, std::size_t results) {
  const std::size_t bytes = count * reduction_->element();
  if (!reduction_->packed()) return {static_cast<std::byte*>(buffer), bytes};
  in_.reserve(bytes, 1);
  in_.add(reduction_->type(), count, address_of(buffer), in_.memory());
  out_.reserve(0, 1);
  out_.add(reduction_->type(), results, address_of(buffer), in_.memory());
  return {in_.memory(), bytes};
}

coll::Blocks CollectiveCall::parts(CountArray counts, int members) {
  const auto count = static_cast<std::size_t>(members);
  coll::Block* const blocks = out_blocks_.make(count);
  std::ptrdiff_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = static_cast<std::size_t>(counts[i]) * reduction_->element();
    blocks[i] = {offset, bytes};
    offset += static_cast<std::ptrdiff_t>(bytes);
  }
  return {const_cast<std::byte*>(arguments.input.data()), blocks};
}

// ---- neighbourhoods

void CollectiveCall::meet_grid(const comm::Cartesian& grid) {
  const std::size_t dimensions = grid.dims.size();
  const std::size_t count = 2 * dimensions;
  const bool torus = std::ranges::all_of(grid.periodic, [](bool periodic) { return periodic; });
  Neighbourhood& here = *neighbourhood_;
  here.around.make(count + (torus ? count * dimensions : 0));
  grid.neighbours(comm_.rank(), here.around.data());
  const std::span<const int> around(here.around.data(), count);
  here.neighbours = {.sources = around, .destinations = around, .grid = true};
  if (torus) {
    const std::span<int> offsets(here.around.data() + count, count * dimensions);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::size_t neighbour = i / dimensions;
      offsets[i] = neighbour / 2 != i % dimensions ? 0 : neighbour % 2 == 0 ? -1 : 1;
    }
    here.torus = {.dims = grid.dims, .offsets = offsets};
    here.neighbours.torus = &here.torus;
  } else {
    keeps_output_ = std::ranges::any_of(around, [](int rank) { return rank < 0; });
  }
}

const coll::Neighbours& CollectiveCall::meet_neighbours() {
  const comm::Topology* const topology = comm_.topology();
  if (topology == nullptr) {
    throw Error(ErrorClass::topology,
                "comm has no topology: give a communicator made by MPI_Cart_create, MPI_Graph_create, "
                "MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent");
  }
  coll::Neighbours& neighbours = neighbourhood_.emplace().neighbours;
  if (const auto* const grid = std::get_if<comm::Cartesian>(topology)) {
    meet_grid(*grid);
  } else if (const auto* const graph = std::get_if<comm::Graph>(topology)) {
    const std::span<const int> around = graph->neighbours(comm_.rank());
    neighbours = {.sources = around, .destinations = around};
  } else {
    const auto& part = std::get<comm::DistributedGraph>(*topology);
    neighbours = {.sources = part.sources, .destinations = part.destinations};
  }
  arguments.neighbours = &neighbours;
  return neighbours;
}

// ---- execution

std::size_t CollectiveCall::moves() const noexcept {
  const std::size_t bytes = arguments.input.size() + arguments.result.size();
  if (arguments.reduction != nullptr) return bytes;  // the blocks of a reduction are parts of these bytes
  const coll::Neighbours* const around = arguments.neighbours;
  const int to = around == nullptr ? comm_.peers() : static_cast<int>(around->destinations.size());
  const int from = around == nullptr ? comm_.peers() : static_cast<int>(around->sources.size());
  return bytes + arguments.send.total(to) + arguments.receive.total(from);
}

Task CollectiveCall::begin(coll::TeamChannel& channel, coll::CallForm form) {
  if (!comm_.inter()) return coll::begin(channel, operation_, arguments, form);
  const coll::ToldCall call(channel, operation_, arguments);
  Task task = coll::begin_inter(comm_.local_team(), comm_.bridge()->local_first, channel, operation_, arguments);
  if (coll::checks_collectives())
    task = coll::checked(channel, coll::describe_inter(channel.rank(), operation_, form, arguments), std::move(task));
  return call.until_end(std::move(task));
}

void CollectiveCall::run() {
  before();
  coll::Team& team = comm_.team();
  if (!comm_.inter()) [[likely]] {
    coll::run(team, operation_, arguments);
  } else {
    team.refuse_if_interrupted();
    coll::drive(team, team.blocking.next_tag(), next_id(coll::CallForm::blocking),
                [this](coll::TeamChannel& channel) { return begin(channel, coll::CallForm::blocking); });
  }
  after();
}

}  // namespace bowline::api

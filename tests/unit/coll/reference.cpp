// SPDX-License-Identifier: BSD-3-Clause
#include "reference.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "engines.hpp"
#include "predefined_handles.hpp"
#include "registered.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

using Matrix = std::array<std::uint32_t, 4>;

Matrix product(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

/// Holds one letter of each of 32 members.
struct Text {
  std::array<char, 40> letters;
};

Text concatenation(const Text& a, const Text& b) {
  const std::size_t left = std::strlen(a.letters.data());
  const std::size_t right = std::strlen(b.letters.data());
  Text both = a;
  EXPECT_LT(left + right, both.letters.size()) << "somebody was counted twice";
  std::memcpy(both.letters.data() + left, b.letters.data(), std::min(right, both.letters.size() - left - 1));
  return both;
}

template <class T, T (*combine)(const T&, const T&)>
void user_function(void* context, const void* in, void* inout, std::size_t count, const dtype::Datatype&) {
  auto& calls = *static_cast<Calls*>(context);
  ++calls.times;
  calls.longest = std::max(calls.longest, count);
  for (std::size_t i = 0; i < count; ++i) {
    T left, right;
    std::memcpy(&left, static_cast<const T*>(in) + i, sizeof(T));
    std::memcpy(&right, static_cast<T*>(inout) + i, sizeof(T));
    const T result = combine(left, right);
    std::memcpy(static_cast<T*>(inout) + i, &result, sizeof(T));
  }
}

template <class T>
ReferenceOperator::Operand operand_of(T (*make)(std::uint32_t member, std::uint32_t place)) {
  return [make](int member, std::size_t place, std::byte* element) {
    const T value = make(static_cast<std::uint32_t>(member), static_cast<std::uint32_t>(place));
    std::memcpy(element, &value, sizeof(T));
  };
}

std::int64_t number_of(std::uint32_t member, std::uint32_t place) {
  return (std::int64_t{1} << member) + (std::int64_t{place} << 40);  // shows who is missing or counted twice
}
Matrix matrix_of(std::uint32_t member, std::uint32_t place) {
  return {member + 2, place + 1, 3 * member + 1, member * place + 5};
}
Text text_of(std::uint32_t member, std::uint32_t place) {
  Text text{};
  if ((member + place) % 5 != 4) text.letters[0] = static_cast<char>('A' + member);
  return text;
}

/// Few enough to be run in many cases, and both ends.
std::vector<int> roots_of(int size) {
  std::vector<int> roots = {0, 1, size / 2, size - 1};
  std::ranges::sort(roots);
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  std::erase_if(roots, [size](int root) { return root >= size; });
  return roots;
}

}  // namespace

std::vector<const Algorithm*> all_of(Operation operation) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms(operation)) all.push_back(&algorithm);
  return all;
}

std::string name_of_algorithm(const testing::TestParamInfo<const Algorithm*>& info) {
  return std::string(info.param->name);
}

std::string Case::describe() const {
  return std::string(algorithm.name) + ", seed " + std::to_string(seed) + ", " + std::to_string(size) +
         " members, root " + std::to_string(root) + ", " + std::to_string(count) + " elements in segments of " +
         std::to_string(segment_elements) + (in_place ? ", in place" : "") + (over_engines ? ", over engines" : "");
}

void for_all_cases(const Algorithm& algorithm, const Cases& cases, const std::function<void(const Case&)>& run) {
  const std::vector<std::size_t> segments = algorithm.segmented ? cases.segments : std::vector<std::size_t>{0};
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : cases.over_engines ? std::vector<int>{5} : sizes_for(algorithm)) {
      for (const int root : cases.rooted ? roots_of(size) : std::vector<int>{0}) {
        for (const std::size_t count : cases.counts) {
          for (const std::size_t segment : segments) {
            for (const bool in_place : {false, true}) {
              if (in_place && !cases.in_place) continue;
              const Case now{algorithm, seed, size, root, count, segment, in_place, cases.over_engines};
              run(now);
              if (testing::Test::HasFailure()) FAIL() << now.describe();
            }
          }
        }
      }
    }
  }
}

std::vector<int> run_case(const Case& now, const std::vector<Arguments>& arguments) {
  const auto task_of = [&](Channel& channel) {
    return now.algorithm.run(channel, arguments[static_cast<std::size_t>(channel.rank())]);
  };
  if (now.over_engines) {
    run_over_engines(now.size, now.seed, task_of);
    return {};
  }
  Model model(now.size, now.seed, now.algorithm.shared);
  model.run(task_of);
  return model.sends();
}

Bytes pattern(std::uint32_t seed, int member, std::size_t bytes) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(member) * 29 + seed * 101 + 1);
  }
  return data;
}

Bytes ReferenceOperator::operand(int member, std::size_t count) const {
  Bytes data(count * reduction.element());
  for (std::size_t i = 0; i < count; ++i) operand_(member, i, data.data() + i * reduction.element());
  return data;
}

Bytes ReferenceOperator::combined(int first, int last, std::size_t count) const {
  Bytes result = operand(first, count);
  for (int member = first + 1; member < last; ++member) {
    Bytes next = operand(member, count);
    reduction.combine(result.data(), next);
    result = std::move(next);
  }
  return result;
}

ReferenceOperators::ReferenceOperators() {
  const auto type_of = [this](std::size_t bytes) -> const dtype::Datatype& {
    dtype::Envelope envelope;
    envelope.combiner = dtype::Combiner::contiguous;
    envelope.integers = {static_cast<int>(bytes)};
    types_.push_back(&dtype::compose(std::move(envelope), {dtype::TypeRef(dtype::byte_type())}));
    types_.back()->commit();
    return *types_.back();
  };
  const auto op_of = [this](auto* function) -> const dtype::Op& {
    made_.push_back(&dtype::Op::make({function, &calls_}, false));
    return *made_.back();
  };
  operators_.emplace_back("sum", *dtype::predefined_op(mpi_sum), *dtype::predefined_datatype(mpi_int64),
                          operand_of(number_of));
  operators_.emplace_back("matrix product", op_of(user_function<Matrix, product>), type_of(sizeof(Matrix)),
                          operand_of(matrix_of));
  operators_.emplace_back("concatenation", op_of(user_function<Text, concatenation>), type_of(sizeof(Text)),
                          operand_of(text_of));
}

ReferenceOperators::~ReferenceOperators() {
  operators_.clear();
  for (dtype::Op* op : made_) op->drop_handle();
  for (dtype::Datatype* type : types_) type->drop_handle();
}

std::vector<const ReferenceOperator*> ReferenceOperators::serving(const Algorithm& algorithm) const {
  std::vector<const ReferenceOperator*> serving;
  for (const ReferenceOperator& each : operators_) {
    if (algorithm.ordered || each.reduction.commutative()) serving.push_back(&each);
  }
  return serving;
}

}  // namespace bowline::coll

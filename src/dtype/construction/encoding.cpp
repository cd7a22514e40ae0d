// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/construction/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/f90.hpp"
#include "dtype/padding.hpp"
#include "dtype/predefined.hpp"
#include "dtype/value_index.hpp"

namespace bowline::dtype {
namespace {

/// References from here on name definitions; lower references are elements.
constexpr std::uint32_t first_definition = 256;
static_assert(element_count <= first_definition);

struct Head {
  std::uint32_t definitions;
  std::uint32_t type;
};

/// Stands before the arguments of a constructor, which follow in this order. References are 32 bits wide.
struct Definition {
  std::uint16_t combiner;
  std::uint8_t large;
  std::uint8_t
      padding_drops;  ///< the padding rule of the process that made the type, which may differ from the reader's rule
  std::uint32_t integers;
  std::uint32_t addresses;
  std::uint32_t counts;
  std::uint32_t types;
};

/// The type whose encoding serves `type`: equal in places, bounds and elements.
const Datatype& encoded_as(const Datatype& type) noexcept {
  const Datatype* found = &type;
  for (;;) {
    switch (found->envelope().combiner) {
      case Combiner::dup:
        found = &*found->types()[0];
        break;
      case Combiner::subarray:
      case Combiner::darray:
        found = found->same_as();
        break;
      default:
        return *found;
    }
  }
}

class Encoder {
 public:
  std::vector<std::byte> run(const Datatype& type) {
    add(Head{});
    define(encoded_as(type));
    const Head head{.definitions = static_cast<std::uint32_t>(numbers_.size()), .type = reference(type)};
    std::memcpy(bytes_.data(), &head, sizeof head);
    return std::move(bytes_);
  }

 private:
  std::uint32_t reference(const Datatype& type) const {
    const Datatype& encoded = encoded_as(type);
    if (encoded.predefined()) return static_cast<std::uint32_t>(encoded.element());
    return numbers_.at(&encoded);
  }

  /// Writes the definition of a type after the definitions of the types of which it is made. The function uses a loop
  /// instead of recursion, because the nesting may be deep.
  void define(const Datatype& outermost) {
    std::vector<const Datatype*> open{&outermost};
    while (!open.empty()) {
      const Datatype& type = *open.back();
      const std::size_t before = open.size();
      if (!known(type)) {
        for (const TypeRef& inner : type.types()) {
          if (!known(encoded_as(*inner))) open.push_back(&encoded_as(*inner));
        }
        if (open.size() == before) write(type);
      }
      if (open.size() == before) open.pop_back();
    }
  }

  bool known(const Datatype& type) const { return type.predefined() || numbers_.contains(&type); }

  void write(const Datatype& type) {
    Envelope bounds{.combiner = Combiner::resized, .large = true};  // types inside array types have no arguments
    const bool resized = type.envelope().combiner == Combiner::resized;
    if (resized) bounds.counts = {type.bounds().lb, type.bounds().extent()};
    const Envelope& envelope = resized ? bounds : type.envelope();
    add(Definition{.combiner = static_cast<std::uint16_t>(envelope.combiner),
                   .large = static_cast<std::uint8_t>(envelope.large ? 1 : 0),
                   .padding_drops = static_cast<std::uint8_t>(padding_rule() == Padding::drops ? 1 : 0),
                   .integers = static_cast<std::uint32_t>(envelope.integers.size()),
                   .addresses = static_cast<std::uint32_t>(envelope.addresses.size()),
                   .counts = static_cast<std::uint32_t>(envelope.counts.size()),
                   .types = static_cast<std::uint32_t>(type.types().size())});
    for (const int each : envelope.integers) add(each);
    for (const std::int64_t each : envelope.addresses) add(each);
    for (const std::int64_t each : envelope.counts) add(each);
    for (const TypeRef& each : type.types()) add(reference(*each));
    numbers_.emplace(&type, first_definition + static_cast<std::uint32_t>(numbers_.size()));
  }

  template <class Value>
  void add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  std::vector<std::byte> bytes_;
  std::unordered_map<const Datatype*, std::uint32_t> numbers_;  ///< numbers of the definitions that have been written
};

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorClass::type, "the bytes describe no datatype: " + why);
}

/// The number of arguments that a constructor takes.
struct Arguments {
  std::size_t integers = 0;
  std::size_t addresses = 0;
  std::size_t counts = 0;

  bool operator==(const Arguments&) const = default;
};

/// The arguments of a composed type with this number of blocks, in small or large form.
Arguments arguments_of(Combiner combiner, bool large, std::size_t blocks) {
  struct Row {
    std::size_t fixed;      ///< counts
    std::size_t lengths;    ///< counts per block
    std::size_t addresses;  ///< addresses, or counts in the large form
    std::size_t places;     ///< displacements per block
  };
  const Row row = [combiner]() -> Row {
    switch (combiner) {
      case Combiner::contiguous:
        return {1, 0, 0, 0};
      case Combiner::vector:
        return {3, 0, 0, 0};
      case Combiner::hvector:
        return {2, 0, 1, 0};
      case Combiner::indexed:
        return {1, 2, 0, 0};
      case Combiner::indexed_block:
        return {2, 1, 0, 0};
      case Combiner::hindexed_block:
        return {2, 0, 0, 1};
      default:  // hindexed, structure
        return {1, 1, 0, 1};
    }
  }();
  const std::size_t counts = row.fixed + row.lengths * blocks, addresses = row.addresses + row.places * blocks;
  if (large) return {.counts = counts + addresses};
  return {.integers = counts, .addresses = addresses};
}

bool is_composed(Combiner combiner) noexcept {
  return combiner >= Combiner::contiguous && combiner <= Combiner::structure;
}

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  TypeRef run() {
    const auto head = take<Head>();
    for (std::uint32_t i = 0; i < head.definitions; ++i) types_.push_back(define());
    if (!rest_.empty()) refuse(fmt::format("{} bytes follow the last definition", rest_.size()));
    TypeRef type = referred(head.type);
    const_cast<Datatype&>(*type).commit();  // no other process and no other thread has it yet
    return type;
  }

 private:
  template <class Value>
  Value take() {
    if (rest_.size() < sizeof(Value)) refuse("they end too early");
    Value value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }

  template <class Value>
  std::vector<Value> take_many(std::size_t count) {
    if (count > rest_.size() / sizeof(Value)) refuse("an array ends too early");
    std::vector<Value> values(count);
    if (count > 0) std::memcpy(values.data(), rest_.data(), count * sizeof(Value));
    rest_ = rest_.subspan(count * sizeof(Value));
    return values;
  }

  TypeRef referred(std::uint32_t reference) const {
    if (reference < element_count) return TypeRef(type_of(static_cast<Element>(reference)));
    const std::size_t number = std::size_t{reference} - first_definition;
    if (reference < first_definition || number >= types_.size())
      refuse(fmt::format("there is no type {} before its use", reference));
    return types_[number];
  }

  TypeRef define() {
    const auto definition = take<Definition>();
    Envelope envelope{.combiner = static_cast<Combiner>(definition.combiner), .large = definition.large != 0};
    envelope.integers = take_many<int>(definition.integers);
    envelope.addresses = take_many<std::int64_t>(definition.addresses);
    envelope.counts = take_many<std::int64_t>(definition.counts);
    std::vector<TypeRef> types;
    for (const std::uint32_t each : take_many<std::uint32_t>(definition.types)) types.push_back(referred(each));
    const Padding padding = definition.padding_drops != 0 ? Padding::drops : Padding::counts;
    if (is_composed(envelope.combiner)) return composed(std::move(envelope), std::move(types), padding);
    if (types.size() == 1 && envelope.combiner == Combiner::resized)
      return resized_type(std::move(envelope), *types[0]);
    if (types.size() == 2 && envelope.combiner == Combiner::value_index) {
      if (const Datatype* const pair = value_index_type(*types[0], *types[1])) return TypeRef(*pair);
    }
    refuse(fmt::format("{} with {} types is no constructor", definition.combiner, definition.types));
  }

  static TypeRef composed(Envelope envelope, std::vector<TypeRef> types, Padding padding) {
    const bool has_blocks = envelope.combiner != Combiner::contiguous;
    const bool given = envelope.large ? !envelope.counts.empty() : !envelope.integers.empty();
    const std::int64_t first = !given ? -1 : envelope.large ? envelope.counts[0] : envelope.integers[0];
    if (first < 0) refuse("a number of blocks is missing or negative");
    // Regular types may have more blocks than there are bytes; the arrays of all others have been read already.
    const auto blocks = static_cast<std::size_t>(has_blocks ? first : 1);
    const Arguments has{envelope.integers.size(), envelope.addresses.size(), envelope.counts.size()};
    const bool regular = envelope.combiner <= Combiner::hvector;
    const std::size_t most = has.integers + has.addresses + has.counts;
    if ((!regular && blocks > most) || has != arguments_of(envelope.combiner, envelope.large, regular ? 0 : blocks))
      refuse(fmt::format("the arguments of {} are too few or too many", constructor_name(envelope.combiner)));
    if (types.size() != (envelope.combiner == Combiner::structure ? blocks : 1)) refuse("the types are not as many");
    check_lengths(envelope, types, blocks);
    return hidden(compose(std::move(envelope), std::move(types), padding));
  }

  static void check_lengths(const Envelope& envelope, std::span<const TypeRef> types, std::size_t blocks) {
    const Composition composition(envelope, types);
    const std::size_t looks = composition.regular() ? std::min<std::size_t>(blocks, 1) : blocks;
    for (std::size_t i = 0; i < looks; ++i) {
      if (composition.length(i) < 0) refuse(fmt::format("block {} has {} elements", i, composition.length(i)));
    }
  }

  static TypeRef resized_type(Envelope envelope, const Datatype& type) {
    const std::vector<std::int64_t>& bounds = envelope.large ? envelope.counts : envelope.addresses;
    if (bounds.size() != 2) refuse("a resized type has two bounds");
    const std::int64_t lb = bounds[0], extent = bounds[1];
    return hidden(resize(std::move(envelope), type, lb, extent));
  }

  /// A type without a handle.
  static TypeRef hidden(Datatype& made) {
    TypeRef ref(made);
    made.drop_handle();
    return ref;
  }

  std::span<const std::byte> rest_;
  std::vector<TypeRef> types_;
};

}  // namespace

std::vector<std::byte> encode(const Datatype& type) {
  return Encoder().run(type);
}

TypeRef decode(std::span<const std::byte> bytes) {
  return Decoder(bytes).run();
}

}  // namespace bowline::dtype

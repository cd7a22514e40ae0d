// SPDX-License-Identifier: BSD-3-Clause
// The error messages for arguments that the validators refuse.
#include "api/entry/validators.hpp"

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "dtype/predefined.hpp"

namespace bowline::api::check::refuse {
namespace {

[[noreturn]] void handle(ErrorClass error_class, const char* name, const void* value, const void* null,
                         const char* null_name, const char* kind) {
  if (value == null) throw Error(error_class, fmt::format("{} is {}: give {}", name, null_name, kind));
  throw Error(error_class,
              fmt::format("{} is {}, which is not {}: it was freed, never set, or is another kind of handle", name,
                          fmt::ptr(value), kind));
}

/// "the communicator MPI_COMM_WORLD has 4 ranks: 0 to 3"
std::string members(const comm::Communicator& comm) {
  const std::string who = fmt::format("{}the communicator{}{}", comm.inter() ? "the remote group of " : "",
                                      comm.name().empty() ? "" : " ", comm.name());
  if (comm.peers() == 1) return fmt::format("{} has one rank: 0", who);
  return fmt::format("{} has {} ranks: 0 to {}", who, comm.peers(), comm.peers() - 1);
}

/// A rank as text; special values by their names in the standard.
std::string rank_text(int value) {
  switch (value) {
    case MPI_ANY_SOURCE:
      return "MPI_ANY_SOURCE";
    case MPI_PROC_NULL:
      return "MPI_PROC_NULL";
    case MPI_ROOT:
      return "MPI_ROOT";
    case MPI_UNDEFINED:
      return "MPI_UNDEFINED";
    default:
      return std::to_string(value);
  }
}

}  // namespace

void datatype(MPI_Datatype value, const char* name) {
  const std::string freed = dtype::Datatype::name_of_freed(reinterpret_cast<const dtype::Datatype*>(value));
  if (!freed.empty()) {
    throw Error(ErrorClass::type,
                fmt::format("{} is the datatype {}, which has been freed: free it after its last use", name, freed));
  }
  handle(ErrorClass::type, name, value, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", "a datatype");
}

/// Returns MPI_BYTE if the handle is MPI_DATATYPE_NULL and there are no data, unless strict(); otherwise throws.
const dtype::Datatype& datatype_of_data(MPI_Count count, MPI_Datatype handle, const char* name) {
  if (handle != MPI_DATATYPE_NULL || count != 0 || strict()) datatype(handle, name);
  return dtype::byte_type();
}

void uncommitted(const dtype::Datatype& datatype, const char* name) {
  throw Error(ErrorClass::type, fmt::format("{} is the datatype {}, which is not committed: call MPI_Type_commit first",
                                            name, datatype.description()));
}

void op(MPI_Op value, const char* name) {
  handle(ErrorClass::op, name, value, MPI_OP_NULL, "MPI_OP_NULL", "a reduction operator");
}

void undefined(const dtype::Op& op, const dtype::Datatype& datatype) {
  throw Error(ErrorClass::op,
              fmt::format("op is {}, which MPI does not define on the datatype {}: it reduces {} (MPI-5.0, section "
                          "6.9.2); for other data make an operator with MPI_Op_create{}",
                          op.name(), datatype.description(), op.domain(),
                          op.understood_on(datatype) ? ", or do without BOWLINE_CHECK=strict" : ""));
}

void group(MPI_Group value, const char* name) {
  handle(ErrorClass::group, name, value, MPI_GROUP_NULL, "MPI_GROUP_NULL", "a group");
}

void errhandler(MPI_Errhandler value, const char* name) {
  handle(ErrorClass::errhandler, name, value, MPI_ERRHANDLER_NULL, "MPI_ERRHANDLER_NULL", "an error handler");
}

void intercommunicator(const char* name) {
  throw Error(ErrorClass::comm, fmt::format("{} is an intercommunicator, on which MPI does not define this: give an "
                                            "intracommunicator, such as MPI_Intercomm_merge makes",
                                            name));
}

void other_kind(const char* object) {
  throw Error(ErrorClass::errhandler,
              fmt::format("errhandler was made for another kind of object than {}: use the MPI_*_create_errhandler of "
                          "its kind",
                          object));
}

void count(MPI_Count value, const char* name) {
  throw Error(ErrorClass::count, fmt::format("{} is {}, but a number of elements is 0 or more", name, value));
}

void less_than(MPI_Count value, MPI_Count least, const char* name) {
  throw Error(ErrorClass::arg, fmt::format("{} is {}, but it must be {} or more", name, value, least));
}

void rank(int value, const char* name, const comm::Communicator& comm, const char* also_allowed) {
  throw Error(ErrorClass::rank, fmt::format("{} is {}, but {}{}", name, rank_text(value), members(comm), also_allowed));
}

void peer(int value, const char* name, const comm::Communicator& comm, const char* also_allowed) {
  comm.refuse_if_interrupted();
  rank(value, name, comm, also_allowed);
}

void root(int value, const char* name, const comm::Communicator& comm) {
  const char* const also_allowed =
      comm.inter() ? "; the root gives MPI_ROOT, the others of its group give MPI_PROC_NULL" : "";
  throw Error(ErrorClass::root, fmt::format("{} is {}, but {}{}", name, rank_text(value), members(comm), also_allowed));
}

void target(int value, const char* name, const rma::Window& window) {
  throw Error(ErrorClass::rank, fmt::format("{} is {}, but {} has the ranks 0 to {}, or MPI_PROC_NULL", name,
                                            rank_text(value), window.in_words(), window.size() - 1));
}

void displacement(MPI_Aint value, const char* name) {
  throw Error(ErrorClass::disp,
              fmt::format("{} is {}, but a displacement in a target's memory is 0 or more", name, value));
}

void tag(int value, const char* name, const char* also_allowed) {
  const std::string text = value == MPI_ANY_TAG ? "MPI_ANY_TAG" : std::to_string(value);
  throw Error(ErrorClass::tag, fmt::format("{} is {}, but a tag is 0 to {} (the attribute MPI_TAG_UB){}", name, text,
                                           2147483647, also_allowed));
}

/// Returns if the address is allowed after all: MPI_BOTTOM with a datatype of absolute addresses.
void buffer(const void* address, const dtype::Datatype& datatype, const char* name) {
  constexpr std::int64_t first_page = 4096;  // holds no data of a program
  if (address == MPI_BOTTOM && datatype.bounds().true_lb >= first_page) return;
  if (address == MPI_BOTTOM && !datatype.predefined()) {
    throw Error(
        ErrorClass::buffer,
        fmt::format("{} is a null pointer (MPI_BOTTOM), but the datatype {} does not hold absolute addresses: its "
                    "data begin at byte {}; give the address of the data",
                    name, datatype.description(), datatype.bounds().true_lb));
  }
  const char* value = address == MPI_IN_PLACE           ? "MPI_IN_PLACE"
                      : address == MPI_BUFFER_AUTOMATIC ? "MPI_BUFFER_AUTOMATIC"
                                                        : "a null pointer (MPI_BOTTOM)";
  throw Error(ErrorClass::buffer,
              fmt::format("{} is {}, but the count is not zero: give the address of the data", name, value));
}

void too_long(MPI_Count count, const dtype::Datatype& datatype) {
  throw Error(ErrorClass::count, fmt::format("{} elements of the datatype {}, which has {} bytes, are more than 2^63-1 "
                                             "bytes: give a smaller count",
                                             count, datatype.description(), datatype.size()));
}

void pointer(const char* name) {
  throw Error(ErrorClass::arg, fmt::format("{} is a null pointer: give the address of a variable", name));
}

}  // namespace bowline::api::check::refuse

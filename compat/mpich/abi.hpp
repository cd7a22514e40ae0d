// SPDX-License-Identifier: BSD-3-Clause
// MPICH's ABI, which Intel MPI, MVAPICH and Cray MPICH share: handles are ints, but for files. The names are MPI's
// without "MPI_". in_X converts what the program passes, out_X what it gets.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi_types.hpp"
#include "abi_values.hpp"
#include "bowline_functions.hpp"
#include "front/scratch.hpp"
#include "front/status_words.hpp"

#pragma GCC visibility push(default)
extern "C" int MPIR_Dup_fn(int, int, void*, void* value, void* copy, int* wanted);
#pragma GCC visibility pop

namespace abi {

// ---- statuses

/// Writes all but MPI_ERROR.
inline void write_status(Status& here, const MPI_Status& standard) noexcept {
  const auto bytes = static_cast<std::uint64_t>(front::status_bytes(standard));
  here.count_low = static_cast<int>(static_cast<std::uint32_t>(bytes));
  here.count_high_and_cancelled = static_cast<int>(bytes >> 32 << 1 | (front::status_cancelled(standard) ? 1 : 0));
  here.MPI_SOURCE = out_rank(standard.MPI_SOURCE);
  here.MPI_TAG = out_tag(standard.MPI_TAG);
}

inline MPI_Status read_status(const Status& here) noexcept {
  const auto low = static_cast<std::uint32_t>(here.count_low);
  const auto high = static_cast<std::uint32_t>(here.count_high_and_cancelled);
  const auto bytes = std::uint64_t{high >> 1} << 32 | low;
  return front::make_status(in_rank(here.MPI_SOURCE), in_tag(here.MPI_TAG), in_error(here.MPI_ERROR),
                            static_cast<MPI_Count>(bytes), (high & 1) != 0);
}

// ---- handles
//
// The upper two bits of a handle are 1 for most predefined objects. The other predefined datatypes and all null handles
// have less than 2^12 in their lower 24 bits. Any other handle is the integer that Bowline gives the object (MPI-5.0,
// section 20.4), which is more there, with the sign bit.

inline constexpr unsigned made = 0x8000'0000U;
inline constexpr std::uintptr_t no_handle = 0xfff;

/// A handle of the standard that is predefined, or no_handle.
std::uintptr_t predefined_in(int here) noexcept;

inline bool is_made(int here) noexcept {
  return here < 0 && (here & 0xff'ffff) >= 0x1000;
}
template <class Handle>
Handle handle_in(int here, Handle (*from_number)(int)) noexcept {
  if (is_made(here)) return from_number(static_cast<int>(static_cast<unsigned>(here) & ~made));
  return reinterpret_cast<Handle>(predefined_in(here));
}

/// The handles here of the standard's predefined ones.
inline constexpr auto predefined_out = [] {
  std::array<unsigned, 0x300> here{};
  for (const PredefinedHandle& each : predefined_handles) here[each.standard] = each.here;
  return here;
}();
template <class Handle>
int handle_out(Handle standard, int (*number_of)(Handle)) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(standard);
  if (value < predefined_out.size()) return static_cast<int>(predefined_out[value]);
  return static_cast<int>(static_cast<unsigned>(number_of(standard)) | made);
}

inline MPI_Comm in_comm(Comm here) noexcept {
  constexpr auto world = static_cast<int>(predefined_out[0x101]);
  return here == world ? MPI_COMM_WORLD : handle_in(here, bowline_PMPI_Comm_fromint);
}
inline Comm out_comm(MPI_Comm standard) noexcept {
  return handle_out(standard, bowline_PMPI_Comm_toint);
}

/// The standard's datatypes by the lowest byte of the handle, of those that begin with 0x4c00.
inline constexpr unsigned basic_types = 0x4c00;
inline constexpr auto types_in = [] {
  std::array<std::uint16_t, 256> standard{};
  standard.fill(no_handle);
  for (const PredefinedHandle& each : predefined_handles) {
    if (each.here >> 16 == basic_types) standard[each.here & 0xff] = static_cast<std::uint16_t>(each.standard);
  }
  return standard;
}();
inline MPI_Datatype in_type(Datatype here) noexcept {
  const auto bits = static_cast<unsigned>(here);
  if (bits >> 16 == basic_types) [[likely]]
    return reinterpret_cast<MPI_Datatype>(std::uintptr_t{types_in[bits & 0xff]});
  return handle_in(here, bowline_PMPI_Type_fromint);
}
inline Datatype out_type(MPI_Datatype standard) noexcept {
  return handle_out(standard, bowline_PMPI_Type_toint);
}

inline MPI_Errhandler in_errhandler(Errhandler here) noexcept {
  return handle_in(here, bowline_PMPI_Errhandler_fromint);
}
inline Errhandler out_errhandler(MPI_Errhandler standard) noexcept {
  return handle_out(standard, bowline_PMPI_Errhandler_toint);
}

/// The handle of a file is the same address as in the standard ABI; only the null handles differ.
inline MPI_File in_file(File here) noexcept {
  return here == nullptr ? MPI_FILE_NULL : reinterpret_cast<MPI_File>(here);
}
inline File out_file(MPI_File standard) noexcept {
  return standard == MPI_FILE_NULL ? nullptr : reinterpret_cast<File>(standard);
}

inline MPI_Group in_group(Group here) noexcept {
  return handle_in(here, bowline_PMPI_Group_fromint);
}
inline Group out_group(MPI_Group standard) noexcept {
  return handle_out(standard, bowline_PMPI_Group_toint);
}

inline MPI_Info in_info(Info here) noexcept {
  return handle_in(here, bowline_PMPI_Info_fromint);
}
inline Info out_info(MPI_Info standard) noexcept {
  return handle_out(standard, bowline_PMPI_Info_toint);
}

/// MPI_MESSAGE_NULL and MPI_REQUEST_NULL are the same number here.
inline constexpr auto message_null = static_cast<Message>(predefined_out[0x128]);
inline MPI_Message in_message(Message here) noexcept {
  return here == message_null ? MPI_MESSAGE_NULL : handle_in(here, bowline_PMPI_Message_fromint);
}
inline Message out_message(MPI_Message standard) noexcept {
  return handle_out(standard, bowline_PMPI_Message_toint);
}

inline MPI_Op in_op(Op here) noexcept {
  return handle_in(here, bowline_PMPI_Op_fromint);
}
inline Op out_op(MPI_Op standard) noexcept {
  return handle_out(standard, bowline_PMPI_Op_toint);
}

inline constexpr auto request_null = static_cast<Request>(predefined_out[0x180]);
inline MPI_Request in_request(Request here) noexcept {
  return here == request_null ? MPI_REQUEST_NULL : handle_in(here, bowline_PMPI_Request_fromint);
}
inline Request out_request(MPI_Request standard) noexcept {
  return handle_out(standard, bowline_PMPI_Request_toint);
}

inline MPI_Session in_session(Session here) noexcept {
  return handle_in(here, bowline_PMPI_Session_fromint);
}
inline Session out_session(MPI_Session standard) noexcept {
  return handle_out(standard, bowline_PMPI_Session_toint);
}

inline MPI_Win in_win(Win here) noexcept {
  return handle_in(here, bowline_PMPI_Win_fromint);
}
inline Win out_win(MPI_Win standard) noexcept {
  return handle_out(standard, bowline_PMPI_Win_toint);
}

// The integer of a handle (MPI-5.0, section 20.4) is the handle itself, as in Fortran.
inline int comm_toint(Comm comm) noexcept {
  return comm;
}
inline Comm comm_fromint(int number) noexcept {
  return number;
}
inline int type_toint(Datatype type) noexcept {
  return type;
}
inline Datatype type_fromint(int number) noexcept {
  return number;
}
inline int errhandler_toint(Errhandler errhandler) noexcept {
  return errhandler;
}
inline Errhandler errhandler_fromint(int number) noexcept {
  return number;
}
inline int group_toint(Group group) noexcept {
  return group;
}
inline Group group_fromint(int number) noexcept {
  return number;
}
inline int info_toint(Info info) noexcept {
  return info;
}
inline Info info_fromint(int number) noexcept {
  return number;
}
inline int message_toint(Message message) noexcept {
  return message;
}
inline Message message_fromint(int number) noexcept {
  return number;
}
inline int op_toint(Op op) noexcept {
  return op;
}
inline Op op_fromint(int number) noexcept {
  return number;
}
inline int request_toint(Request request) noexcept {
  return request;
}
inline Request request_fromint(int number) noexcept {
  return number;
}
inline int session_toint(Session session) noexcept {
  return session;
}
inline Session session_fromint(int number) noexcept {
  return number;
}
inline int win_toint(Win win) noexcept {
  return win;
}
inline Win win_fromint(int number) noexcept {
  return number;
}
/// Files have a number of their own; 0 is the null handle.
inline int file_toint(File file) noexcept {
  return file == nullptr ? 0 : bowline_PMPI_File_toint(in_file(file));
}
inline File file_fromint(int number) noexcept {
  return number == 0 ? nullptr : out_file(bowline_PMPI_File_fromint(number));
}

// MPI_LB and MPI_UB, which MPI-3.0 removed.
inline bool is_lower_bound(Datatype type) noexcept {
  return type == 0x4c000010;
}
inline bool is_upper_bound(Datatype type) noexcept {
  return type == 0x4c000011;
}

/// The requests of a call that starts or completes several.
class Requests {
 public:
  Requests(int count, Request* here) : here_(here), standard_(here == nullptr ? 0 : front::length(count)) {
    for (std::size_t i = 0; i < standard_.size(); ++i) standard_[i] = in_request(here[i]);
  }
  MPI_Request* data() noexcept { return here_ == nullptr ? nullptr : standard_.data(); }
  /// A request that is completed and no persistent one has become null; no other changes.
  void store() noexcept {
    for (std::size_t i = 0; i < standard_.size(); ++i) {
      if (standard_[i] == MPI_REQUEST_NULL) here_[i] = request_null;
    }
  }

 private:
  Request* here_;
  front::Scratch<MPI_Request> standard_;
};

// The types of callbacks.
#include "abi_callbacks.hpp"

/// Whether this is MPI_COMM_DUP_FN or one of its like.
inline bool is_dup_function(const void* function) noexcept {
  return function == reinterpret_cast<const void*>(MPIR_Dup_fn);
}

/// Fortran's number of an attribute key. One of MPI's own keys has the number that follows C's.
inline int in_keyval_of_fortran(int keyval) noexcept {
  for (const front::Pair& own : keyval_pairs) {
    if (own.here == keyval - 1) return own.standard;
  }
  return in_keyval(keyval);
}

}  // namespace abi

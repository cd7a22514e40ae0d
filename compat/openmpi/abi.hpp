// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's ABI: handles are addresses. A predefined handle is the address of a variable of the library, of which the
// program may have a copy that takes its place; any other handle is the same address as in the standard ABI. The names
// are MPI's without "MPI_". in_X converts what the program passes, out_X what it gets.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "abi_types.hpp"
#include "abi_values.hpp"
#include "bowline_functions.hpp"
#include "front/status_words.hpp"

#pragma GCC visibility push(default)
extern "C" int OMPI_C_MPI_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted);
extern "C" int OMPI_C_MPI_COMM_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted);
extern "C" int OMPI_C_MPI_TYPE_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted);
#pragma GCC visibility pop

namespace abi {

// ---- statuses

/// Writes all but MPI_ERROR.
inline void write_status(Status& here, const MPI_Status& standard) noexcept {
  here.MPI_SOURCE = out_rank(standard.MPI_SOURCE);
  here.MPI_TAG = out_tag(standard.MPI_TAG);
  here.cancelled = front::status_cancelled(standard) ? 1 : 0;
  here.bytes = static_cast<std::size_t>(front::status_bytes(standard));
}

inline MPI_Status read_status(const Status& here) noexcept {
  return front::make_status(in_rank(here.MPI_SOURCE), in_tag(here.MPI_TAG), in_error(here.MPI_ERROR),
                            static_cast<MPI_Count>(here.bytes), here.cancelled != 0);
}

// ---- handles

/// The variable behind a predefined handle. If the program has a copy, the copy has the same contents.
struct Predefined {
  std::uintptr_t standard;  ///< the handle in the standard ABI
  long fortran;             ///< the handle in Fortran; -1 if it has none
};

/// Where predefined handles are: among the library's variables, or among the program's copies of them.
struct Places {
  std::uintptr_t library;
  std::size_t library_bytes;
  std::uintptr_t program;
  std::size_t program_bytes;  ///< 0 if the program has none
};
extern Places places;

inline bool is_predefined(std::uintptr_t handle) noexcept {
  return handle - places.library < places.library_bytes || handle - places.program < places.program_bytes;
}

/// The predefined handles here, by those of the standard.
inline constexpr std::size_t predefined_end = 0x300;
extern std::uintptr_t predefined_out[predefined_end];

template <class Standard, class Here>
Standard handle_in(Here here) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(here);
  return reinterpret_cast<Standard>(is_predefined(value) ? reinterpret_cast<const Predefined*>(here)->standard : value);
}
template <class Here, class Standard>
Here handle_out(Standard standard) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(standard);
  return reinterpret_cast<Here>(value < predefined_end ? predefined_out[value] : value);
}

inline MPI_Comm in_comm(Comm here) noexcept {
  return handle_in<MPI_Comm>(here);
}
inline Comm out_comm(MPI_Comm standard) noexcept {
  return handle_out<Comm>(standard);
}
inline MPI_Datatype in_type(Datatype here) noexcept {
  return handle_in<MPI_Datatype>(here);
}
inline Datatype out_type(MPI_Datatype standard) noexcept {
  return handle_out<Datatype>(standard);
}
inline MPI_Errhandler in_errhandler(Errhandler here) noexcept {
  return handle_in<MPI_Errhandler>(here);
}
inline Errhandler out_errhandler(MPI_Errhandler standard) noexcept {
  return handle_out<Errhandler>(standard);
}
inline MPI_File in_file(File here) noexcept {
  return handle_in<MPI_File>(here);
}
inline File out_file(MPI_File standard) noexcept {
  return handle_out<File>(standard);
}
inline MPI_Group in_group(Group here) noexcept {
  return handle_in<MPI_Group>(here);
}
inline Group out_group(MPI_Group standard) noexcept {
  return handle_out<Group>(standard);
}
inline MPI_Info in_info(Info here) noexcept {
  return handle_in<MPI_Info>(here);
}
inline Info out_info(MPI_Info standard) noexcept {
  return handle_out<Info>(standard);
}
inline MPI_Message in_message(Message here) noexcept {
  return handle_in<MPI_Message>(here);
}
inline Message out_message(MPI_Message standard) noexcept {
  return handle_out<Message>(standard);
}
inline MPI_Op in_op(Op here) noexcept {
  return handle_in<MPI_Op>(here);
}
inline Op out_op(MPI_Op standard) noexcept {
  return handle_out<Op>(standard);
}
inline MPI_Session in_session(Session here) noexcept {
  return handle_in<MPI_Session>(here);
}
inline Session out_session(MPI_Session standard) noexcept {
  return handle_out<Session>(standard);
}
inline MPI_Win in_win(Win here) noexcept {
  return handle_in<MPI_Win>(here);
}
inline Win out_win(MPI_Win standard) noexcept {
  return handle_out<Win>(standard);
}

/// MPI_REQUEST_NULL is the only predefined request.
extern "C" Predefined ompi_request_null;
inline Request request_null() noexcept {
  return reinterpret_cast<Request>(&ompi_request_null);
}
inline MPI_Request in_request(Request here) noexcept {
  return here == request_null() ? MPI_REQUEST_NULL : reinterpret_cast<MPI_Request>(here);
}
inline Request out_request(MPI_Request standard) noexcept {
  return standard == MPI_REQUEST_NULL ? request_null() : reinterpret_cast<Request>(standard);
}

// The integer of a handle (MPI-5.0, section 20.4) is the handle in Fortran.
int comm_toint(Comm comm) noexcept;
Comm comm_fromint(int number) noexcept;
int type_toint(Datatype type) noexcept;
Datatype type_fromint(int number) noexcept;
int errhandler_toint(Errhandler errhandler) noexcept;
Errhandler errhandler_fromint(int number) noexcept;
int file_toint(File file) noexcept;
File file_fromint(int number) noexcept;
int group_toint(Group group) noexcept;
Group group_fromint(int number) noexcept;
int info_toint(Info info) noexcept;
Info info_fromint(int number) noexcept;
int message_toint(Message message) noexcept;
Message message_fromint(int number) noexcept;
int op_toint(Op op) noexcept;
Op op_fromint(int number) noexcept;
int request_toint(Request request) noexcept;
Request request_fromint(int number) noexcept;
int session_toint(Session session) noexcept;
Session session_fromint(int number) noexcept;
int win_toint(Win win) noexcept;
Win win_fromint(int number) noexcept;

// MPI_LB and MPI_UB, which MPI-3.0 removed.
extern "C" Predefined ompi_mpi_lb;
extern "C" Predefined ompi_mpi_ub;
inline bool is_lower_bound(Datatype type) noexcept {
  return type == reinterpret_cast<Datatype>(&ompi_mpi_lb);
}
inline bool is_upper_bound(Datatype type) noexcept {
  return type == reinterpret_cast<Datatype>(&ompi_mpi_ub);
}

/// The requests of a call that starts or completes several: the program's array, which holds the handles of the
/// standard ABI during the call.
class Requests {
 public:
  Requests(int count, Request* here) noexcept
      : count_(here == nullptr || count < 0 ? 0 : static_cast<std::size_t>(count)), here_(here) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (here_[i] == request_null()) here_[i] = reinterpret_cast<Request>(MPI_REQUEST_NULL);
    }
  }
  MPI_Request* data() noexcept { return reinterpret_cast<MPI_Request*>(here_); }
  void store() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (here_[i] == reinterpret_cast<Request>(MPI_REQUEST_NULL)) here_[i] = request_null();
    }
  }

 private:
  std::size_t count_;
  Request* here_;
};

// The types of callbacks.
#include "abi_callbacks.hpp"

/// Whether this is MPI_COMM_DUP_FN or one of its like.
inline bool is_dup_function(const void* function) noexcept {
  for (const auto own : {OMPI_C_MPI_DUP_FN, OMPI_C_MPI_COMM_DUP_FN, OMPI_C_MPI_TYPE_DUP_FN}) {
    if (function == reinterpret_cast<const void*>(own)) return true;
  }
  return false;
}

/// Fortran's number of an attribute key is that of C.
inline int in_keyval_of_fortran(int keyval) noexcept {
  return in_keyval(keyval);
}

}  // namespace abi

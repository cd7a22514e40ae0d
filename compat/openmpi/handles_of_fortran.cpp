// SPDX-License-Identifier: BSD-3-Clause
// Handles in Fortran: small numbers for predefined ones, and the integers that Bowline gives all others (MPI-5.0,
// section 20.4), which are larger.
#include <array>

#include "abi.hpp"
#include "predefined_objects.hpp"

namespace abi {
namespace {

/// The predefined handles of a kind by their numbers in Fortran.
using Numbered = std::array<const Predefined*, 80>;

template <std::size_t count>
Numbered by_number(const Predefined* const (&objects)[count]) noexcept {
  Numbered result{};
  for (const Predefined* const object : objects) {
    if (object->fortran >= 0) result[static_cast<std::size_t>(object->fortran)] = object;
  }
  return result;
}

template <class Standard, class Here>
int number_of(Here here, int (*toint)(Standard)) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(here);
  if (is_predefined(value)) return static_cast<int>(reinterpret_cast<const Predefined*>(here)->fortran);
  return toint(reinterpret_cast<Standard>(here));
}

/// A null pointer if there is no such handle, as in Open MPI.
template <class Here, class Standard>
Here from_number(int number, const Numbered& predefined, Standard (*fromint)(int)) noexcept {
  if (number < 0) return nullptr;
  const auto index = static_cast<std::size_t>(number);
  if (index < predefined.size()) return reinterpret_cast<Here>(const_cast<Predefined*>(predefined[index]));
  return reinterpret_cast<Here>(fromint(number));
}

}  // namespace

int comm_toint(Comm comm) noexcept {
  return number_of(comm, bowline_PMPI_Comm_toint);
}
Comm comm_fromint(int number) noexcept {
  static const Numbered predefined = by_number(comm_objects);
  return from_number<Comm>(number, predefined, bowline_PMPI_Comm_fromint);
}

int type_toint(Datatype type) noexcept {
  return number_of(type, bowline_PMPI_Type_toint);
}
Datatype type_fromint(int number) noexcept {
  static const Numbered predefined = by_number(type_objects);
  return from_number<Datatype>(number, predefined, bowline_PMPI_Type_fromint);
}

int errhandler_toint(Errhandler errhandler) noexcept {
  return number_of(errhandler, bowline_PMPI_Errhandler_toint);
}
Errhandler errhandler_fromint(int number) noexcept {
  static const Numbered predefined = by_number(errhandler_objects);
  return from_number<Errhandler>(number, predefined, bowline_PMPI_Errhandler_fromint);
}

int file_toint(File file) noexcept {
  return number_of(file, bowline_PMPI_File_toint);
}
File file_fromint(int number) noexcept {
  static const Numbered predefined = by_number(file_objects);
  return from_number<File>(number, predefined, bowline_PMPI_File_fromint);
}

int group_toint(Group group) noexcept {
  return number_of(group, bowline_PMPI_Group_toint);
}
Group group_fromint(int number) noexcept {
  static const Numbered predefined = by_number(group_objects);
  return from_number<Group>(number, predefined, bowline_PMPI_Group_fromint);
}

int info_toint(Info info) noexcept {
  return number_of(info, bowline_PMPI_Info_toint);
}
Info info_fromint(int number) noexcept {
  static const Numbered predefined = by_number(info_objects);
  return from_number<Info>(number, predefined, bowline_PMPI_Info_fromint);
}

int message_toint(Message message) noexcept {
  return number_of(message, bowline_PMPI_Message_toint);
}
Message message_fromint(int number) noexcept {
  static const Numbered predefined = by_number(message_objects);
  return from_number<Message>(number, predefined, bowline_PMPI_Message_fromint);
}

int op_toint(Op op) noexcept {
  return number_of(op, bowline_PMPI_Op_toint);
}
Op op_fromint(int number) noexcept {
  static const Numbered predefined = by_number(op_objects);
  return from_number<Op>(number, predefined, bowline_PMPI_Op_fromint);
}

int request_toint(Request request) noexcept {
  return number_of(request, bowline_PMPI_Request_toint);
}
Request request_fromint(int number) noexcept {
  static const Numbered predefined = by_number(request_objects);
  return from_number<Request>(number, predefined, bowline_PMPI_Request_fromint);
}

int session_toint(Session session) noexcept {
  return number_of(session, bowline_PMPI_Session_toint);
}
Session session_fromint(int number) noexcept {
  static const Numbered predefined = by_number(session_objects);
  return from_number<Session>(number, predefined, bowline_PMPI_Session_fromint);
}

int win_toint(Win win) noexcept {
  return number_of(win, bowline_PMPI_Win_toint);
}
Win win_fromint(int number) noexcept {
  static const Numbered predefined = by_number(win_objects);
  return from_number<Win>(number, predefined, bowline_PMPI_Win_fromint);
}

}  // namespace abi

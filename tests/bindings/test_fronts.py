# SPDX-License-Identifier: BSD-3-Clause
"""Unit tests of the generator of front ends: which arguments are converted, and how tables are made of the
ABI's facts."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings"))

from bindgen import model  # noqa: E402
from bindgen.fronts import abi, entry_points, files, kinds, symbols, tables  # noqa: E402

API = model.load(ROOT / "bindings" / "api.json")
FUNCTIONS = {f.name: f for f in API.all_functions()}
INTERFACE = (ROOT / "src/api/entry/private_interface.hpp").read_text(encoding="utf-8")
ABIS = {name: abi.load(ROOT / "compat" / name / "abi.json", API) for name in ("mpich", "openmpi")}


def entry(name, large=False, other="mpich"):
    return entry_points.text(FUNCTIONS[name], large, ABIS[other])


class ConversionTest(unittest.TestCase):
    def test_arguments_by_their_kind(self):
        self.assertIn("bowline_PMPI_Send(buf, count, abi::in_type(datatype), abi::in_rank(dest), abi::in_tag(tag), "
                      "abi::in_comm(comm))", entry("MPI_Send"))

    def test_in_place_is_for_collective_operations_only(self):
        self.assertIn("front::in_buffer(sendbuf)", entry("MPI_Allreduce"))
        self.assertNotIn("in_buffer", entry("MPI_Isend"))
        self.assertNotIn("in_buffer", entry("MPI_File_read"))

    def test_a_new_handle_is_stored_after_success_only(self):
        text = entry("MPI_Comm_dup")
        self.assertIn("newcomm == nullptr ? nullptr : &newcomm_", text)
        self.assertIn("if (code == MPI_SUCCESS) *newcomm = abi::out_comm(newcomm_);", text)

    def test_a_handle_that_is_freed_is_stored_in_any_case(self):
        self.assertRegex(entry("MPI_Type_free"), r"const int code = [^\n]*\n  datatype_\.store\(\);")

    def test_a_status_is_filled_in_the_callers_layout(self):
        text = entry("MPI_Recv")
        self.assertIn("front::NewStatus status_(status);", text)
        self.assertIn("status_.store();", text)

    def test_requests_that_are_only_read_are_not_stored(self):
        self.assertIn("abi::Requests array_of_requests_", entry("MPI_Waitany"))
        text = entry("MPI_Request_get_status_any")
        self.assertIn("const front::ConstRequests array_of_requests_", text)
        self.assertNotIn("array_of_requests_.store", text)

    def test_an_exit_status_is_no_error_code(self):
        self.assertIn("abi::in_comm(comm), errorcode)", entry("MPI_Abort"))
        self.assertIn("abi::in_error(errorcode)", entry("MPI_Comm_call_errhandler"))

    def test_a_string_is_cut_where_the_other_abi_has_less_room(self):
        self.assertIn("front::Text<MPI_MAX_OBJECT_NAME, abi::max_object_name>",
                      entry("MPI_Comm_get_name", other="openmpi"))
        self.assertNotIn("front::Text", entry("MPI_Comm_get_name", other="mpich"))

    def test_types_of_an_operation_are_as_many_as_its_partners(self):
        self.assertIn("front::members_to_send", entry("MPI_Alltoallw"))
        for name in ("MPI_Neighbor_alltoallw", "MPI_Ineighbor_alltoallw", "MPI_Neighbor_alltoallw_init"):
            self.assertIn("front::neighbours_to_receive", entry(name))

    def test_what_is_written_by_hand_gets_the_programs_arguments(self):
        self.assertIn("return front::op_create(user_fn, commute, op);", entry("MPI_Op_create"))
        for name in entry_points.WRITTEN_BY_HAND:
            self.assertIn(f"return front::{FUNCTIONS[name].body}(", entry(name))

    def test_every_name_has_its_profiling_name(self):
        text = entry("MPI_Send", large=True)
        self.assertIn('__asm__("PMPI_Send_c");', text)
        self.assertIn('__asm__("MPI_Send_c") __attribute__((weak, alias("PMPI_Send_c")));', text)

    def test_older_names_and_synonyms(self):
        self.assertIn('__asm__("MPI_Comm_f2c")', entry("MPI_Comm_fromint"))
        self.assertIn('__asm__("PMPIX_Bcast_init")', entry("MPI_Bcast_init", other="openmpi"))
        self.assertNotIn("MPIX_", entry("MPI_Bcast_init", other="mpich"))

    def test_extensions_of_bowline(self):
        text = entry("MPIX_Comm_shrink", other="openmpi")
        self.assertIn('__asm__("PMPIX_Comm_shrink");', text)
        self.assertIn('__asm__("MPIX_Comm_shrink") __attribute__((weak, alias("PMPIX_Comm_shrink")));', text)
        self.assertIn("bowline_PMPIX_Comm_shrink(abi::in_comm(comm), newcomm == nullptr ? nullptr : &newcomm_)", text)
        text = entry("MPIX_Comm_revoke")
        self.assertIn('__asm__("PMPI_Comm_revoke") __attribute__((alias("PMPIX_Comm_revoke")));', text)
        self.assertIn('__asm__("MPI_Comm_revoke") __attribute__((weak, alias("PMPIX_Comm_revoke")));', text)

    def test_every_function_of_bowline_is_there(self):
        """Otherwise a program would find that of Bowline, which knows other handles."""
        texts = files.files(API, ABIS["mpich"], INTERFACE, 1)["entry_points_1.cpp"]
        for f in API.under_all_names():
            self.assertIn(f'__asm__("{f.name}")', texts)

    def test_agreed_bits_stay_as_they_are(self):
        self.assertIn("return front::out_code(bowline_PMPIX_Comm_agree(abi::in_comm(comm), flag));",
                      entry("MPIX_Comm_agree"))


class TablesTest(unittest.TestCase):
    def test_every_constant_with_a_kind_is_in_one_table(self):
        for other in ABIS.values():
            for name in other.constants:
                pattern = re.sub("^MPIX?_", "", name)
                found = [v for v, names in kinds.CONSTANTS.items() if re.fullmatch(names, pattern)]
                limit = re.fullmatch(r"MAX_\w+|BSEND_OVERHEAD|F_\w+|UNDEFINED|DISPLACEMENT_CURRENT|ERR_LASTCODE",
                                     pattern)
                self.assertEqual(len(found), 0 if limit else 1, name)

    def test_error_classes_of_fault_tolerance(self):
        for other, first in (("mpich", 101), ("openmpi", 75)):
            pairs = re.search(r"error_pairs\[\] = .*", tables.text(ABIS[other], API))[0]
            for i in range(3):
                self.assertIn(f"{{{16129 + i}, {first + i}}}", pairs)
        self.assertIn("{1000, 12}", re.search(r"keyval_pairs\[\] = .*", tables.text(ABIS["openmpi"], API))[0])

    def test_negative_special_values_leave_other_numbers_alone(self):
        text = tables.text(ABIS["mpich"], API)
        self.assertIn("inline int in_rank(int number) noexcept { return number >= 0 ? number : "
                      "front::special_in(rank_pairs, number); }", text)
        self.assertIn("{-2, -1}", re.search(r"tag_pairs\[\] = .*", text)[0])

    def test_handles_of_mpich_in_hexadecimal(self):
        self.assertIn("{0x0101, 0x44000000},  // MPI_COMM_WORLD", tables.text(ABIS["mpich"], API))

    def test_a_kind_that_the_abi_does_not_have_stays_as_it_is(self):
        self.assertIn("inline int in_tool_safety(int number) noexcept { return number; }",
                      tables.text(ABIS["openmpi"], API))

    def test_callbacks_have_this_abis_handles(self):
        self.assertIn("typedef void (Comm_errhandler_function)(Comm *comm, int *error_code, ...);\n",
                      list(tables.callbacks(API)))


class SymbolsTest(unittest.TestCase):
    def test_a_variable_has_its_size_and_the_standards_handle(self):
        text = symbols.source(ABIS["openmpi"], API)
        self.assertIn("Object<512> ompi_mpi_int_object = {0x209, 39, {}};", text)
        self.assertIn("Object<2048> ompi_mpi_op_sum_object = {0x21, 3, {}};", text)

    def test_what_has_no_counterpart_is_no_handle(self):
        self.assertIn("ompi_mpi_lb_object = {0xffe, 4, {}};", symbols.source(ABIS["openmpi"], API))

    def test_predefined_handles_of_the_standard_are_all_there(self):
        handles = {s.handle for s in ABIS["openmpi"].symbols}
        standard = {c.name for c in API.constants if c.type in handles and not c.alias}
        self.assertEqual(standard - {s.constant for s in ABIS["openmpi"].symbols}, set())
        self.assertEqual(standard - set(ABIS["mpich"].handles), {"MPI_FILE_NULL"})  # which is a null pointer

    def test_only_an_abi_with_variables_has_their_files(self):
        self.assertIn("predefined_objects.cpp", files.files(API, ABIS["openmpi"], INTERFACE, 1))
        self.assertNotIn("predefined_objects.cpp", files.files(API, ABIS["mpich"], INTERFACE, 1))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""The generator of the Fortran bindings, and what libmpifort_abi.so exports. Usage: test_fortran.py LIBRARY [unittest
arguments]"""

import pathlib
import re
import subprocess
import sys
import unittest

BINDINGS = pathlib.Path(__file__).resolve().parents[2] / "bindings"
sys.path.insert(0, str(BINDINGS))

from bindgen import model  # noqa: E402
from bindgen.fortran import (abi, conversions, descriptors, include_file, interfaces, modules, procedures,  # noqa: E402
                             tools)

LIBRARY = pathlib.Path(sys.argv.pop(1)) if __name__ == "__main__" else None
API = model.load(BINDINGS / "api.json")
FUNCTIONS = {f.name: f for f in API.all_functions()}
F08 = interfaces.Style(True, interfaces.BY_DESCRIPTOR)


def procedure(name):
    return "\n".join(procedures.procedures_of(FUNCTIONS[name], abi.STANDARD))


def interface(name, large=False, style=F08):
    return "\n".join(interfaces.body(API, FUNCTIONS[name], large, style))


class ProceduresTest(unittest.TestCase):
    def test_every_function_but_those_of_c_alone(self):
        missing = [f.name for f in API.functions if not conversions.is_fortran(f)]
        self.assertTrue(all(re.match(r"MPI_T_|MPI_\w+_(to|from)int$", name) for name in missing), missing)
        self.assertEqual(len(API.functions) - len(missing), 430)

    def test_arguments_are_addresses_and_converted_by_kind(self):
        text = procedure("MPI_Send")
        self.assertIn("void pmpi_send_(const void* buf, const int* count, const MPI_Fint* datatype, const int* dest, "
                      "const int* tag, const MPI_Fint* comm, MPI_Fint* ierror) noexcept {", text)
        self.assertIn("finish(ierror, PMPI_Send(choice_buffer(buf), *count, handle<MPI_Datatype>(datatype), *dest, "
                      "*tag, handle<MPI_Comm>(comm)));", text)

    def test_names_of_the_standard(self):
        text = procedure("MPI_Send")
        for name in ("mpi_send_", "mpi_send_f08_", "mpi_send_c_f08_", "mpi_send_f08ts_", "mpi_send_c_f08ts_"):
            for symbol in (name, "p" + name):
                self.assertRegex(text, rf"(void|\)) {symbol}[( ]", symbol)
        self.assertNotIn("f08", procedure("MPI_Keyval_free"))  # older than the module
        self.assertNotIn("f08ts", procedure("MPI_Comm_size"))

    def test_lengths_of_strings_come_last(self):
        self.assertIn("MPI_Fint* ierror, std::size_t service_name_length, std::size_t port_name_length)",
                      procedure("MPI_Publish_name"))

    def test_lengths_that_the_communicator_knows(self):
        self.assertIn("Handles<MPI_Datatype>(recvtypes, members(comm, recvbuf))", procedure("MPI_Alltoallw"))
        self.assertIn("Handles<MPI_Datatype>(recvtypes, sources(comm))", procedure("MPI_Neighbor_alltoallw"))
        self.assertIn("Logicals(remain_dims, dimensions(comm))", procedure("MPI_Cart_sub"))

    def test_indices_count_from_one(self):
        self.assertIn("ResultIndex(indx)", procedure("MPI_Waitany"))
        self.assertIn("ResultIndices(array_of_indices, outcount)", procedure("MPI_Testsome"))
        self.assertNotIn("ResultInd", procedure("MPI_Graph_get"))

    def test_what_may_allocate_reports_a_lack_of_memory(self):
        self.assertIn('guarded(ierror, "MPI_Waitall", [&] { return PMPI_Waitall(', procedure("MPI_Waitall"))
        self.assertNotIn("guarded", procedure("MPI_Wait"))

    def test_sections(self):
        self.assertIn("const SectionPair both(sendbuf, recvbuf, datatype);", procedure("MPI_Iallreduce"))
        self.assertIn("const Section recvbuf_(recvbuf, recvtype);", procedure("MPI_Gatherv"))
        self.assertIn('refuse_section("MPI_Buffer_attach", "buffer")', procedure("MPI_Buffer_attach"))
        self.assertIn("const UnpackedSection inbuf_(inbuf, *insize, position);", procedure("MPI_Unpack"))
        for function in filter(descriptors.has_buffers, filter(conversions.is_fortran, API.functions)):
            for large in function.forms():
                text = "\n".join([*descriptors.statements(function, "P", large, True, True),
                                  *descriptors.sections_procedure(function, large, True, True)])
                for p in function.parameters:
                    if p.kind == "BUFFER":  # never the descriptor itself
                        self.assertNotRegex(text, rf"(P{function.name}\w*|callee)\((.*, )?{p.name}[,)]", function.name)

    def test_another_abi_has_other_names(self):
        other = abi.Abi("other", names=lambda name: (name.lower(), name.upper()), f08_names=lambda name: (),
                        descriptor_name=None, large_counts=False)
        text = "\n".join(procedures.procedures_of(FUNCTIONS["MPI_Send"], other))
        self.assertEqual(re.findall(r"decltype\((pmpi_send|mpi_send)\) (\w+)", text),
                         [("pmpi_send", "PMPI_SEND"), ("mpi_send", "MPI_SEND")])
        self.assertNotIn("_c(", text)


class ToolsTest(unittest.TestCase):
    """Names with P call PMPI_X, and all others MPI_X, which a tool in C may define."""

    DEFINITION = re.compile(r"^(?:\[\[gnu::weak\]\] )?\w+ (p?mpix?_\w+_)\([^{]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)

    def test_every_definition_calls_the_function_of_its_name(self):
        for f in filter(tools.is_seen, filter(conversions.is_fortran, API.under_all_names())):
            definitions = self.DEFINITION.findall("\n".join(procedures.procedures_of(f, abi.STANDARD)))
            self.assertGreater(len(definitions), 1, f.name)
            for symbol, body in definitions:
                called = re.findall(rf"\b(P?){f.name}(_c)?\b", re.sub('"[^"]*"', "", body))
                large = "_c" if re.search("_c_f08(ts)?_$", symbol) else ""
                self.assertEqual(set(called), {("P" if symbol.startswith("p") else "", large)}, symbol)

    def test_sections_are_passed_to_the_same_function(self):
        text = procedure("MPI_Isend")
        self.assertIn("return sections_of_MPI_Isend(PMPI_Isend, buf,", text)
        self.assertIn("return sections_of_MPI_Isend(MPI_Isend, buf,", text)
        self.assertIn("return callee(buf_.address(), *count, buf_.datatype(),", text)

    def test_a_further_name_calls_the_function_of_that_name(self):
        other = abi.Abi("other", names=abi.STANDARD.names, f08_names=lambda name: (), descriptor_name=None,
                        synonyms={"MPIX_Bcast_init": "MPI_Bcast_init"})
        text = procedures.files(API, other, 1)["procedures_1.cpp"]
        for prefix in ("P", ""):
            for name in ("MPI_Bcast_init", "MPIX_Bcast_init"):
                self.assertIn(f"finish(ierror, {prefix}{name}(collective_buffer(buffer)", text)

    def test_what_no_tool_sees_has_one_definition(self):
        text = procedure("MPI_Op_create")
        self.assertIn('decltype(pmpi_op_create_) mpi_op_create_ __attribute__((weak, alias("pmpi_op_create_")));', text)

    def test_the_documentation_lists_what_no_tool_sees(self):
        page = (BINDINGS.parent / "docs/fortran.md").read_text(encoding="utf-8")
        listed = page.split("### Calls that tools in C do not see\n")[1].split("\n#")[0]
        unseen = {f.name for f in API.under_all_names() if conversions.is_fortran(f) and not tools.is_seen(f)}
        self.assertEqual(set(re.findall(r"MPIX?_\w+", listed)), unseen)


class InterfacesTest(unittest.TestCase):
    def test_a_choice_buffer(self):
        text = interface("MPI_Isend")
        self.assertIn('bind(C, name="mpi_isend_f08ts_")', text)
        self.assertIn("type(*), dimension(..), intent(in), asynchronous :: buf", text)
        self.assertIn("type(*), dimension(..), asynchronous :: buf", interface("MPI_Irecv"))
        text = interface("MPI_Isend", style=interfaces.Style(False))
        self.assertIn("type(*) :: buf(*)", text)
        for directive in ("!DIR$ IGNORE_TKR buf", "!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf",
                          "!DEC$ ATTRIBUTES NO_ARG_CHECK :: buf"):
            self.assertIn(directive, text)

    def test_names_of_arguments_are_those_of_the_standard(self):
        self.assertIn("integer, intent(out) :: index", interface("MPI_Waitany"))

    def test_statuses_have_no_intent_where_they_may_be_ignored(self):
        self.assertIn("type(MPI_Status) :: status", interface("MPI_Recv"))
        self.assertIn("type(MPI_Status), intent(in) :: status", interface("MPI_Get_count"))

    def test_ierror_is_optional(self):
        self.assertIn("integer, optional, intent(out) :: ierror", interface("MPI_Barrier"))
        self.assertIn("integer, optional :: ierror", interface("MPI_Barrier", style=interfaces.Style(False)))
        self.assertNotIn("ierror", interface("MPI_Pcontrol"))

    def test_shapes(self):
        self.assertIn("integer, intent(in) :: ranges(3, n)", interface("MPI_Group_range_incl"))
        self.assertIn("character(len=*), intent(in) :: array_of_argv(count, *)", interface("MPI_Comm_spawn_multiple"))
        self.assertIn("integer :: array_of_statuses(MPI_STATUS_SIZE, *)",
                      interface("MPI_Waitall", style=interfaces.Style(False)))

    def test_callbacks_of_the_large_form(self):
        self.assertIn("procedure(MPI_User_function_c) :: user_fn", interface("MPI_Op_create", large=True))
        self.assertIn("procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn",
                      interface("MPI_Register_datarep", large=True))


class ModulesTest(unittest.TestCase):
    def test_one_generic_name_for_both_counts_where_they_differ(self):
        text = modules.files(API, interfaces.BY_DESCRIPTOR)["mpi_f08.f90"]
        def specifics(name):
            body = text.split(f"  interface {name}\n")[1].split("end interface")[0]
            return re.findall(r"(?:subroutine|function) (\w+)\(", body)
        self.assertEqual(specifics("MPI_Send"), ["MPI_Send_f08ts", "MPI_Send_c_f08ts"])
        self.assertEqual(specifics("PMPI_Get_count"), ["PMPI_Get_count_f08", "PMPI_Get_count_c_f08"])
        # An address and a count have the same kind here.
        self.assertEqual(specifics("MPI_Type_get_extent"), ["MPI_Type_get_extent_f08"])
        # Only these two are called as _c.
        self.assertEqual(re.findall(r"  interface (MPI_\w+_c)\n", text), ["MPI_Op_create_c", "MPI_Register_datarep_c"])

    def test_every_function_has_an_interface_in_each_module(self):
        for choice in (interfaces.BY_DESCRIPTOR, interfaces.BY_ADDRESS):
            files = modules.files(API, choice)
            for f in filter(conversions.is_fortran, API.functions):
                for prefix in ("", "P"):
                    self.assertRegex(files["mpi.f90"], rf"(subroutine|function) {prefix}{f.name}\(")
                    generic = f"interface {prefix}{f.name}\n"
                    self.assertEqual(conversions.is_f08(f), generic in files["mpi_f08.f90"], f.name)

    def test_without_interfaces_there_is_no_mpi_f08(self):
        files = modules.files(API, interfaces.WITHOUT_INTERFACE)
        self.assertEqual(set(files), {"mpi.f90", "mpi_abi_types.f90", "mpi_ext.f90"})
        self.assertIn("external :: MPI_Send\n", files["mpi.f90"])
        self.assertNotIn("IGNORE_TKR", files["mpi.f90"])

    def test_extensions_have_modules_of_their_own(self):
        files = modules.files(API, interfaces.BY_DESCRIPTOR)
        plain, f08 = files["mpi_ext.f90"], files["mpi_f08_ext.f90"]
        for f in API.extensions.under_all_names():
            for name in (f.name, "P" + f.name):
                self.assertIn(f"  interface {name}\n    subroutine {name}(", plain)
                self.assertIn(f"  interface {name}\n    subroutine {name}_f08(", f08)
            for module in ("mpi.f90", "mpi_f08.f90"):
                self.assertNotIn(f"{f.name}(", files[module])
        for module in (plain, f08):
            self.assertIn("  integer, parameter :: MPIX_ERR_TIMEOUT = 16128\n", module)
            self.assertNotIn(":: MPI_ERR_REVOKED", module)
        self.assertIn("  integer, parameter :: MPI_ERR_REVOKED = 16131\n", files["mpi_abi_types.f90"])

    def test_flags_of_agreements_are_numbers_and_others_logicals(self):
        text = modules.files(API, interfaces.BY_DESCRIPTOR)["mpi_f08_ext.f90"]
        self.assertIn("integer, intent(inout), asynchronous :: flag", text)
        self.assertIn("logical, intent(out) :: flag", text)
        self.assertIn("finish(ierror, PMPIX_Comm_agree(handle<MPI_Comm>(comm), flag));", procedure("MPIX_Comm_agree"))
        self.assertIn("ResultLogical(flag)", procedure("MPIX_Comm_is_revoked"))
        self.assertIn("written::comm_ishrink(comm, newcomm, request)", procedure("MPIX_Comm_ishrink"))

    def test_lines_fit(self):
        for choice in (interfaces.BY_DESCRIPTOR, interfaces.BY_ADDRESS, interfaces.WITHOUT_INTERFACE):
            for text in modules.files(API, choice).values():
                self.assertLessEqual(max(map(len, text.splitlines())), 132)


class IncludeFileTest(unittest.TestCase):
    def test_is_valid_in_fixed_and_in_free_form(self):
        for line in (include_file.text(API) + include_file.extensions(API)).splitlines():
            self.assertLessEqual(len(line), 72)
            self.assertRegex(line, r"^(!|      \S)")

    def test_strings_need_no_room_for_a_null_character(self):
        self.assertIn("PARAMETER (MPI_MAX_ERROR_STRING=511)", include_file.text(API))


class LibraryTest(unittest.TestCase):
    def exported(self):
        lines = subprocess.run(["nm", "-D", "--defined-only", str(LIBRARY)], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        return {line.split()[2]: line.split()[1] for line in lines}

    def test_exports_every_procedure_and_nothing_else(self):
        symbols = self.exported()
        expected = set()
        for f in filter(conversions.is_fortran, API.functions + API.extensions.under_all_names()):
            for name in (f.name, "P" + f.name):
                expected.add(f"{name.lower()}_")
                if procedures.returns_address(f):
                    expected.add(f"{name.lower()}_cptr_")
                if not conversions.is_f08(f):
                    continue
                for form in ("", "_c") if f.has_large else ("",):
                    expected.add(f"{name.lower()}{form}_f08_")
                    if descriptors.has_buffers(f):
                        expected.add(f"{name.lower()}{form}_f08ts_")
        self.assertEqual(expected - symbols.keys(), set())
        for name in symbols.keys() - expected:
            self.assertRegex(name, r"^(mpi_abi_\w+_|p?mpi_(sizeof|f_sync_reg|status_f)\w*_|mpi_\w*_?fn(_null)?(_c)?_"
                                   r"|bowline_(is_section|remember|add_one|length_of|is_address_))$")
        self.assertEqual({symbols[name] for name in expected if name.startswith("mpi")}, {"W"})

    def test_leaves_both_names_of_each_function_to_the_loader(self):
        """Without a version, so that a tool's definition serves as well."""
        lines = subprocess.run(["nm", "-D", "--undefined-only", str(LIBRARY)], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        wanted = {line.split()[-1] for line in lines}
        for f in filter(tools.is_seen, filter(conversions.is_f08, API.under_all_names())):
            for form in ("", "_c") if f.has_large else ("",):
                self.assertLessEqual({f"{f.name}{form}", f"P{f.name}{form}"}, wanted)

    def test_has_the_soname_of_the_standard_abi_and_needs_its_library(self):
        dynamic = subprocess.run(["readelf", "--dynamic", "--wide", str(LIBRARY)], capture_output=True, text=True,
                                 check=True).stdout
        self.assertIn("soname: [libmpifort_abi.so.1]", dynamic)
        self.assertIn("[libmpi_abi.so.1]", dynamic)
        self.assertNotIn("gfortran", dynamic)


if __name__ == "__main__":
    unittest.main()

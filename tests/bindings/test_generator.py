# SPDX-License-Identifier: BSD-3-Clause
"""Unit tests of the generator: how parameters are classified, checked, widened and narrowed; how bodies are found."""
import unittest

from generator_case import API, FUNCTIONS, entry
from bindgen import (bodies, chapters, checked_calls, checked_facts, checks, collectives, entry_points, header, model,
                     sources)


class DeclarationTest(unittest.TestCase):
    def test_splits_type_name_and_array(self):
        pointer = model.Declaration.parse("char ***argv")
        self.assertEqual((pointer.type, pointer.name, pointer.suffix), ("char ***", "argv", ""))
        array = model.Declaration.parse("const MPI_Aint array_of_displacements[]")
        self.assertEqual((array.type, array.name, array.suffix), ("const MPI_Aint", "array_of_displacements", "[]"))

    def test_type_without_name_is_the_same_c_type(self):
        self.assertEqual(model.Declaration.parse("int ranges[][3]").unnamed(), "int (*)[3]")
        self.assertEqual(model.Declaration.parse("const int counts[]").unnamed(), "const int *")
        self.assertEqual(model.Declaration.parse("...").unnamed(), "...")

    def test_refuses_what_is_no_parameter(self):
        with self.assertRaisesRegex(ValueError, "cannot read the C parameter"):
            model.Declaration.parse("int")


class ModelTest(unittest.TestCase):
    def test_counts_of_the_standard(self):
        self.assertEqual(len(API.functions), 503)
        self.assertEqual(sum(len(f.forms()) for f in API.functions), 662)

    def test_polymorphic_is_what_differs_between_the_forms(self):
        send = {p.name: p.is_polymorphic for p in FUNCTIONS["MPI_Send"].parameters}
        self.assertEqual([n for n, polymorphic in send.items() if polymorphic], ["count"])
        self.assertFalse(any(p.is_polymorphic for p in FUNCTIONS["MPI_Waitall"].parameters))

    def test_an_int_that_is_no_error_class(self):
        self.assertFalse(FUNCTIONS["MPI_Comm_toint"].returns_code)
        self.assertFalse(FUNCTIONS["MPI_Wtime"].returns_code)
        self.assertTrue(FUNCTIONS["MPI_Send"].returns_code)

    def test_every_function_and_integer_has_its_place_in_the_header(self):
        for f in API.functions:
            self.assertIn(chapters.function_chapter(f.name), chapters.CHAPTER_ORDER)
        with self.assertRaisesRegex(ValueError, "fits no section"):
            chapters.function_chapter("MPI_Frobnicate")


class CheckedCallsTest(unittest.TestCase):
    def checked(self, name, large=False):
        return checked_calls.text(FUNCTIONS[name], large)

    def test_entry_points_test_one_flag(self):
        self.assertIn("if (Call::is_special() && CheckedCall::is_due()) [[unlikely]] return "
                      "checked_MPI_Isend_c(buf, count, datatype, dest, tag, comm, request);",
                      entry("MPI_Isend", large=True))
        self.assertNotIn("needs_mpi", entry("MPI_Isend"))
        self.assertIn("call.needs_mpi();", entry("MPI_Comm_rank"))
        for name in ("MPI_Comm_rank", "MPI_Finalize", "MPI_Info_create", "MPI_Session_finalize", "MPI_T_finalize"):
            self.assertNotIn("is_special", entry(name))

    def test_what_is_made_and_what_may_end(self):
        self.assertIn("  call.made(newcomm);", self.checked("MPI_Comm_dup"))
        self.assertIn("call.takes(array_of_requests, count);", self.checked("MPI_Waitall"))
        self.assertIn("call.takes(message);", self.checked("MPI_Imrecv"))
        self.assertIn("  call.made(request);", self.checked("MPI_Imrecv"))
        self.assertIn("if (*flag != 0) call.made(message);", self.checked("MPI_Improbe"))
        for name in ("MPI_Type_match_size", "MPI_Type_create_f90_real", "MPI_Get_count"):
            self.assertFalse(checked_facts.is_one(FUNCTIONS[name]), name)

    def test_only_buffers_whose_arguments_count_everywhere(self):
        used = {name: [buffer.name for buffer, _, _ in checked_facts.buffers(FUNCTIONS[name])]
                for name in ("MPI_Isend", "MPI_Sendrecv", "MPI_Reduce", "MPI_Gather", "MPI_Scatter", "MPI_Allgatherv",
                             "MPI_Alltoallw", "MPI_Ibcast", "MPI_Ireduce_scatter_block", "MPI_Put", "MPI_File_iread")}
        self.assertEqual(used, {"MPI_Isend": ["buf"], "MPI_Sendrecv": ["sendbuf", "recvbuf"], "MPI_Reduce": ["sendbuf"],
                                "MPI_Gather": ["sendbuf"], "MPI_Scatter": ["recvbuf"], "MPI_Allgatherv": ["sendbuf"],
                                "MPI_Alltoallw": [], "MPI_Ibcast": [],
                                "MPI_Ireduce_scatter_block": ["sendbuf", "recvbuf"], "MPI_Put": ["origin_addr"],
                                "MPI_File_iread": []})
        self.assertIn("if (dest != MPI_PROC_NULL) call.uses(sendbuf, sendcount, sendtype, checking::Access::reads);",
                      self.checked("MPI_Sendrecv"))
        self.assertIn("call.uses_in(comm, sendbuf, count, datatype, checking::Access::reads, request);",
                      self.checked("MPI_Ireduce"))
        self.assertIn("checking::Access::reads, win, target_rank);", self.checked("MPI_Put"))
        self.assertIn("  call.synchronized(win, rank);", self.checked("MPI_Win_unlock"))
        self.assertIn("  call.synchronized(win);", self.checked("MPI_Win_fence"))

    def test_sends_have_a_body_that_tells_the_type(self):
        text = entry_points.checked_text(FUNCTIONS["MPI_Isend"], False)
        self.assertIn("api::checked_isend(buf,", text)
        self.assertIn("const int code = executed_MPI_Isend(buf,", text)
        self.assertIn("api::checked_sendrecv(sendbuf,",
                      entry_points.checked_text(FUNCTIONS["MPI_Sendrecv"], False))
        receive = entry_points.checked_text(FUNCTIONS["MPI_Irecv"], False)
        self.assertIn("void* const into = call.into(buf, count, datatype);", receive)
        self.assertIn("const int code = bowline_PMPI_Irecv(into,", receive)
        self.assertEqual(entry_points.checked_text(FUNCTIONS["MPI_Comm_rank"], False), "")


class CollectiveFormsTest(unittest.TestCase):
    def test_three_forms_have_one_body(self):
        for blocking, others in {"MPI_Barrier": ("MPI_Ibarrier", "MPI_Barrier_init"),
                                 "MPI_Alltoallw": ("MPI_Ialltoallw", "MPI_Alltoallw_init"),
                                 "MPI_Reduce": ("MPI_Ireduce", "MPI_Reduce_init"),
                                 "MPI_Neighbor_allgather": ("MPI_Ineighbor_allgather", "MPI_Neighbor_allgather_init"),
                                 }.items():
            for other in others:
                self.assertEqual(bodies.declaration(FUNCTIONS[other]), bodies.declaration(FUNCTIONS[blocking]))

    def test_other_functions_have_none(self):
        for name in ("MPI_Op_create", "MPI_Reduce_local", "MPI_Send", "MPI_Send_init", "MPI_Comm_split"):
            self.assertIsNone(collectives.form(FUNCTIONS[name]))

    def test_the_form_carries_the_request(self):
        self.assertIn("api::bcast(CollectiveForm::blocking(), buffer,", entry("MPI_Bcast"))
        self.assertIn("api::bcast(CollectiveForm::nonblocking(request), buffer,",
                      entry("MPI_Ibcast", large=True))
        self.assertIn("api::bcast(CollectiveForm::persistent(request), buffer,", entry("MPI_Bcast_init"))
        self.assertIn('api::hints_of(info, "info");', entry("MPI_Bcast_init"))

    def test_arguments_of_the_root_and_of_the_others(self):
        text = entry("MPI_Igather")
        self.assertIn("check::committed_if(at_leaf && sendbuf != MPI_IN_PLACE, sendtype,", text)
        self.assertIn("check::committed_if(at_root && recvbuf != MPI_IN_PLACE, recvtype,", text)
        # On an intercommunicator some processes take no part.
        self.assertIn("check::committed_if(root != MPI_PROC_NULL, datatype,", entry("MPI_Reduce"))

    def test_the_error_handler_of_what_is_made_hears_of_errors(self):
        self.assertIn("call.failed(errhandler, MPI_COMM_NULL);", entry("MPI_Comm_create_from_group"))
        self.assertIn("call.failed(errhandler, MPI_SESSION_NULL);", entry("MPI_Session_init"))
        self.assertIn("call.failed();", entry("MPI_Comm_set_errhandler"))

    def test_error_handlers_run_outside_of_the_catch_block(self):
        """So that they may leave the call by longjmp()."""
        self.assertIn("    call.failed();\n  }\n  return call.raise();\n}", entry("MPI_Comm_set_errhandler"))

    def test_intercommunicators(self):
        self.assertNotIn("check::intra", entry("MPI_Iallreduce"))
        for name in ("MPI_Scan", "MPI_Iexscan", "MPI_Neighbor_alltoall_init", "MPI_Cart_create"):
            self.assertIn("check::intra", entry(name))


class BodySignatureTest(unittest.TestCase):
    def check(self, name, expected):
        self.assertEqual(bodies.declaration(FUNCTIONS[name]), expected)

    def test_handles_become_references_and_counts_wide(self):
        self.check("MPI_Send", "void send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, "
                               "int tag, comm::Communicator& comm);")
        self.check("MPI_Reduce_local", "void reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, "
                                       "const dtype::Datatype& datatype, const dtype::Op& op);")

    def test_results_and_arrays_of_handles_stay_as_in_c(self):
        self.check("MPI_Waitall", "void waitall(int count, MPI_Request array_of_requests[], "
                                  "MPI_Status* array_of_statuses);")
        self.check("MPI_Comm_dup", "void comm_dup(comm::Communicator& comm, MPI_Comm* newcomm);")

    def test_arrays_of_counts_hide_their_width(self):
        self.assertIn("CountArray recvcounts, CountArray displs", bodies.declaration(FUNCTIONS["MPI_Gatherv"]))

    def test_wide_results(self):
        self.check("MPI_Get_count",
                   "void get_count(const MPI_Status* status, const dtype::Datatype& datatype, MPI_Count* count);")

    def test_a_callback_of_either_form(self):
        self.check("MPI_Op_create", "void op_create(MPI_User_function* user_fn, MPI_User_function_c* user_fn_c, "
                                    "int commute, MPI_Op* op);")

    def test_values_are_returned(self):
        self.check("MPI_Wtime", "double wtime();")
        self.check("MPI_Comm_fromint", "MPI_Comm comm_fromint(int comm);")


class CheckTest(unittest.TestCase):
    def lines(self, name):
        return list(checks.lines(FUNCTIONS[name]))

    def test_the_communicator_comes_first(self):
        for f in API.functions:
            lines = list(checks.lines(f))
            communicators = [i for i, line in enumerate(lines) if "call.comm(" in line]
            self.assertEqual(communicators, list(range(len(communicators))), f.name)

    def test_ranks_by_name(self):
        self.assertIn('check::dest(dest, "dest", comm_);', self.lines("MPI_Send"))
        self.assertIn('check::source(source, "source", comm_);', self.lines("MPI_Irecv"))
        self.assertIn('check::root(root, "root", comm_);', self.lines("MPI_Bcast"))
        self.assertIn('check::dest(dest, "dest", comm_);', self.lines("MPI_Precv_init"))

    def test_only_a_receive_allows_any_tag(self):
        self.assertIn('check::receive_tag(tag, "tag");', self.lines("MPI_Probe"))
        self.assertIn('check::tag(tag, "tag");', self.lines("MPI_Isend"))
        both = self.lines("MPI_Sendrecv")
        self.assertIn('check::tag(sendtag, "sendtag");', both)
        self.assertIn('check::receive_tag(recvtag, "recvtag");', both)

    def test_data_needs_a_committed_datatype_and_a_query_does_not(self):
        self.assertIn('const auto& datatype_ = check::committed(datatype, "datatype");', self.lines("MPI_Pack"))
        self.assertIn('const auto& datatype_ = check::datatype(datatype, "datatype");', self.lines("MPI_Type_size"))

    def test_the_datatype_of_a_message_or_a_broadcast_may_depend_on_its_length(self):
        expected = 'const auto& datatype_ = check::committed_for(count, datatype, "datatype");'
        for name in ("MPI_Send", "MPI_Irecv", "MPI_Mrecv", "MPI_Psend_init"):
            self.assertIn(expected, self.lines(name))
        self.assertIn('const auto& recvtype_ = check::committed_for(recvcount, recvtype, "recvtype");',
                      self.lines("MPI_Isendrecv"))
        # On an intercommunicator some processes take no part.
        self.assertIn('const auto& datatype_ = check::committed_for(count, root != MPI_PROC_NULL ? datatype : '
                      'MPI_BYTE, "datatype");', self.lines("MPI_Ibcast"))

    def test_a_status_may_be_ignored_as_a_result_only(self):
        self.assertFalse([line for line in self.lines("MPI_Recv") if "status" in line])
        self.assertIn('check::pointer(status, "status");', self.lines("MPI_Get_count"))

    def test_a_stride_may_be_negative(self):
        lines = self.lines("MPI_Type_vector")
        self.assertIn('check::count(count, "count");', lines)
        self.assertFalse([line for line in lines if "stride" in line])

    def test_what_is_significant_at_the_root_only(self):
        lines = self.lines("MPI_Gather")
        self.assertLess(lines.index('check::root(root, "root", comm_);'),
                        lines.index("const bool at_root = check::is_root(root, comm_);"))
        self.assertIn('const auto& recvtype_ = check::committed_if(at_root && recvbuf != MPI_IN_PLACE, recvtype, '
                      '"recvtype");', lines)

    def test_in_place_makes_one_side_insignificant(self):
        self.assertIn('if (sendbuf != MPI_IN_PLACE) check::count(sendcount, "sendcount");', self.lines("MPI_Allgather"))
        self.assertIn('check::count(sendcount, "sendcount");', self.lines("MPI_Sendrecv"))

    def test_the_tool_interface_takes_null_results(self):
        self.assertEqual(self.lines("MPI_T_cvar_get_info"), [])


class BodyScanTest(unittest.TestCase):
    def found(self, text):
        return bodies.defined_in("namespace bowline::api {\n" + text + "\n}  // namespace bowline::api\n")

    def test_definitions_at_the_start_of_a_line(self):
        text = "void send(const void* buf,\n          int tag) {\n}\n\ndouble wtime() noexcept {\n}"
        self.assertEqual(self.found(text), {"send", "wtime"})

    def test_a_declaration_is_no_body(self):
        self.assertEqual(self.found("void send(const void* buf, int (*f)(int));"), set())

    def test_neither_is_a_helper_nor_a_call(self):
        self.assertEqual(self.found("static void send(int a) {\n}\nvoid recv(int a) {\n  send(a);\n}"), {"recv"})

    def test_outside_of_the_namespace_nothing_counts(self):
        self.assertEqual(bodies.defined_in("void send(int a) {\n}\n"), set())

    def test_two_bodies_are_an_error(self):
        text = "namespace bowline::api {\nvoid send() {\n}\n}"
        with self.assertRaisesRegex(ValueError, "body send is defined twice: in a.cpp and in b.cpp"):
            bodies.implemented(API, {"a.cpp": text, "b.cpp": text})

    def test_coverage_says_what_was_found(self):
        files = sources.files(API, {"a.cpp": "namespace bowline::api {\nvoid send() {\n}\n}"}, 2)
        self.assertIn('{"MPI_Send", true, false},', files["coverage.cpp"])
        self.assertIn('{"MPI_Send_c", true, true},', files["coverage.cpp"])
        self.assertEqual(files["coverage.cpp"].count(", true, "), 2)
        everything = files["entry_points_1.cpp"] + files["entry_points_2.cpp"]
        extensions = sum(len(f.under_all_names()) for f in API.extensions.functions)
        self.assertEqual(everything.count("__attribute__((weak"), 662 + 2 + extensions)
        self.assertEqual(everything.count("api::send("), 2)


class HeaderTest(unittest.TestCase):
    def test_constants(self):
        constants = {c.name: header.define(c) for c in API.constants if not c.alias}
        self.assertEqual(constants["MPI_VERSION"], "#define MPI_VERSION 5")
        self.assertEqual(constants["MPI_ANY_SOURCE"], "#define MPI_ANY_SOURCE (-1)")
        self.assertEqual(constants["MPI_COMM_WORLD"], "#define MPI_COMM_WORLD ((MPI_Comm)0x00000101)")
        self.assertEqual(constants["MPI_ARGVS_NULL"], "#define MPI_ARGVS_NULL ((char ***)0)")

    def test_no_line_is_wider_than_the_page(self):
        self.assertLessEqual(max(map(len, header.text(API).splitlines())), 120)


if __name__ == "__main__":
    unittest.main()

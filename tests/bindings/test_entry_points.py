# SPDX-License-Identifier: BSD-3-Clause
"""Unit tests of the generator: the entry points that it writes, of the standard's functions and of extensions."""
import unittest

from generator_case import API, FUNCTIONS, entry
from bindgen import bodies, checked_calls, sources


class EntryPointTest(unittest.TestCase):
    def test_profiling_name_with_a_weak_alias(self):
        text = entry("MPI_Send")
        self.assertIn("int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, "
                      "MPI_Comm comm) {", text)
        self.assertIn('decltype(PMPI_Send) MPI_Send __attribute__((weak, alias("PMPI_Send")));', text)

    def test_one_body_serves_both_forms(self):
        self.assertIn("api::send(buf, count, datatype_, dest, tag, comm_);", entry("MPI_Send"))
        self.assertIn("api::send(buf, count, datatype_, dest, tag, comm_);", entry("MPI_Send", large=True))

    def test_the_small_form_narrows_its_results(self):
        small, large = entry("MPI_Get_count"), entry("MPI_Get_count", large=True)
        self.assertIn("MPI_Count count_ = 0;", small)
        self.assertIn("api::get_count(status, datatype_, &count_);\n    *count = narrow(count_);", small)
        self.assertIn("api::get_count(status, datatype_, count);", large)
        self.assertNotIn("narrow", large)

    def test_what_goes_in_and_out_starts_with_the_callers_value(self):
        self.assertIn("MPI_Count position_ = *position;", entry("MPI_Pack"))

    def test_sizes_that_are_64_bits_in_both_forms_are_not_narrowed(self):
        self.assertNotIn("narrow", entry("MPI_Type_get_extent"))

    def test_the_small_form_lacks_what_only_the_large_one_has(self):
        self.assertIn("&num_addresses_, nullptr, &num_datatypes_, combiner);", entry("MPI_Type_get_envelope"))

    def test_a_datatype_learns_with_which_form_it_is_made(self):
        self.assertIn("api::type_contiguous(CountWidth::small, count, ", entry("MPI_Type_contiguous"))
        self.assertIn("api::type_contiguous(CountWidth::large, count, ", entry("MPI_Type_contiguous", large=True))
        self.assertIn("api::type_size(datatype_, ", entry("MPI_Type_size"))

    def test_the_callback_of_the_form(self):
        self.assertIn("api::op_create(user_fn, nullptr, commute, op);", entry("MPI_Op_create"))
        self.assertIn("api::op_create(nullptr, user_fn, commute, op);", entry("MPI_Op_create", large=True))

    def test_what_may_be_called_at_any_time(self):
        self.assertIn('Call call("MPI_T_cvar_read", Call::of_tool);', entry("MPI_T_cvar_read"))
        self.assertIn('Call call("MPI_Initialized", Call::any_time);', entry("MPI_Initialized"))
        self.assertIn('Call call("MPI_Finalize");', entry("MPI_Finalize"))

    def test_what_moves_messages_holds_the_lane_of_its_communicator(self):
        lane = "const LockGuard lane(comm_.engine().lock());"
        for name in ("MPI_Send", "MPI_Irecv", "MPI_Bcast", "MPI_Bsend", "MPI_Psend_init"):
            for large in (False, True):
                if large and name == "MPI_Psend_init":
                    continue
                text = entry(name, large)
                self.assertIn(", Call::communicating);", text)
                self.assertEqual(text.count("LockGuard"), 1, name)
                self.assertLess(text.index("comm_ ="), text.index(lane), name)
                self.assertLess(text.index(lane), text.index("api::"), name)

    def test_arguments_are_checked_before_the_lane_is_taken(self):
        text = entry("MPI_Send")
        self.assertLess(text.rindex("check::"), text.index("LockGuard"))

    def test_what_moves_messages_without_a_communicator_finds_the_lane_itself(self):
        for name in ("MPI_Wait", "MPI_Testall", "MPI_Start", "MPI_Request_free", "MPI_Mrecv", "MPI_Buffer_attach"):
            text = entry(name)
            self.assertIn(f'Call call("{name}", Call::communicating);', text)
            self.assertNotIn("LockGuard", text)

    def test_everything_else_holds_the_lock_of_the_library(self):
        for name in ("MPI_Comm_rank", "MPI_Comm_set_errhandler", "MPI_Type_size", "MPI_Finalize"):
            text = entry(name)
            self.assertIn(f'Call call("{name}");', text)
            self.assertNotIn("LockGuard", text)

    def test_conversions_of_handles_hold_no_lock(self):
        self.assertIn('Call call("MPI_Comm_toint", Call::communicating);', entry("MPI_Comm_toint"))
        self.assertNotIn("Call", entry("MPI_Request_fromint"))  # cannot fail

    def test_statuses_are_read_and_written_at_any_time(self):
        for name in (n for n in FUNCTIONS if n.startswith("MPI_Status_") and FUNCTIONS[n].returns_code):
            self.assertIn(f'Call call("{name}", Call::any_time);', entry(name))

    def test_without_a_body_the_communicators_handler_hears_the_name(self):
        text = entry("MPI_Win_create", large=True, has_body=False)
        self.assertIn('return Call("MPI_Win_create_c", Call::any_time).unsupported(comm);', text)
        self.assertIn("void*, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, MPI_Win*", text)

    def test_without_a_body_a_value_is_null(self):
        self.assertIn("return MPI_DATATYPE_NULL;", entry("MPI_Type_fromint", has_body=False))
        self.assertIn("return -1;", entry("MPI_Comm_toint", has_body=False))

    def test_without_a_body_the_tool_interface_returns_its_own_class(self):
        self.assertIn("return MPI_T_ERR_NOT_SUPPORTED;", entry("MPI_T_init_thread", has_body=False))

    def test_a_clock_costs_nothing(self):
        self.assertNotIn("Call", entry("MPI_Wtime"))


class ExtensionTest(unittest.TestCase):
    """What include/mpi-ext.h declares."""

    def test_bodies_lose_the_prefix_too(self):
        self.assertEqual(bodies.declaration(FUNCTIONS["MPIX_Comm_iagree"]),
                         "void comm_iagree(comm::Communicator& comm, int* flag, MPI_Request* request);")
        self.assertEqual(bodies.declaration(FUNCTIONS["MPIX_Rendezvous"]), "void rendezvous(const char* line);")

    def test_profiling_names_and_those_of_the_forum(self):
        text = entry("MPIX_Comm_revoke")
        self.assertIn("int PMPIX_Comm_revoke(MPI_Comm comm) {", text)
        self.assertIn('decltype(PMPIX_Comm_revoke) MPIX_Comm_revoke __attribute__((weak, alias("PMPIX_Comm_revoke")));',
                      text)
        for name in ("PMPI_Comm_revoke", "MPI_Comm_revoke", "bowline_PMPIX_Comm_revoke"):
            self.assertIn(f"decltype(PMPIX_Comm_revoke) {name} __attribute__", text)
        self.assertNotIn(" MPI_Comm_agree", entry("MPIX_Comm_agree"))

    def test_bodies_take_the_lock_of_the_lane(self):
        for f in API.extensions.functions:
            text = entry(f.name)
            self.assertNotIn("LockGuard", text)
            if f.name != "MPIX_Rendezvous":
                self.assertIn(f'Call call("{f.name}", Call::communicating);', text)
                self.assertIn('auto& comm_ = call.comm(comm, "comm");', text)
                self.assertNotIn("check::intra", text)
        self.assertIn("Call::any_time);", entry("MPIX_Rendezvous"))

    def test_arguments_are_checked(self):
        self.assertIn('check::non_negative(num_to_ack, "num_to_ack");', entry("MPIX_Comm_ack_failed"))
        self.assertIn('check::pointer(flag, "flag");', entry("MPIX_Comm_agree"))
        self.assertIn('check::pointer(request, "request");', entry("MPIX_Comm_ishrink"))

    def test_what_is_made_and_who_learns_of_others(self):
        shrink = checked_calls.text(FUNCTIONS["MPIX_Comm_shrink"], False)
        for part in ("call.made(newcomm);", "call.tells();", "call.learns();"):
            self.assertIn(part, shrink)
        self.assertIn("call.learns();", checked_calls.text(FUNCTIONS["MPIX_Comm_agree"], False))
        self.assertIn("call.made(failedgrp);", checked_calls.text(FUNCTIONS["MPIX_Comm_get_failed"], False))

    def test_without_a_body(self):
        self.assertIn('return Call("MPIX_Comm_shrink", Call::any_time).unsupported(comm);',
                      entry("MPIX_Comm_shrink", has_body=False))

    def test_the_coverage_of_the_standard_does_not_count_them(self):
        body = "namespace bowline::api {\nvoid comm_agree(int a) {\n}\n}"
        files = sources.files(API, {"a.cpp": body}, 1)
        self.assertNotIn("MPIX", files["coverage.cpp"])
        self.assertNotIn("true, false", files["coverage.cpp"])
        self.assertIn("api::comm_agree(comm_, flag);", files["entry_points_1.cpp"])


if __name__ == "__main__":
    unittest.main()

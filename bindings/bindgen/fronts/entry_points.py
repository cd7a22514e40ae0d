# SPDX-License-Identifier: BSD-3-Clause
"""Writes the entry points of a front end: PMPI_X with its weak alias MPI_X, which convert the arguments, call Bowline's
function and convert the results."""

import re

from .. import bodies
from . import kinds, strings

# Functions whose arguments need more than conversion one by one: front/ has a function of the same name for each.
WRITTEN_BY_HAND = {
    "MPI_Op_create", "MPI_Comm_create_errhandler", "MPI_Win_create_errhandler", "MPI_File_create_errhandler",
    "MPI_Session_create_errhandler", "MPI_Comm_create_keyval", "MPI_Type_create_keyval", "MPI_Win_create_keyval",
    "MPI_Keyval_create", "MPI_Comm_get_attr", "MPI_Type_get_attr", "MPI_Win_get_attr", "MPI_Attr_get",
    "MPI_Grequest_start", "MPI_Register_datarep", "MPI_Comm_idup", "MPI_Comm_idup_with_info", "MPI_Waitall",
    "MPI_Testall", "MPI_Waitsome", "MPI_Testsome", "MPI_Request_get_status_all", "MPI_Request_get_status_some",
    "MPI_Type_create_struct", "MPI_Type_get_contents", "MPI_Group_translate_ranks", "MPI_Lookup_name",
    "MPIX_Comm_ishrink", "MPI_T_event_register_callback", "MPI_T_event_set_dropped_handler", "MPI_T_event_handle_free",
}

# The displacement that means "where the shared file pointer is".
DISPLACEMENT = ("MPI_File_set_view", "disp")

# A number for the environment of the program, not an error code of MPI.
EXIT_STATUS = ("MPI_Abort", "errorcode")


def text(function, large, abi):
    """The declaration that gives the entry point its name, its definition and the alias."""
    name = function.entry_name(large)
    own = re.sub(r"^MPIX?_", "", name)
    parameters = ", ".join(_parameters(function, large))
    returns = kinds.foreign_type(function.returns)
    body = "".join(f"  {line}\n" for line in _body(function, large, abi))
    return (f'extern "C" {returns} front_{own}({parameters}) __asm__("P{name}");\n'
            f"{returns} front_{own}({parameters}) {{\n{body}}}\n"
            + _alias(own, name, f"P{name}", "weak, ") + _names_of_old(own)
            + "".join(_synonym(own, synonym, name) for synonym in _further_names(function, name, abi)))


def _further_names(function, name, abi):
    """Those of the other MPI, and of an extension."""
    return [synonym for synonym, of in abi.synonyms.items() if of == name] + [*(function.also if function.text else ())]


def _alias(own, name, target, weak=""):
    return (f'extern "C" decltype(front_{own}) front_{name} __asm__("{name}") '
            f'__attribute__(({weak}alias("{target}")));\n')


def _synonym(own, synonym, name):
    return _alias(own, f"P{synonym}", f"P{name}") + _alias(own, synonym, f"P{name}", "weak, ")


def _names_of_old(own):
    """MPI_Comm_toint is called MPI_Comm_c2f in libraries older than MPI-5.0, and MPI_Comm_fromint is MPI_Comm_f2c."""
    for new, old in (("_toint", "_c2f"), ("_fromint", "_f2c")):
        if own.endswith(new):
            return _synonym(own, f"MPI_{own.removesuffix(new)}{old}", f"MPI_{own}")
    return ""


def _parameters(function, large):
    for declared in function.c_parameters(large):
        changed = kinds.foreign_type(declared.text()) if declared.name else declared.text()
        yield bodies.cpp_type(changed)


def _body(function, large, abi):
    names = ", ".join(d.name for d in function.c_parameters(large))
    if function.name in WRITTEN_BY_HAND:
        yield f"return front::{function.body}({names});"
        return
    if not function.has_kinds:
        yield f"return abi::{function.body}({names});"
        return
    call = _Conversion(function, large, abi)
    native = f"bowline_P{function.entry_name(large)}({', '.join(call.arguments)})"
    yield from call.before
    if not function.returns_code:
        yield f"return {native};"
        return
    if not call.after and not call.on_success:
        yield f"return front::out_code({native});"
        return
    yield f"const int code = {native};"
    yield from call.after
    if len(call.on_success) > 1:
        yield "if (code == MPI_SUCCESS) {"
        yield from ("  " + line for line in call.on_success)
        yield "}"
    else:
        yield from (f"if (code == MPI_SUCCESS) {line}" for line in call.on_success)
    yield "return front::out_code(code);"


class _Conversion:
    """What an entry point does with each parameter."""

    def __init__(self, function, large, abi):
        self.function = function
        self.large = large
        self.abi = abi
        self.before = []  # statements before the call
        self.arguments = []  # expressions
        self.after = []  # statements after the call
        self.on_success = []  # statements after a call that succeeded
        for p in function.parameters:
            if p.declaration(large) is not None and p.kind != "VARARGS":
                self.arguments.append(self._argument(p))

    def _argument(self, p):
        if p.kind in kinds.HANDLES:
            return self._handle(p, kinds.HANDLES[p.kind])
        if p.kind == "STATUS":
            return self._status(p)
        if p.kind == "BUFFER":
            return self._address(p)
        if p.kind == "C_BUFFER2":  # a buffer for buffered sends that is detached
            self.on_success.append(f"front::change_bsend_buffer({p.name});")
            return p.name
        if p.kind == "WEIGHT" and p.intent == "in":
            return f"front::in_weights({p.name})"
        if p.kind == "STRING" and p.intent == "out":
            return self._string(p)
        if (self.function.name, p.name) == DISPLACEMENT:
            return f"front::in_displacement({p.name})"
        if p.kind in kinds.VALUES and (self.function.name, p.name) != EXIT_STATUS:
            return self._value(p, kinds.VALUES[p.kind])
        return p.name

    def _handle(self, p, noun):
        if p.is_array:
            return self._handle_array(p, noun)
        if p.intent == "in" and not p.small.type.endswith("*"):
            return f"abi::in_{noun}({p.name})"
        standard = p.small.type.removesuffix("*").strip()
        if p.intent == "out":
            self.before.append(f"{standard} {p.name}_{{}};")
            optional = f"if ({p.name} != nullptr) " if self.function.is_tool else ""
            self.on_success.append(f"{optional}*{p.name} = abi::out_{noun}({p.name}_);")
            return f"{p.name} == nullptr ? nullptr : &{p.name}_"
        self.before.append(f"front::Changing<{standard}, abi::{standard.removeprefix('MPI_')}, abi::in_{noun}, "
                           f"abi::out_{noun}> {p.name}_({p.name});")
        if p.intent == "inout":
            self.after.append(f"{p.name}_.store();")
        return f"{p.name}_.standard()"

    def _handle_array(self, p, noun):
        if p.intent == "out":
            self.before.append(f"front::NewTypes {p.name}_({p.length}, {p.name});")
            self.on_success.append(f"{p.name}_.store();")
            return f"{p.name}_.data()"
        if noun == "request" and p.intent == "inout":
            self.before.append(f"abi::Requests {p.name}_({p.length}, {p.name});")
            self.after.append(f"{p.name}_.store();")
            return f"{p.name}_.data()"
        length = p.length if p.length != "*" else self._length(p)
        kind = {"type": "Types", "info": "Infos", "request": "ConstRequests"}[noun]
        self.before.append(f"const front::{kind} {p.name}_({length}, {p.name});")
        return f"{p.name}_.data()"

    def _length(self, p):
        """How many elements an array has whose length the communicator determines."""
        if p.kind == "INFO":
            return "count"
        side = "send" if p.name.startswith("send") else "receive"
        if "alltoallw" not in self.function.name.lower():
            raise ValueError(f"{self.function.name}: no rule for the length of {p.name}")
        kind = "neighbours" if "neighbor" in self.function.name.lower() else "members"
        unused = " || sendbuf == abi::in_place" if side == "send" else ""
        return f"{p.name} == nullptr{unused} ? 0 : front::{kind}_to_{side}(abi::in_comm(comm))"

    def _status(self, p):
        if p.is_array:
            raise ValueError(f"{self.function.name}: arrays of statuses are converted by hand-written functions")
        if p.intent == "out":
            self.before.append("front::NewStatus status_(status);")
            self.after.append("status_.store();")
            return "status_.standard()"
        self.before.append(f"front::{'Const' if p.intent == 'in' else 'Changed'}Status status_(status);")
        if p.intent == "inout":
            self.after.append("status_.store();")
        return "status_.standard()"

    def _address(self, p):
        if self.function.is_tool:
            return p.name
        if "attach_buffer" in self.function.name or self.function.name == "MPI_Buffer_attach":
            return f"front::in_bsend_buffer({p.name})"
        collective = any(q.kind == "COMMUNICATOR" for q in self.function.parameters) and not any(
            q.kind in ("TAG", "WINDOW") for q in self.function.parameters)
        return f"front::in_buffer({p.name})" if collective else p.name

    def _value(self, p, noun):
        if p.is_array:
            return self._value_array(p, noun)
        if p.intent == "in":
            number = f"abi::in_{noun}({p.name})"
            return number if p.small.type.endswith("int") else f"static_cast<{p.small.type}>({number})"
        if p.intent == "out":
            self.on_success.append(f"front::change<abi::out_{noun}>({p.name});")
            return p.name
        self.before.append(f"front::Changing<int, int, abi::in_{noun}, abi::out_{noun}> {p.name}_({p.name});")
        self.after.append(f"{p.name}_.store();")
        return f"{p.name}_.standard()"

    def _value_array(self, p, noun):
        if noun not in ("distribution", "distribution_argument"):
            return p.name  # ranks of neighbours and members of groups, and counts of errors: no special values
        self.before.append(f"const front::ArrayOf<int, int, abi::in_{noun}> {p.name}_({p.length}, {p.name});")
        return f"{p.name}_.data()"

    def _string(self, p):
        limit = strings.limit(self.function, p)
        if limit is None or strings.fits(limit, self.abi):
            return p.name
        length = next((q.name for q in self.function.parameters if q.kind == "STRING_LENGTH"), "nullptr")
        self.before.append(f"front::Text<{limit}, abi::{limit.removeprefix('MPI_').lower()}> {p.name}_({p.name});")
        self.on_success.append(f"{p.name}_.store({length});")
        return f"{p.name}_.standard()"

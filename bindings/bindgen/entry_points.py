# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C entry points: PMPI_X with its weak alias MPI_X, around the body or the report that there is none."""

from . import bodies, chapters, checked_calls, checked_facts, checks, collectives

# What may be called before MPI_Init and after MPI_Finalize (MPI-5.0, section 11.4), besides the tool interface, the
# handle conversions and everything on info objects.
ANY_TIME = {
    "MPI_Init", "MPI_Init_thread", "MPI_Initialized", "MPI_Finalized", "MPI_Get_version", "MPI_Get_library_version",
    "MPI_Abi_get_version", "MPI_Abi_get_info", "MPI_Abi_get_fortran_info", "MPI_Abi_set_fortran_info",
    "MPI_Abi_get_fortran_booleans", "MPI_Abi_set_fortran_booleans", "MPI_Error_class", "MPI_Error_string",
    "MPI_Add_error_class", "MPI_Add_error_code", "MPI_Add_error_string", "MPI_Remove_error_class",
    "MPI_Remove_error_code", "MPI_Remove_error_string", "MPI_Session_init", "MPI_Session_finalize",
    "MPI_Session_create_errhandler", "MPI_Session_call_errhandler", "MPI_Errhandler_free",
}
ANY_TIME_PREFIXES = ("MPI_T_", "MPI_Info_", "MPI_Status_")

# Functions of these chapters move messages: they hold the lock of the lane that they use, and not the library's. Which
# lane that is, is said by the communicator; a body without one finds it out by itself.
COMMUNICATING_CHAPTERS = {
    "Point-to-point communication and requests", "Buffered sends", "Partitioned communication",
    "Collective communication and reduction operators", "Neighbourhood collectives", "One-sided communication", "Files",
}
# But not these of them, which only look at a window, or call the user.
OF_WINDOW_OBJECTS = {
    "MPI_Win_create_keyval", "MPI_Win_free_keyval", "MPI_Win_set_attr", "MPI_Win_get_attr", "MPI_Win_delete_attr",
    "MPI_Win_set_name", "MPI_Win_get_name", "MPI_Win_get_group", "MPI_Win_set_info", "MPI_Win_get_info",
    "MPI_Win_shared_query",
}
# So do these, which first agree on something and then make it, or find out what they would make; the body takes the
# lane's lock, for it also calls the user.
MAKING = {
    "MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup", "MPI_Comm_idup_with_info", "MPI_Comm_create",
    "MPI_Comm_create_group", "MPI_Comm_create_from_group", "MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_free",
    "MPI_Comm_disconnect", "MPI_Intercomm_create", "MPI_Intercomm_create_from_groups", "MPI_Intercomm_merge",
    "MPI_Cart_create", "MPI_Cart_map", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Graph_map", "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent", "MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared",
    "MPI_Win_create_dynamic", "MPI_Win_free", "MPI_File_open", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join",
    "MPI_Comm_spawn", "MPI_Comm_spawn_multiple",
}
# These use files or wait for other processes, and hold no lock meanwhile.
NAMES = {"MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name"}

# Value-returning functions that are plain arithmetic or a clock: no argument can be wrong, nothing can fail.
PURE = {"MPI_Wtime", "MPI_Wtick", "MPI_Aint_add", "MPI_Aint_diff"}


def is_any_time(function):
    return (function.name in ANY_TIME or function.name.startswith(ANY_TIME_PREFIXES)
            or not function.returns_code)


def is_conversion(function):
    """MPI_Comm_toint and its kin."""
    return not function.has_kinds


def is_communicating(function):
    if function.name in OF_WINDOW_OBJECTS:
        return False
    return (function.name in MAKING | NAMES or function.name.startswith("MPI_Session_") and "buffer" in function.name
            or chapters.function_chapter(function.name) in COMMUNICATING_CHAPTERS)


def text(function, large, has_body):
    name = function.entry_name(large)
    lines = list(_implemented(function, large) if has_body else _unsupported(function, large))
    opening = f"{function.returns} P{name}({_parameters(function, large, has_body)}) {{"
    aliases = [f'decltype(P{name}) {name} __attribute__((weak, alias("P{name}")));', _name_for_fronts(name),
               *_further_names(function)]
    before = [checked_calls.declaration(function, large)] if has_body and is_looked_at(function) else []
    return "\n".join([*before, opening, *("  " + line for line in lines), "}", *aliases, ""])


def checked_text(function, large):
    """What the entry point of a function with a body goes on to if BOWLINE_CHECK looks at the call; empty if it does
    not."""
    if not is_looked_at(function):
        return ""
    own = [_executed(function, large)] if function.name in checked_facts.WITH_BODIES_OF_THEIR_OWN else []
    return "\n".join([*own, checked_calls.text(function, large), ""])


def _executed(function, large):
    """The entry point once more, with the body for calls that are looked at."""
    lines = "\n".join("  " + line for line in _implemented(function, large, f"checked_{bodies.name(function)}"))
    name = function.entry_name(large)
    parameters = _parameters(function, large, True)
    return f"[[gnu::cold, gnu::noinline]] static int executed_{name}({parameters}) {{\n{lines}\n}}"


def is_looked_at(function):
    """Whether BOWLINE_CHECK looks at calls of the function."""
    return _needs_mpi(function) and checked_facts.is_one(function)


def _needs_mpi(function):
    return function.returns_code and not function.name.startswith("MPI_Session_") and not is_any_time(function)


def _name_for_fronts(name):
    """The name by which a library that defines MPI's names itself, with another ABI, calls the function."""
    return f'extern decltype(P{name}) bowline_P{name} __attribute__((alias("P{name}"), visibility("default")));'


def _further_names(function):
    """mpi.h does not declare them, so they say themselves that they leave the library."""
    for name in function.also:
        for weak, symbol in (("", "P" + name), ("weak, ", name)):
            yield (f'decltype(P{function.name}) {symbol} '
                   f'__attribute__(({weak}alias("P{function.name}"), visibility("default")));')


def _parameters(function, large, has_body):
    reporter = _reporter(function)
    declarations = function.c_parameters(large)
    used = {d.name for d in declarations} if has_body else {reporter.name if reporter else ""}
    return ", ".join(bodies.cpp_type(d.text() if d.name in used else d.unnamed()) for d in declarations)


def _reporter(function):
    """The communicator whose error handler hears that a function has no body, if it takes one."""
    if function.is_tool or function.name.startswith("MPI_File_"):
        return None
    return bodies.communicator(function)


def _hearer(function):
    """The parameter with the error handler for the object that the call makes, which gets the call's errors."""
    handler = function.find("ERRHANDLER", intent="in")
    made = function.find("COMMUNICATOR", intent="out") or function.find("SESSION", intent="out")
    if handler is None or made is None:
        return ""
    return f"{handler.name}, {'MPI_COMM_NULL' if made.kind == 'COMMUNICATOR' else 'MPI_SESSION_NULL'}"


def _call(function, large):
    kind = ""
    if function.name.startswith("MPI_Session_"):
        kind = ", Call::of_session"
    elif bodies.is_on_file(function):
        kind = ", Call::on_file"
    elif is_any_time(function):
        kind = ", Call::any_time"
    elif is_communicating(function):
        kind = ", Call::communicating"
    return f'Call call("{function.entry_name(large)}"{kind});'


def _implemented(function, large, other_body=None):
    call = f"api::{bodies.name(function)}({', '.join(_arguments(function, large))})"
    if function.name in PURE or function.name.endswith("_fromint"):
        yield f"return {call};"
        return
    if is_conversion(function):
        yield from _conversion(function, call)
        return
    yield _call(function, large)
    yield "try {"
    for line in _guarded(function, large, other_body):
        yield "  " + line
    yield "} catch (...) {"
    if function.is_tool:
        yield "  return call.failed_silently();"
    elif function.returns_code:
        yield f"  return call.failed({_hearer(function)});"
    else:
        yield "  call.failed();"
        yield f"  return {null_value(function)};"
    yield "}"


def _conversion(function, call):
    """Takes no lock, because callbacks of Fortran convert handles under that of a lane, and costs nothing besides."""
    yield "try {"
    yield f"  return {call};"
    yield "} catch (...) {"
    yield f'  Call("{function.name}", Call::communicating).failed();'
    yield f"  return {null_value(function)};"
    yield "}"


def _guarded(function, large, other_body):
    """`other_body`: of a call that is looked at already."""
    call = f"api::{other_body or bodies.name(function)}({', '.join(_arguments(function, large))});"
    if not function.returns_code:
        yield f"return {call}"
        return
    if other_body is None and is_looked_at(function):
        yield checked_calls.test(function, large)
    elif _needs_mpi(function):
        yield "call.needs_mpi();"
    yield from checks.lines(function)
    serving = bodies.communicator(function) or bodies.window(function)
    if serving and is_communicating(function) and function.name not in MAKING:
        yield f"const LockGuard lane({serving.name}_.engine().lock());"
    narrowed = [p for p in function.parameters if needs_narrowing(p, large)]
    for p in narrowed:
        yield f"MPI_Count {p.name}_ = {f'*{p.name}' if p.intent == 'inout' else '0'};"
    yield call
    for p in narrowed:
        yield f"*{p.name} = narrow({p.name}_);"
    yield "return MPI_SUCCESS;"


def needs_narrowing(parameter, large):
    return bodies.is_wide_result(parameter) and not large and parameter.small.type == "int *"


def _arguments(function, large):
    if bodies.needs_form(function):
        yield "CountWidth::large" if large else "CountWidth::small"
    if collectives.form(function):
        yield collectives.argument(function)
    for p in function.parameters:
        if bodies.is_left_out(function, p):
            continue
        if bodies.is_reference(function, p) or needs_narrowing(p, large):
            yield f"&{p.name}_" if needs_narrowing(p, large) else f"{p.name}_"
        elif bodies.is_polymorphic_callback(p):
            yield from ("nullptr", p.name) if large else (p.name, "nullptr")
        elif p.declaration(large) is None:
            yield "0" if p.intent == "in" and not p.is_array else "nullptr"
        elif p.is_polymorphic and p.is_array:
            yield f"CountArray({p.name})"
        else:
            yield p.name


def _unsupported(function, large):
    if function.is_tool:
        # The tool interface calls no error handlers: a tool must be able to ask without ending the program.
        yield "return MPI_T_ERR_NOT_SUPPORTED;"
        return
    reporter = _reporter(function)
    method = "unsupported_file" if function.name.startswith("MPI_File_") else "unsupported"
    argument = reporter.name if reporter else ""
    call = f'Call("{function.entry_name(large)}", Call::any_time).{method}({argument});'
    yield f"return {call}" if function.returns_code else f"static_cast<void>({call.rstrip(';')});"
    if not function.returns_code:
        yield f"return {null_value(function)};"


def null_value(function):
    """What a function that returns no error class returns when it fails."""
    if function.returns.startswith("MPI_") and function.returns != "MPI_Aint":
        return function.returns.upper() + "_NULL"
    return "-1" if function.returns == "int" else "0"

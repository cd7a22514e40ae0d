# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C entry points: PMPI_X with its weak alias MPI_X, around the body or the report that there is none."""

from . import bodies, checked_calls, checked_facts, checks, collectives
from .locks import is_any_time, is_communicating, takes_lock_itself

# Value-returning functions that are plain arithmetic or a clock: no argument can be wrong, nothing can fail.
PURE = {"MPI_Wtime", "MPI_Wtick", "MPI_Aint_add", "MPI_Aint_diff"}


def is_conversion(function):
    """MPI_Comm_toint and its kin."""
    return not function.has_kinds


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
    elif function.is_tool:
        kind = ", Call::of_tool"
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
        yield "}"
        return
    yield f"  call.failed({_hearer(function)});"
    yield "}"
    yield from _raising(function)


def _raising(function):
    """Outside of the catch block, so that the handler may leave the call by longjmp()."""
    if function.returns_code:
        yield "return call.raise();"
    else:
        yield "call.raise();"
        yield f"return {null_value(function)};"


def _conversion(function, call):
    """Takes no lock, because callbacks of Fortran convert handles under that of a lane, and costs nothing besides."""
    yield f'Call call("{function.name}", Call::communicating);'
    yield "try {"
    yield f"  return {call};"
    yield "} catch (...) {"
    yield "  call.failed();"
    yield "}"
    yield from _raising(function)


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
    if serving and is_communicating(function) and not takes_lock_itself(function):
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

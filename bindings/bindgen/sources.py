# SPDX-License-Identifier: BSD-3-Clause
"""Puts together the files that the build compiles: entry points, declarations of bodies, coverage, exported names."""

from . import bodies, entry_points

NOTICE = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by bindings/bindgen.py: do not edit. {purpose}\n"

ENTRY_POINTS_OPENING = """
// The layers are compiled with hidden symbols; what mpi.h and mpi-ext.h declare is what leaves the library.
#pragma GCC visibility push(default)
#include <mpi-ext.h>
#include <mpi.h>
#pragma GCC visibility pop

#include "api/checking/checked_call.hpp"
#include "api/entry/call.hpp"
#include "api/entry/validators.hpp"
#include "api/collectives/collective_form.hpp"
#include "api/entry/count_array.hpp"
#include "api/environment/info_handles.hpp"
#include "api/point_to_point/checked_sends.hpp"
#include "api/tools/deferred_events.hpp"
#include "bodies.hpp"

using namespace bowline;
using bowline::api::Call;
using bowline::api::CheckedCall;
using bowline::api::CollectiveForm;
using bowline::api::CountArray;
using bowline::api::CountWidth;
using bowline::api::FollowedCall;
using bowline::api::narrow;
namespace check = bowline::api::check;
namespace checking = bowline::api::checking;

extern "C" {
"""

BODIES_OPENING = """#pragma once

#include <mpi.h>

#include "api/collectives/collective_form.hpp"
#include "api/entry/count_array.hpp"

namespace bowline::comm {
class Communicator;
class ErrorHandler;
class Group;
}  // namespace bowline::comm
namespace bowline::dtype {
class Datatype;
class Op;
}  // namespace bowline::dtype
namespace bowline::mpiio {
class File;
}
namespace bowline::rma {
class Window;
}

namespace bowline::api {
"""

COVERAGE_OPENING = """
#include "api/entry/entry_points.hpp"

namespace bowline::api {
namespace {

constexpr EntryPoint entry_points[] = {
"""

COVERAGE_CLOSING = """};

}  // namespace

std::span<const EntryPoint> coverage() noexcept { return entry_points; }

}  // namespace bowline::api
"""

# The layers are compiled with hidden symbols, so MPI's names are global; they have no version, as other libraries with
# this ABI have none. Instances of the C++ library's templates are not hidden by themselves.
EXPORTS = """BOWLINE_PRIVATE {
  global: bowline_private_interface_1; bowline_PMPI_*; bowline_PMPIX_*; bowline_queue_record;
  local: _*;
};
"""


def files(api, body_sources, parts):
    """Everything that is generated for the build, by file name."""
    implemented = bodies.implemented(api, body_sources)
    result = {
        "bodies.hpp": _bodies(api),
        "coverage.cpp": _coverage(api, implemented),
        "exports.map": EXPORTS,
    }
    for part in range(parts):
        functions = api.all_functions()[part::parts]
        result[f"entry_points_{part + 1}.cpp"] = _entry_points(functions, implemented)
    return result


def _entry_points(functions, implemented):
    texts = [entry_points.text(f, large, f.name in implemented) for f in functions for large in f.forms()]
    texts += [text for f in functions for large in f.forms()
              if f.name in implemented and (text := entry_points.checked_text(f, large))]
    opening = NOTICE.format(purpose="C entry points.") + ENTRY_POINTS_OPENING
    return "\n".join([opening, *texts, '}  // extern "C"\n'])


def _bodies(api):
    lines = list(dict.fromkeys(bodies.declaration(f) for f in api.all_functions()))
    return (NOTICE.format(purpose="The bodies of the MPI functions.") + BODIES_OPENING + "\n" + "\n".join(lines)
            + "\n\n}  // namespace bowline::api\n")


def _coverage(api, implemented):
    rows = [f'    {{"{f.entry_name(large)}", {_cpp(f.name in implemented)}, {_cpp(large)}}},\n'
            for f in api.functions for large in f.forms()]
    notice = NOTICE.format(purpose="Which MPI functions have a body.")
    return notice + COVERAGE_OPENING + "".join(rows) + COVERAGE_CLOSING


def _cpp(truth):
    return "true" if truth else "false"

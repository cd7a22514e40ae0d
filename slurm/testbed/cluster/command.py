# SPDX-License-Identifier: BSD-3-Clause
"""What the commands up, run, down and link have in common: the choice of the rig, and how failures are told."""
import argparse
import os
import sys

from .requirements import CANNOT, Unusable, path
from .rig import Rig, RigError


def parser(text, **options):
    made = argparse.ArgumentParser(description=text, **options)
    made.add_argument("--name", default=os.environ.get("BOWLINE_TESTBED", "default"),
                      help="which rig, if there are several (default: $BOWLINE_TESTBED, or 'default')")
    return made


def rig_environment(rig):
    """What a process needs in its environment to talk to the rig's Slurm."""
    return os.environ | {"SLURM_CONF": str(rig.directory / "etc" / "slurm.conf"), "PATH": path()}


def main(body, arguments):
    """Calls body(rig, arguments); its result is the exit status. What a user can mend is told in one sentence."""
    try:
        sys.exit(body(Rig(arguments.name), arguments))
    except Unusable as reason:
        print(f"testbed: cannot be used here: {reason}", file=sys.stderr)
        sys.exit(CANNOT)
    except (RigError, OSError) as error:
        print(f"testbed: {error}", file=sys.stderr)
        sys.exit(1)

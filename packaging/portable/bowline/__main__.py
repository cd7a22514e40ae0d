# SPDX-License-Identifier: BSD-3-Clause
"""python -m bowline prints where everything is; python -m bowline NAME prints one of the places."""
import sys

from bowline import places


def main(names):
    known = places()
    if not names:
        for name, place in known.items():
            print(f"{name:8} {place}")
        return 0
    if len(names) != 1 or names[0] not in known:
        print(f"python -m bowline: the arguments are '{' '.join(names)}'; allowed is nothing or one of "
              f"{', '.join(known)}", file=sys.stderr)
        return 2
    print(known[names[0]])
    return 0


sys.exit(main(sys.argv[1:]))

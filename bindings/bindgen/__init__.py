# SPDX-License-Identifier: BSD-3-Clause
"""Generator of the C header, the C entry points and what goes with them, from the facts in api.json."""

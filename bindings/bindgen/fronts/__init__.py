# SPDX-License-Identifier: BSD-3-Clause
"""Generator of the front ends: libraries with the ABI of another MPI, which call Bowline's entry points."""

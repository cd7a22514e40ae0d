# SPDX-License-Identifier: BSD-3-Clause
"""Generator of the Fortran bindings: the external procedures in C++, mpif.h and the modules."""

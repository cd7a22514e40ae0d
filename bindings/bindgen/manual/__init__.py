# SPDX-License-Identifier: BSD-3-Clause
"""The manual of MPI's functions: sentences of docs/manual, put together with the facts of bindings/api.json."""

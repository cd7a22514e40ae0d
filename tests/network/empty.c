// SPDX-License-Identifier: BSD-3-Clause
// Stands for a UCX that is not what its name says.
int bowline_test_empty;

// SPDX-License-Identifier: BSD-3-Clause
// The wire-up by version 1 of PMI, the text protocol of Hydra (MPICH, Intel MPI), of Slurm's plugin mpi/pmi2 and of
// Flux: for processes whose launcher has no PMIx server.
#pragma once

#include <memory>

#include "wireup/wireup.hpp"

namespace bowline::wireup {

/// Speaks with the server over the open socket PMI_FD, or connects to PMI_PORT. Throws Error.
std::unique_ptr<Wireup> make_pmi();
/// The same over this socket, which it takes over.
std::unique_ptr<Wireup> make_pmi(int descriptor, int rank, int size);

}  // namespace bowline::wireup

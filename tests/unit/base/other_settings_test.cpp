// SPDX-License-Identifier: BSD-3-Clause
// Which variables are other libraries' settings.
#include "base/other_settings.hpp"

#include <gtest/gtest.h>

namespace bowline {
namespace {

TEST(OtherSettings, NamesThoseThatHaveNoEffect) {
  const char* const environment[] = {"PATH=/bin",
                                     "OMPI_MCA_btl=self,vader",
                                     "MPICH_ASYNC_PROGRESS=1",
                                     "MPICH_CC=gcc",  // mpicc reads it
                                     "OMPI_CC=gcc",
                                     "I_MPI_PIN=1",
                                     "UCX_TLS=tcp",  // UCX reads it
                                     "PMIX_MCA_gds=hash",
                                     "HYDRA_IFACE=eth0",
                                     "PRTE_MCA_plm=ssh",
                                     "MPIR_CVAR_CH4_X=1",
                                     "BOWLINE_LOG_LEVEL=2",
                                     nullptr};
  EXPECT_EQ(settings_of_other_libraries(environment),
            (std::vector<std::string>{"HYDRA_IFACE", "I_MPI_PIN", "MPICH_ASYNC_PROGRESS", "MPIR_CVAR_CH4_X",
                                      "OMPI_MCA_btl", "PRTE_MCA_plm"}));
  EXPECT_TRUE(settings_of_other_libraries(environment + 12).empty());
  EXPECT_TRUE(settings_of_other_libraries(nullptr).empty());
}

}  // namespace
}  // namespace bowline

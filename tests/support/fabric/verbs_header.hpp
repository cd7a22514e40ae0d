// SPDX-License-Identifier: BSD-3-Clause
// <infiniband/verbs.h> for the library that defines its functions: without the macros of their names.
#pragma once

#include <infiniband/verbs.h>

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

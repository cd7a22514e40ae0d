// SPDX-License-Identifier: BSD-3-Clause
// PMIx's functions of a server. mpiexec loads the library when it starts ranks itself.
#pragma once
#include <pmix_server.h>

#include "wireup/pmix_library.hpp"

namespace bowline::launcher {

/// The members are named as in pmix.h and pmix_server.h, without the prefixes PMIx_ and server_.
struct PmixServerLibrary {
  const SharedLibrary& file;
  decltype(&PMIx_server_init) init = file.function("PMIx_server_init");
  decltype(&PMIx_server_register_nspace) register_nspace = file.function("PMIx_server_register_nspace");
  decltype(&PMIx_server_deregister_nspace) deregister_nspace = file.function("PMIx_server_deregister_nspace");
  decltype(&PMIx_server_register_client) register_client = file.function("PMIx_server_register_client");
  decltype(&PMIx_server_deregister_client) deregister_client = file.function("PMIx_server_deregister_client");
  decltype(&PMIx_server_register_resources) register_resources = file.function("PMIx_server_register_resources");
  decltype(&PMIx_server_setup_fork) setup_fork = file.function("PMIx_server_setup_fork");
  decltype(&PMIx_generate_regex) generate_regex = file.function("PMIx_generate_regex");
  decltype(&PMIx_generate_ppn) generate_ppn = file.function("PMIx_generate_ppn");
  decltype(&PMIx_Register_event_handler) register_event_handler = file.function("PMIx_Register_event_handler");
  decltype(&PMIx_Notify_event) notify_event = file.function("PMIx_Notify_event");
  decltype(&PMIx_Info_list_start) info_list_start = file.function("PMIx_Info_list_start");
  decltype(&PMIx_Info_list_add) info_list_add = file.function("PMIx_Info_list_add");
  decltype(&PMIx_Info_list_convert) info_list_convert = file.function("PMIx_Info_list_convert");
  decltype(&PMIx_Info_list_release) info_list_release = file.function("PMIx_Info_list_release");
  decltype(&PMIx_Data_array_destruct) data_array_destruct = file.function("PMIx_Data_array_destruct");
  decltype(&PMIx_Value_load) value_load = file.function("PMIx_Value_load");
  decltype(&PMIx_Value_xfer) value_xfer = file.function("PMIx_Value_xfer");
  /// Of the event library with which PMIx is linked; nullptr if that is not libevent.
  void (*set_event_log)(void (*)(int severity, const char* text)) = file.function_or_null("event_set_log_callback");
};

/// Loads PMIx in the first call. Throws Error that names what is missing.
const PmixServerLibrary& pmix_server();

}  // namespace bowline::launcher

// SPDX-License-Identifier: BSD-3-Clause
// Makes the one call that the argument names, and says what it returned. Without an argument: lists the names.
#include <mpi.h>

#include <cstdio>
#include <string_view>

namespace {

void ignore(MPI_Session*, int*, ...) {}

struct Named {
  std::string_view name;
  int (*call)(int*, char***);
};

// Before MPI_Init: what MPI-5.0, section 11.4.1, allows then, and one that it does not.
constexpr Named calls[] = {
    {"MPI_Init", [](int* argc, char*** argv) { return MPI_Init(argc, argv); }},
    {"MPI_Init_thread",
     [](int* argc, char*** argv) {
       int provided;
       return MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
     }},
    {"MPI_Session_init",
     [](int*, char***) {
       MPI_Session session;
       return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
     }},
    {"MPI_Initialized",
     [](int*, char***) {
       int flag;
       return MPI_Initialized(&flag);
     }},
    {"MPI_Get_version",
     [](int*, char***) {
       int version, subversion;
       return MPI_Get_version(&version, &subversion);
     }},
    {"MPI_Get_library_version",
     [](int*, char***) {
       char text[MPI_MAX_LIBRARY_VERSION_STRING];
       int length;
       return MPI_Get_library_version(text, &length);
     }},
    {"MPI_Info_create",
     [](int*, char***) {
       MPI_Info info;
       return MPI_Info_create(&info);
     }},
    {"MPI_Info_create_env",
     [](int* argc, char*** argv) {
       MPI_Info info;
       return MPI_Info_create_env(*argc, *argv, &info);
     }},
    {"MPI_Add_error_class",
     [](int*, char***) {
       int error_class;
       return MPI_Add_error_class(&error_class);
     }},
    {"MPI_Session_create_errhandler",
     [](int*, char***) {
       MPI_Errhandler handler;
       return MPI_Session_create_errhandler(ignore, &handler);
     }},
    {"MPI_Comm_size",
     [](int*, char***) {
       int size;
       return MPI_Comm_size(MPI_COMM_WORLD, &size);
     }},
    {"MPI_Info_free",  // wrong at any time
     [](int*, char***) {
       MPI_Info info = MPI_INFO_NULL;
       return MPI_Info_free(&info);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Named& each : calls) {
    if (argc < 2) std::printf("%s\n", each.name.data());
    if (argc >= 2 && each.name == argv[1]) {
      std::printf("returned %d\n", each.call(&argc, &argv));
      int running = 0, over = 0;
      MPI_Initialized(&running);
      if (running != 0) MPI_Finalize();
      MPI_Finalized(&over);
      return running == over ? 0 : 1;
    }
  }
  return argc < 2 ? 0 : 2;
}

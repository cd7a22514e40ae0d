// SPDX-License-Identifier: BSD-3-Clause
// MPI_Error_string gives the sentence of the calling thread's last error, and the general text of every other code.
#include <array>
#include <string>
#include <thread>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text;
  int length = -1;
  CHECK_EQ(MPI_Error_string(code, text.data(), &length), MPI_SUCCESS);
  const std::string result = text.data();
  CHECK_EQ(result.size(), static_cast<std::size_t>(length));
  return result;
}

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) std::cerr << "\"" << text << "\" does not contain \"" << part << "\"\n";
  return found;
}

void the_last_error() {
  const std::string general = text_of(MPI_ERR_TAG);
  int value = 0;
  const int code = MPI_Send(&value, 1, MPI_INT, 0, -5, world);
  CHECK_EQ(code, MPI_ERR_TAG);
  const std::string own = text_of(code);
  for (const char* part : {"MPI_Send", "tag is -5", "MPI_TAG_UB"}) CHECK(contains(own, part));
  MPI_Barrier(world);  // what succeeds changes nothing
  CHECK_EQ(text_of(code), own);
  CHECK(contains(text_of(MPI_ERR_RANK), "MPI_ERR_RANK"));
  std::string elsewhere;
  std::thread([&] { elsewhere = text_of(MPI_ERR_TAG); }).join();
  CHECK_EQ(elsewhere, general);
  CHECK_EQ(MPI_Send(&value, 1, MPI_INT, check::size, 1, world), MPI_ERR_RANK);
  CHECK(contains(text_of(MPI_ERR_RANK), "dest is " + std::to_string(check::size)));
  CHECK_EQ(text_of(MPI_ERR_TAG), general);
}

std::array<int, 4> sent = {1, 2, 3, 4};

/// A receive that is too short for what comes.
MPI_Request too_short(int* into) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(into, 1, MPI_INT, check::left(), 3, world, &request);
  return request;
}

void of_a_request() {
  int into = 0;
  MPI_Request request = too_short(&into), sending = MPI_REQUEST_NULL;
  MPI_Isend(sent.data(), 4, MPI_INT, check::right(), 3, world, &sending);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  for (const char* part : {"MPI_Wait", "16 bytes", "4"}) CHECK(contains(text_of(MPI_ERR_TRUNCATE), part));
  MPI_Wait(&sending, MPI_STATUS_IGNORE);

  request = too_short(&into);
  MPI_Isend(sent.data(), 4, MPI_INT, check::right(), 3, world, &sending);
  int flag = 0, code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && flag == 0) code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(code, MPI_ERR_TRUNCATE);
  CHECK(contains(text_of(code), "MPI_Test"));
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
}

int fails(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_ERR_CONVERSION;
}
int nothing(void*) {
  return MPI_SUCCESS;
}
int not_cancelled(void*, int) {
  return MPI_SUCCESS;
}

void of_several_requests() {
  int into = 0;
  std::array<MPI_Request, 3> requests = {too_short(&into), MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Isend(sent.data(), 4, MPI_INT, check::right(), 3, world, &requests[1]);
  MPI_Grequest_start(fails, nothing, not_cancelled, nullptr, &requests[2]);
  MPI_Grequest_complete(requests[2]);
  std::array<MPI_Status, 3> statuses;
  CHECK_EQ(MPI_Waitall(3, requests.data(), statuses.data()), MPI_ERR_IN_STATUS);
  CHECK_EQ(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
  CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
  CHECK_EQ(statuses[2].MPI_ERROR, MPI_ERR_CONVERSION);
  for (const int code : {MPI_ERR_IN_STATUS, statuses[0].MPI_ERROR, statuses[2].MPI_ERROR})
    CHECK(contains(text_of(code), "MPI_Waitall: "));
  CHECK(contains(text_of(MPI_ERR_TRUNCATE), "16 bytes"));
}

// What the program says of its own codes stays what the program says.
int refuses(MPI_Comm, int, void* code, void*, void*, int*) {
  return *static_cast<int*>(code);
}

void own_codes() {
  int error_class = 0, code = 0, key = MPI_KEYVAL_INVALID;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_code(error_class, &code);
  MPI_Add_error_string(code, "no coffee");
  MPI_Comm_create_keyval(refuses, MPI_COMM_NULL_DELETE_FN, &key, &code);
  MPI_Comm_set_attr(world, key, &code);
  MPI_Comm copy = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_dup(world, &copy), code);
  CHECK_EQ(text_of(code), "no coffee");
  MPI_Comm_delete_attr(world, key);
  MPI_Comm_free_keyval(&key);
}

// Names of the user that are longer than any error string, with a character that must not be cut.
void long_sentences() {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  for (const std::string& before : {std::string(), std::string("x")}) {
    std::string name = before;
    for (int i = 0; i < 1000; ++i) name += "\xc3\xa9";
    MPI_Info info = MPI_INFO_NULL;
    const int code = MPI_Session_get_pset_info(session, name.c_str(), &info);
    CHECK_EQ(code, MPI_ERR_ARG);
    const std::string text = text_of(code);
    CHECK(text.size() >= MPI_MAX_ERROR_STRING - 2);
    CHECK_EQ(text.substr(text.size() - 2), "\xc3\xa9");
    CHECK(contains(text, "MPI_Session_get_pset_info: "));
  }
  MPI_Session_finalize(&session);
}

void files() {
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(world, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  CHECK(code != MPI_SUCCESS);
  CHECK(contains(text_of(code), "MPI_File_open: "));
}

std::string heard;
void listen(MPI_Comm*, int* code, ...) {
  heard = text_of(*code);
}

// Error handlers of the program can ask, too.
void in_an_error_handler() {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_dup(world, &own);
  MPI_Comm_create_errhandler(listen, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Bcast(nullptr, -1, MPI_INT, 0, own);
  CHECK(contains(heard, "MPI_Bcast: count is -1"));
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&own);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  the_last_error();
  of_a_request();
  of_several_requests();
  own_codes();
  long_sentences();
  files();
  in_an_error_handler();
  return program.finish();
}

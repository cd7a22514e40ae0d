// SPDX-License-Identifier: BSD-3-Clause
// api/handles: handles to objects, the marks of requests, and what a status carries.

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/errhandler_handles.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "base/error.hpp"
#include "proto/engine.hpp"
#include "support/network.hpp"

namespace bowline::api {
namespace {

// ---- predefined handles

TEST(Handles, PredefinedDatatypesAndOperatorsAreFound) {
  ASSERT_NE(find_datatype(MPI_INT), nullptr);
  EXPECT_STREQ(find_datatype(MPI_INT)->name(), "MPI_INT");
  EXPECT_STREQ(find_datatype(MPI_COMPLEX32)->name(), "MPI_COMPLEX32");
  EXPECT_EQ(find_datatype(MPI_DATATYPE_NULL), nullptr);
  ASSERT_NE(find_op(MPI_MAXLOC), nullptr);
  EXPECT_STREQ(find_op(MPI_MAXLOC)->name(), "MPI_MAXLOC");
  EXPECT_EQ(find_op(MPI_OP_NULL), nullptr);
}

TEST(Handles, OneKindIsNotTakenForAnother) {
  EXPECT_EQ(find_datatype(reinterpret_cast<MPI_Datatype>(MPI_SUM)), nullptr);
  EXPECT_EQ(find_op(reinterpret_cast<MPI_Op>(MPI_INT)), nullptr);
  EXPECT_EQ(find_errhandler(reinterpret_cast<MPI_Errhandler>(MPI_COMM_WORLD)), nullptr);
}

TEST(Handles, ErrorHandlersAreFound) {
  EXPECT_EQ(find_errhandler(MPI_ERRORS_ARE_FATAL), &comm::ErrorHandler::are_fatal());
  EXPECT_EQ(find_errhandler(MPI_ERRORS_ABORT), &comm::ErrorHandler::abort());
  EXPECT_EQ(find_errhandler(MPI_ERRORS_RETURN), &comm::ErrorHandler::to_return());
  EXPECT_EQ(find_errhandler(MPI_ERRHANDLER_NULL), nullptr);
}

// ---- requests

class RequestHandles : public testing::Test {
 protected:
  RequestHandles() { engine.add_device(network.device(0)); }

  proto::Request& receive() { return engine.ireceive({0, 0, 1}, {&byte, 1, &dtype::byte_type()}); }
  /// Sends what the receive waits for, and gives the request back.
  void finish(proto::Request& request) {
    engine.send(0, {.tag = 1}, {&byte, 1, &dtype::byte_type()});
    engine.wait(request);
    engine.release(request);
  }
  static std::string refusal(MPI_Request handle, int index = -1) {
    try {
      request_of(handle, "request", index);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::request);
      return error.what();
    }
    ADD_FAILURE() << "the handle was taken";
    return "";
  }

  std::byte byte{};
  test::MemoryNetwork network{1, 8, test::Reach::single_copy};
  OwnerLock lock;
  proto::Engine engine{1, [this](int rank) { return network.device(0).connect(rank, {}); }, WaitPolicy{}, lock};
};

TEST_F(RequestHandles, ALivingRequestComesBack) {
  proto::Request& request = receive();
  const MPI_Request handle = to_handle(request);
  EXPECT_EQ(&request_of(handle, "request"), &request);
  EXPECT_EQ(&request_of(to_handle(proto::completed_request()), "request"), &proto::completed_request());
  finish(request);
}

TEST_F(RequestHandles, AnEndedRequestIsRefused) {
  proto::Request& request = receive();
  const MPI_Request handle = to_handle(request);
  finish(request);
  const std::string text = refusal(handle);
  EXPECT_NE(text.find("request is 0x"), std::string::npos) << text;
  EXPECT_NE(text.find("waited for or freed already"), std::string::npos) << text;
}

TEST_F(RequestHandles, SmallNumbersAreNoRequests) {
  for (const std::uintptr_t number : {0x1, 0x180, 0x209, 0xfff}) refusal(reinterpret_cast<MPI_Request>(number));
}

TEST_F(RequestHandles, AnElementOfAnArrayIsNamedByItsIndex) {
  const std::string text = refusal(reinterpret_cast<MPI_Request>(std::uintptr_t{0x123}), 7);
  EXPECT_NE(text.find("request[7]"), std::string::npos) << text;
}

// ---- statuses

TEST(StatusPacking, CarriesSourceTagAndBytes) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{0xffffffff}, std::size_t{1} << 32,
                                  static_cast<std::size_t>(std::numeric_limits<MPI_Count>::max())}) {
    MPI_Status status;
    std::memset(&status, 0xee, sizeof status);
    set_status(&status, {.source = 3, .tag = 9, .bytes = bytes});
    EXPECT_EQ(status.MPI_SOURCE, 3);
    EXPECT_EQ(status.MPI_TAG, 9);
    EXPECT_EQ(status_bytes(status), static_cast<MPI_Count>(bytes));
  }
}

TEST(StatusPacking, LeavesTheErrorAlone) {
  MPI_Status status{};
  status.MPI_ERROR = 1234;
  set_status(&status, {.source = 3, .tag = 9, .error = ErrorClass::truncate, .bytes = 1});
  EXPECT_EQ(status.MPI_ERROR, 1234);
}

TEST(StatusPacking, AnIgnoredStatusIsNotWritten) {
  set_status(MPI_STATUS_IGNORE, {.source = 3});
}

TEST(StatusPacking, EmptyAndNoProcess) {
  EXPECT_EQ(empty_status().source, MPI_ANY_SOURCE);
  EXPECT_EQ(empty_status().tag, MPI_ANY_TAG);
  EXPECT_EQ(empty_status().bytes, 0U);
  EXPECT_EQ(empty_status().error, ErrorClass::success);
  EXPECT_FALSE(empty_status().cancelled);
  EXPECT_EQ(no_process_status().source, MPI_PROC_NULL);
  EXPECT_EQ(no_process_status().tag, MPI_ANY_TAG);
  EXPECT_EQ(no_process_status().bytes, 0U);
}

}  // namespace
}  // namespace bowline::api

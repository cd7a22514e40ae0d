/* SPDX-License-Identifier: BSD-3-Clause */
/* Point to point on any number of ranks: special ranks and tags, statuses, every way to complete requests. */
#include "check.h"

enum { tag = 17, many = 100 };

static int next, before;

static void check_status(const MPI_Status* status, int source, int expected_tag, int count) {
  int found = -1, cancelled = -1;
  CHECK_EQ(status->MPI_SOURCE, source);
  CHECK_EQ(status->MPI_TAG, expected_tag);
  OK(MPI_Get_count(status, MPI_INT, &found));
  CHECK_EQ(found, count);
  OK(MPI_Get_elements(status, MPI_INT, &found));
  CHECK_EQ(found, count);
  OK(MPI_Test_cancelled(status, &cancelled));
  CHECK_EQ(cancelled, 0);
}

static void blocking(void) {
  int out[3], in[3] = {0, 0, 0};
  MPI_Status status;
  for (int i = 0; i < 3; ++i) out[i] = check_rank * 10 + i;
  status.MPI_ERROR = 12345; /* calls with one status leave it alone */
  OK(MPI_Sendrecv(out, 3, MPI_INT, next, tag, in, 3, MPI_INT, before, tag, MPI_COMM_WORLD, &status));
  check_status(&status, before, tag, 3);
  CHECK_EQ(status.MPI_ERROR, 12345);
  CHECK_EQ(in[2], before * 10 + 2);

  OK(MPI_Sendrecv(out, 2, MPI_INT, next, tag + check_rank, in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &status));
  CHECK_EQ(status.MPI_TAG, tag + status.MPI_SOURCE);
  CHECK_EQ(in[1], status.MPI_SOURCE * 10 + 1);

  OK(MPI_Sendrecv_replace(out, 3, MPI_INT, next, tag, before, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_EQ(out[0], before * 10);

  OK(MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD));
  OK(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
  check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  OK(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void modes(void) {
  char buffer[4096], *detached = NULL;
  int size = 0, value = check_rank, got = -1;
  MPI_Request request;
  OK(MPI_Buffer_attach(buffer, sizeof buffer));
  OK(MPI_Irecv(&got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &request));
  OK(MPI_Bsend(&value, 1, MPI_INT, next, 1, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_EQ(got, before);
  OK(MPI_Buffer_detach(&detached, &size));
  CHECK(detached == buffer);
  CHECK_EQ(size, sizeof buffer);

  OK(MPI_Irecv(&got, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &request));
  OK(MPI_Ssend(&value, 1, MPI_INT, next, 2, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Irecv(&got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &request));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Rsend(&value, 1, MPI_INT, next, 3, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(request == MPI_REQUEST_NULL);
}

/* The tag is of this function alone: the neighbour may have gone on. */
static void probes(void) {
  int value = check_rank + 5, got = -1, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Message message = MPI_MESSAGE_NULL;
  OK(MPI_Isend(&value, 1, MPI_INT, next, 204, MPI_COMM_WORLD, &request));
  OK(MPI_Probe(MPI_ANY_SOURCE, 204, MPI_COMM_WORLD, &status));
  check_status(&status, before, 204, 1);
  OK(MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
  check_status(&status, before, 204, 1);
  CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
  OK(MPI_Iprobe(MPI_ANY_SOURCE, 204, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  CHECK_EQ(flag, 0);
  OK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL);
  CHECK_EQ(got, before + 5);
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

  OK(MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC);
  CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  OK(MPI_Imrecv(&got, 1, MPI_INT, &message, &request));
  CHECK(message == MPI_MESSAGE_NULL);
  OK(MPI_Wait(&request, &status));
  check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  OK(MPI_Improbe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
  CHECK_EQ(flag, 0);
}

/* More requests than fit into an array on a stack, null ones among them. */
static void several(void) {
  MPI_Request requests[2 * many + 1];
  MPI_Status statuses[2 * many + 1];
  int out[many], in[many], flag, completed, indices[2 * many + 1], done = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < many; ++i) {
      out[i] = check_rank * 1000 + i;
      in[i] = -1;
      OK(MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 0; i < many; ++i) OK(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[many + i]));
    requests[2 * many] = MPI_REQUEST_NULL;
    if (round == 0) {
      OK(MPI_Waitall(2 * many + 1, requests, statuses));
      check_status(&statuses[2 * many], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
      for (int i = 0; i < many; ++i) check_status(&statuses[i], before, i, 1);
    } else if (round == 1) {
      for (flag = 0; !flag;) OK(MPI_Testall(2 * many + 1, requests, &flag, MPI_STATUSES_IGNORE));
    } else if (round == 2) {
      for (done = 0; done < 2 * many; done += completed) {
        OK(MPI_Waitsome(2 * many + 1, requests, &completed, indices, statuses));
        for (int i = 0; i < completed; ++i) {
          if (indices[i] < many) check_status(&statuses[i], before, indices[i], 1);
        }
      }
      OK(MPI_Waitsome(2 * many + 1, requests, &completed, indices, statuses));
      CHECK_EQ(completed, MPI_UNDEFINED);
      OK(MPI_Testsome(2 * many + 1, requests, &completed, indices, MPI_STATUSES_IGNORE));
      CHECK_EQ(completed, MPI_UNDEFINED);
    } else {
      for (done = 0; done < 2 * many; ++done) {
        int index = -1;
        if (done % 2) {
          OK(MPI_Waitany(2 * many + 1, requests, &index, &statuses[0]));
        } else {
          for (flag = 0; !flag;) OK(MPI_Testany(2 * many + 1, requests, &index, &flag, &statuses[0]));
        }
        if (index < many) check_status(&statuses[0], before, index, 1);
        CHECK(requests[index] == MPI_REQUEST_NULL);
      }
      OK(MPI_Waitany(2 * many + 1, requests, &done, &statuses[0]));
      CHECK_EQ(done, MPI_UNDEFINED);
      check_status(&statuses[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
      OK(MPI_Testany(0, NULL, &done, &flag, &statuses[0]));
      CHECK_EQ(done, MPI_UNDEFINED);
    }
    for (int i = 0; i < many; ++i) CHECK_EQ(in[i], before * 1000 + i);
    for (int i = 0; i <= 2 * many; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  }
}

static void persistent(void) {
  int out = 0, in = -1, flag = -1;
  MPI_Request requests[2], kept[2];
  MPI_Status status;
  OK(MPI_Send_init(&out, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Recv_init(&in, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &requests[1]));
  memcpy(kept, requests, sizeof kept);
  for (int round = 0; round < 3; ++round) {
    out = check_rank + round * 100;
    OK(MPI_Startall(2, requests));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_EQ(in, before + round * 100);
    CHECK(memcmp(kept, requests, sizeof kept) == 0);
  }
  OK(MPI_Start(&requests[1]));
  OK(MPI_Start(&requests[0]));
  OK(MPI_Wait(&requests[1], &status));
  check_status(&status, before, 8, 1);
  OK(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  OK(MPI_Request_get_status(requests[0], &flag, &status));
  CHECK_EQ(flag, 1);
  OK(MPI_Request_free(&requests[0]));
  CHECK(requests[0] == MPI_REQUEST_NULL);
  OK(MPI_Request_free(&requests[1]));
}

static void check_empty(MPI_Status* status) {
  check_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  CHECK_EQ(status->MPI_ERROR, MPI_SUCCESS);
  status->MPI_ERROR = 12345;
}

/* Null and inactive requests give empty statuses, in which MPI_ERROR counts too. */
static void empty_statuses(void) {
  int value = 0, index = 0, flag = 0;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2], *const status = &statuses[0];
  OK(MPI_Recv_init(&value, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &requests[1]));
  for (int i = 0; i < 2; ++i) statuses[i].MPI_ERROR = 12345;
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Wait(&requests[i], status));
    check_empty(status);
    OK(MPI_Test(&requests[i], &flag, status));
    check_empty(status);
    OK(MPI_Request_get_status(requests[i], &flag, status));
    check_empty(status);
  }
  OK(MPI_Waitany(2, requests, &index, status));
  check_empty(status);
  OK(MPI_Testany(2, requests, &index, &flag, status));
  check_empty(status);
  OK(MPI_Waitall(2, requests, statuses));
  for (int i = 0; i < 2; ++i) check_empty(&statuses[i]);
  OK(MPI_Testall(2, requests, &flag, statuses));
  for (int i = 0; i < 2; ++i) check_empty(&statuses[i]);
  OK(MPI_Request_free(&requests[1]));

  /* A status that is not empty, beside one that is. */
  OK(MPI_Irecv(&value, 1, MPI_INT, before, 9, MPI_COMM_WORLD, &requests[1]));
  OK(MPI_Send(&check_rank, 1, MPI_INT, next, 9, MPI_COMM_WORLD));
  OK(MPI_Waitall(2, requests, statuses));
  check_empty(&statuses[0]);
  check_status(&statuses[1], before, 9, 1);
  CHECK_EQ(statuses[1].MPI_ERROR, 12345);
}

static void cancelling(void) {
  int value, cancelled = -1;
  MPI_Request request;
  MPI_Status status;
  OK(MPI_Irecv(&value, 1, MPI_INT, before, 77, MPI_COMM_WORLD, &request));
  OK(MPI_Cancel(&request));
  OK(MPI_Wait(&request, &status));
  OK(MPI_Test_cancelled(&status, &cancelled));
  CHECK_EQ(cancelled, 1);
}

/* A status that the program fills itself, with a count that needs more than 32 bits. */
static void own_statuses(void) {
  MPI_Status status;
  MPI_Count count = -1;
  const MPI_Count large = (MPI_Count)5 << 32;
  int flag = -1;
  memset(&status, 0, sizeof status);
  OK(MPI_Status_set_elements_x(&status, MPI_BYTE, large + 7));
  OK(MPI_Status_set_cancelled(&status, 1));
  OK(MPI_Get_elements_x(&status, MPI_BYTE, &count));
  CHECK_EQ(count, large + 7);
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK_EQ(flag, 1);
  OK(MPI_Status_set_cancelled(&status, 0));
  OK(MPI_Status_set_elements(&status, MPI_INT, 3));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK_EQ(flag, 0);
  OK(MPI_Get_count(&status, MPI_SHORT, &flag));
  CHECK_EQ(flag, 6);
  OK(MPI_Get_count(&status, MPI_2INT, &flag));
  CHECK_EQ(flag, MPI_UNDEFINED);
}

/* The error of one operation of several: the codes are valid in all statuses. */
static void errors(void) {
  int out[4] = {1, 2, 3, 4}, in[2][4];
  MPI_Request requests[3];
  MPI_Status statuses[3], status;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0, code;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Irecv(in[0], 4, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Irecv(in[1], 2, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[1]));
  requests[2] = MPI_REQUEST_NULL;
  OK(MPI_Send(out, 4, MPI_INT, next, 1, MPI_COMM_WORLD));
  OK(MPI_Send(out, 4, MPI_INT, next, 2, MPI_COMM_WORLD));
  for (int i = 0; i < 3; ++i) statuses[i].MPI_ERROR = 12345;
  code = MPI_Waitall(3, requests, statuses);
  CHECK_EQ(class_of(code), MPI_ERR_IN_STATUS);
  CHECK_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
  CHECK_EQ(class_of(statuses[1].MPI_ERROR), MPI_ERR_TRUNCATE);
  CHECK_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
  OK(MPI_Error_string(statuses[1].MPI_ERROR, text, &length));
  CHECK_EQ(strlen(text), length);
  CHECK(length > 0);

  OK(MPI_Irecv(in[1], 2, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Send(out, 4, MPI_INT, next, 3, MPI_COMM_WORLD));
  CHECK_EQ(class_of(MPI_Wait(&requests[0], &status)), MPI_ERR_TRUNCATE);
  CHECK_EQ(class_of(MPI_Send(out, 1, MPI_INT, check_size, 0, MPI_COMM_WORLD)), MPI_ERR_RANK);
  CHECK_EQ(class_of(MPI_Send(out, -1, MPI_INT, next, 0, MPI_COMM_WORLD)), MPI_ERR_COUNT);
  CHECK_EQ(class_of(MPI_Send(out, 1, MPI_DATATYPE_NULL, next, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE);
  CHECK_EQ(class_of(MPI_Send(out, 1, MPI_INT, next, -5, MPI_COMM_WORLD)), MPI_ERR_TAG);
  CHECK_EQ(class_of(MPI_Send(out, 1, MPI_INT, next, 0, MPI_COMM_NULL)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Send(out, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD)), MPI_ERR_RANK);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  next = (check_rank + 1) % check_size;
  before = (check_rank + check_size - 1) % check_size;
  blocking();
  modes();
  probes();
  several();
  persistent();
  empty_statuses();
  cancelling();
  own_statuses();
  errors();
  return finish();
}

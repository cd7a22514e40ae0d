// SPDX-License-Identifier: BSD-3-Clause
// Published names within a job: one process publishes, all find; waiting for a name; errors in words.
#include <unistd.h>

#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
const MPI_Info none = MPI_INFO_NULL;

/// A name that no other job uses.
std::string own(const std::string& name) {
  static const int job = [] {
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, world);
    return process;
  }();
  return name + " of " + std::to_string(job);
}

class Hints {
 public:
  Hints(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : pairs) MPI_Info_set(info_, key, value);
  }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  ~Hints() { MPI_Info_free(&info_); }
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

int publish(const std::string& name, const std::string& port, MPI_Info info = none) {
  return MPI_Publish_name(name.c_str(), info, port.c_str());
}
int unpublish(const std::string& name, const std::string& port) {
  return MPI_Unpublish_name(name.c_str(), none, port.c_str());
}

/// The port, or "error" and the error class.
std::string look_up(const std::string& name, MPI_Info info = none) {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  const int code = MPI_Lookup_name(name.c_str(), info, port.data());
  return code == MPI_SUCCESS ? port.data() : "error " + std::to_string(code);
}

/// Whether the sentence of this thread's last error contains all these words.
bool says(int code, const std::vector<std::string>& words) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  for (const std::string& word : words) {
    if (std::string(text.data()).find(word) != std::string::npos) continue;
    std::cerr << "\"" << text.data() << "\" does not contain \"" << word << "\"\n";
    return false;
  }
  return true;
}

const std::string not_published = "error " + std::to_string(MPI_ERR_NAME);

void one_publishes_all_find() {
  const std::string name = own("ocean");
  if (check::rank == 0) CHECK_EQ(publish(name, "a port"), MPI_SUCCESS);
  MPI_Barrier(world);
  CHECK_EQ(look_up(name), "a port");
  CHECK_EQ(publish(name, "another port"), MPI_ERR_SERVICE);
  CHECK(says(MPI_ERR_SERVICE, {"MPI_Publish_name: service_name \"" + name + "\" is published already, by process ",
                               " on host ", "MPI_Unpublish_name", "ompi_unique"}));
  CHECK_EQ(look_up(name), "a port");
  MPI_Barrier(world);
  if (check::rank == check::size - 1) {
    CHECK_EQ(unpublish(name, "another port"), MPI_ERR_SERVICE);
    CHECK(says(MPI_ERR_SERVICE, {"MPI_Unpublish_name: ", "published with port_name \"a port\"", "\"another port\""}));
    CHECK_EQ(unpublish(name, "a port"), MPI_SUCCESS);
  }
  MPI_Barrier(world);
  CHECK_EQ(look_up(name), not_published);
  CHECK(says(MPI_ERR_NAME, {"MPI_Lookup_name: service_name \"" + name +
                                "\" is not published: no process has "
                                "published it in ",
                            "bowline_wait"}));
  CHECK_EQ(unpublish(name, "a port"), MPI_ERR_SERVICE);
  CHECK(says(MPI_ERR_SERVICE, {"cannot be unpublished: no process has published it in "}));
}

void of_all_ranks_one_publishes() {
  for (int round = 0; round < 20; ++round) {
    const std::string name = own("race " + std::to_string(round)), port = std::to_string(check::rank);
    MPI_Barrier(world);
    const int won = publish(name, port) == MPI_SUCCESS ? 1 : 0;
    int winners = 0, winner = 0;
    MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, world);
    CHECK_EQ(winners, 1);
    const int mine = won * check::rank;
    MPI_Allreduce(&mine, &winner, 1, MPI_INT, MPI_SUM, world);
    CHECK_EQ(look_up(name), std::to_string(winner));
    MPI_Barrier(world);
    if (won != 0) CHECK_EQ(unpublish(name, port), MPI_SUCCESS);
  }
}

void any_name() {
  const std::string mine = " " + std::to_string(check::rank);
  const std::vector<std::string> names = {
      ".", "..", "/", "a/../../b", " ", "a\nb", "%", "\xc3\xa9", std::string(3000, 'x'), std::string(255, '/')};
  for (const std::string& name : names) CHECK_EQ(publish(own(name + mine), "to" + mine), MPI_SUCCESS);
  for (const std::string& name : names) CHECK_EQ(look_up(own(name + mine)), "to" + mine);
  for (const std::string& name : names) CHECK_EQ(unpublish(own(name + mine), "to" + mine), MPI_SUCCESS);
}

void any_port() {
  const std::string name = own("port " + std::to_string(check::rank));
  for (const std::string& port : {std::string(), std::string("two\nlines"), std::string(MPI_MAX_PORT_NAME - 1, 'p')}) {
    CHECK_EQ(publish(name, port), MPI_SUCCESS);
    CHECK_EQ(look_up(name), port);
    CHECK_EQ(unpublish(name, port), MPI_SUCCESS);
  }
  CHECK_EQ(publish(name, std::string(MPI_MAX_PORT_NAME, 'p')), MPI_ERR_PORT);
  CHECK(says(MPI_ERR_PORT, {"port_name has 1024 characters", "at most 1023"}));
  CHECK_EQ(look_up(name), not_published);
}

void replacing() {
  const std::string name = own("replaced " + std::to_string(check::rank));
  const Hints replace{{"ompi_unique", "false"}, {"unknown", "x"}}, keep{{"ompi_unique", "true"}};
  CHECK_EQ(publish(name, "first", replace.get()), MPI_SUCCESS);
  CHECK_EQ(publish(name, "second", replace.get()), MPI_SUCCESS);
  CHECK_EQ(publish(name, "third", keep.get()), MPI_ERR_SERVICE);
  CHECK_EQ(look_up(name), "second");
  CHECK_EQ(unpublish(name, "second"), MPI_SUCCESS);
}

// The long message needs the progress of the call that waits.
void waiting() {
  const std::string name = own("late");
  const Hints wait{{"bowline_wait", "true"}};
  std::vector<int> message(1 << 20, 5);
  const int count = static_cast<int>(message.size()), last = check::size - 1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (check::rank == 0 && last != 0) MPI_Isend(message.data(), count, MPI_INT, last, 1, world, &request);
  if (check::rank == last) {
    if (last != 0) MPI_Recv(message.data(), count, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK_EQ(publish(name, "at last"), MPI_SUCCESS);
  }
  CHECK_EQ(look_up(name, wait.get()), "at last");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
  if (check::rank == 0) CHECK_EQ(unpublish(name, "at last"), MPI_SUCCESS);
}

void waiting_in_vain() {
  const std::string name = own("never");
  const Hints patient{{"bowline_wait", "true"}, {"timeout", "0.05"}}, impatient{{"timeout", "10000"}};
  CHECK_EQ(look_up(name, patient.get()), not_published);
  CHECK(says(MPI_ERR_NAME, {"is not published: no process has published it in ", "timeout gives has passed"}));
  CHECK_EQ(look_up(name, impatient.get()), not_published);
  for (const char* const value : {"0", "-1", "soon", "1s", "nan", "inf", "1e10"}) {
    const Hints wrong{{"bowline_wait", "true"}, {"timeout", value}};
    CHECK_EQ(look_up(name, wrong.get()), "error " + std::to_string(MPI_ERR_INFO_VALUE));
    CHECK(says(MPI_ERR_INFO_VALUE, {"timeout is \"" + std::string(value) + "\"", "number of seconds"}));
  }
  const Hints unclear{{"bowline_wait", "maybe"}};
  CHECK_EQ(look_up(name, unclear.get()), "error " + std::to_string(MPI_ERR_INFO_VALUE));
  CHECK(says(MPI_ERR_INFO_VALUE, {"bowline_wait is \"maybe\"", "true or false"}));
}

void wrong_arguments() {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  CHECK_EQ(publish("", "p"), MPI_ERR_ARG);
  CHECK(says(MPI_ERR_ARG, {"MPI_Publish_name: service_name is empty"}));
  CHECK_EQ(unpublish("", "p"), MPI_ERR_ARG);
  CHECK_EQ(look_up(""), "error " + std::to_string(MPI_ERR_ARG));
  CHECK_EQ(MPI_Publish_name(nullptr, none, "p"), MPI_ERR_ARG);
  CHECK(says(MPI_ERR_ARG, {"service_name"}));
  CHECK_EQ(MPI_Publish_name("x", none, nullptr), MPI_ERR_ARG);
  CHECK(says(MPI_ERR_ARG, {"port_name"}));
  CHECK_EQ(MPI_Unpublish_name("x", none, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Lookup_name(nullptr, none, port.data()), MPI_ERR_ARG);
  CHECK_EQ(MPI_Lookup_name("x", none, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Lookup_name("x", reinterpret_cast<MPI_Info>(world), port.data()), MPI_ERR_INFO);
}

void of_a_session() {
  const std::string name = own("session " + std::to_string(check::rank));
  MPI_Session session = MPI_SESSION_NULL;
  CHECK_EQ(MPI_Session_init(none, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  CHECK_EQ(publish(name, "p"), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  CHECK_EQ(look_up(name), "p");  // the program uses MPI still, and removes the name when it ends
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  one_publishes_all_find();
  of_all_ranks_one_publishes();
  any_name();
  any_port();
  replacing();
  waiting();
  waiting_in_vain();
  wrong_arguments();
  of_a_session();
  return program.finish();
}

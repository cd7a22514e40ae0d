// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/opening.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/pool.hpp"
#include "coll/calls/drive.hpp"
#include "coll/calls/learn_switches.hpp"
#include "coll/channel/agreement.hpp"
#include "coll/channel/subchannel.hpp"
#include "mpiio/file/together.hpp"
#include "mpiio/storage/faulty_storage.hpp"
#include "mpiio/storage/file_name.hpp"
#include "mpiio/storage/io_errors.hpp"
#include "mpiio/storage/posix_storage.hpp"
#include "node/host.hpp"

namespace bowline::mpiio {
namespace {

/// What rank 0 tells the other ranks after it has opened the file.
struct OpeningNotice {
  bool failed = true;
  bool may_register = false;
  std::uint64_t number = 0;
  Hints hints;
  node::MemoryOffer share;  ///< of the memory of the processes on its node
};

/// The open files. Their memory is kept, so that a stale handle is detected.
struct OpenFiles {
  std::mutex mutex;
  Pool<File> pool;
};

/// never destroyed, not even by exit(): a program may end while it has files.
OpenFiles& open_files() {
  static auto* const all = new OpenFiles;
  return *all;
}

int direction_of(int amode) noexcept {
  if ((amode & mode::rdonly) != 0) return O_RDONLY;
  return (amode & mode::wronly) != 0 ? O_WRONLY : O_RDWR;
}

node::Descriptor open_path(const std::string& path, int flags, std::uint32_t permissions) {
  int file = -1;
  do {
    file = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, permissions);
  } while (file < 0 && errno == EINTR);
  return node::Descriptor(file);
}

/// One opening of one file by this process.
class Opening {
 public:
  Opening(comm::Communicator& comm, const std::string& name, int amode, const Info& info) : comm_(comm), info_(info) {
    made_.name = name;
    made_.path = path_in(name);
    made_.amode = amode;
    made_.units = Units::by_node(comm.team());
  }

  /// Throws Error in all processes if one process fails. Then nothing is left of the file, unless it existed before.
  OpenedFile run() {
    agree_on_mode();
    std::optional<Error> failure = attempt([&] {
      if (comm_.rank() == 0) open_first();
    });
    notice_.failed = failure.has_value();
    spread(comm_.team(), 0, std::as_writable_bytes(std::span(&notice_, 1)));
    if (comm_.rank() != 0 && !notice_.failed && !failure) failure = attempt([&] { open_further(); });
    // A process that has failed takes part, too: the other processes count on its part.
    const bool shared = notice_.failed || !attempt([&] { share_memory(); });
    conclude(failure, shared);
    return std::move(made_);
  }

 private:
  bool leads_unit() const noexcept { return made_.units.index(comm_.rank()) == 0; }
  int unit_size() const noexcept { return made_.units.size(made_.units.unit(comm_.rank())); }

  /// Rank 0 must not create a file before all processes have called: another process may delete the old file first, and
  /// a wrong access mode must leave nothing behind.
  void agree_on_mode() {
    std::optional<Error> failure = attempt([&] { check_mode(made_.amode); });
    std::array<std::int64_t, 3> all = {failure ? comm_.rank() : comm_.size(), made_.amode, -made_.amode};
    minimize(comm_.team(), all);
    if (all[0] == comm_.size() && all[1] == -all[2]) return;
    if (all[0] == comm_.size()) failure = difference();
    throw Error(*common_error(comm_.team(), failure));
  }

  /// The error of a process whose access mode differs from rank 0's.
  std::optional<Error> difference() const {
    int first = made_.amode;
    spread(comm_.team(), 0, std::as_writable_bytes(std::span(&first, 1)));
    if (made_.amode == first) return std::nullopt;
    return Error(ErrorClass::not_same, fmt::format("amode is {}, but {} on rank 0: it must be the same on all ranks",
                                                   mode_in_words(made_.amode), mode_in_words(first)));
  }

  /// Rank 0 opens the file before the other ranks, so that only one process creates it.
  void open_first() {
    Hints creating;
    creating.take(info_, true);
    const bool creates = (made_.amode & mode::create) != 0;
    // First in a way that shows whether the file existed.
    if (creates) {
      created_ = open_with(O_CREAT | O_EXCL, creating.file_perm);
      if (!created_ && (errno != EEXIST || (made_.amode & mode::excl) != 0)) refuse();
    }
    if (!created_ && !open_with(0, creating.file_perm)) refuse();
    wrap();
    made_.hints = Hints::defaults(made_.system);
    made_.hints.take(info_, true);
    made_.number = node::make_secret();
    enter_register();
    if (unit_size() > 1) made_.share = std::make_unique<NodeShare>(unit_size());
    notice_ = {.may_register = made_.may_register,
               .number = made_.number,
               .hints = made_.hints,
               .share = unit_size() > 1 ? made_.share->offer() : node::MemoryOffer{}};
  }

  void open_further() {
    if (!open_with(0, 0)) refuse();
    wrap();
    made_.hints = notice_.hints;
    const bool with_rank_0 = made_.units.unit(comm_.rank()) == made_.units.unit(0);
    made_.number = with_rank_0 ? notice_.number : node::make_secret();
    if (with_rank_0) {
      made_.may_register = notice_.may_register;
    } else if (leads_unit()) {
      enter_register();
    }
  }

  /// Opens the file. Returns false, and errno tells why, if that fails. A file that is only to be written is opened for
  /// reading, too, if possible, because data sieving reads.
  bool open_with(int flags, std::uint32_t permissions) {
    const int direction = direction_of(made_.amode);
    if (direction == O_WRONLY) {
      file_ = open_path(made_.path, flags | O_RDWR, permissions);
      if (file_.number() >= 0) return true;
      if (errno != EACCES && errno != EPERM) return false;
    }
    file_ = open_path(made_.path, flags | direction, permissions);
    return file_.number() >= 0;
  }

  [[noreturn]] void refuse() const {
    throw io_error(errno, fmt::format("opening {} with {} by rank {} on {}", made_.name, mode_in_words(made_.amode),
                                      comm_.rank(), node::host_name()));
  }

  void wrap() {
    made_.system = FileSystem::of(file_.number());
    made_.system.remote |= faults_of_all().remote;
    made_.storage = std::make_unique<PosixStorage>(std::move(file_));
    if (faults_of_all().any()) {
      made_.storage = std::make_unique<FaultyStorage>(std::move(made_.storage), faults_of_all(),
                                                      static_cast<std::uint32_t>(comm_.rank()) + 1);
    }
  }

  void enter_register() {
    if ((made_.amode & (mode::rdonly | mode::unique_open)) != 0) return;
    made_.may_register = OpenRegister(*made_.storage, made_.number).enter() == 0;
  }

  /// Each node has shared memory of its own: rank 0's ticket came with the notice, the first process of any other node
  /// sends its own ticket.
  void share_memory() {
    const int mine = made_.units.unit(comm_.rank());
    const int index = made_.units.index(comm_.rank());
    node::MemoryOffer offer = notice_.share;
    std::optional<Error> failure;
    if (made_.units.count() > 1) {
      if (leads_unit() && mine != made_.units.unit(0) && unit_size() > 1) {
        failure = attempt([&] { made_.share = std::make_unique<NodeShare>(unit_size()); });
        offer = failure ? node::MemoryOffer{} : made_.share->offer();
      }
      spread_in_unit(std::as_writable_bytes(std::span(&offer, 1)), mine, index);
    }
    if (failure) throw Error(*failure);
    if (unit_size() == 1) {
      made_.share = std::make_unique<NodeShare>();
    } else if (index != 0) {
      made_.share = std::make_unique<NodeShare>(offer, index, unit_size());
    }
  }

  void spread_in_unit(std::span<std::byte> data, int unit, int index) {
    coll::Team& team = comm_.team();
    const LockGuard lane(team.engine.lock());
    const coll::Arguments arguments{.result = data};
    coll::drive(team, team.blocking.next_tag(), team.next_id(coll::CallKind::file_access()),
                [&](coll::Channel& channel) -> Task {
                  coll::SubChannel members(channel, made_.units.members(unit), index);
                  Task spreading = coll::bcast_binomial(members, arguments);
                  co_await spreading;
                });
  }

  /// All processes learn whether all have opened the file, and whether they share memory with the processes of their
  /// nodes; and what holds of the file system in all of them, because they plan collective accesses by it: on a server
  /// of files its own disk is local, on the other nodes it is remote.
  void conclude(const std::optional<Error>& failure, bool shared) {
    std::array<std::int64_t, 5> all = {failure ? comm_.rank() : comm_.size(), shared ? 1 : 0, end_for_append(),
                                       made_.system.remote ? 0 : 1, -static_cast<std::int64_t>(made_.system.block)};
    minimize(comm_.team(), all);
    made_.system.remote = all[3] == 0;
    made_.system.block = static_cast<std::size_t>(-all[4]);
    if (all[0] < comm_.size()) {
      if (created_) unlink(made_.path.c_str());
      throw Error(*common_error(comm_.team(), failure));
    }
    if (all[1] == 0) {
      made_.units = Units(comm_.size());
      made_.share = std::make_unique<NodeShare>();
    }
    made_.share->all_have_joined();
    if ((made_.amode & mode::append) == 0) return;
    made_.start = all[2];
    if (comm_.rank() == 0) made_.share->pointer().store(made_.start);
  }

  /// Rank 0 finds the end of the file, at which all processes begin. No process writes before all know the end.
  Offset end_for_append() const noexcept {
    Offset end = std::numeric_limits<Offset>::max();
    if ((made_.amode & mode::append) != 0 && comm_.rank() == 0 && made_.storage != nullptr) made_.storage->size(end);
    return end;
  }

  comm::Communicator& comm_;
  const Info& info_;
  OpenedFile made_;
  OpeningNotice notice_;
  node::Descriptor file_;
  bool created_ = false;
};

}  // namespace

File& open_file(comm::Communicators& communicators, comm::Communicator& comm, const std::string& name, int amode,
                const Info& hints, comm::ErrorHandler& handler) {
  OpenedFile opened = Opening(comm, name, amode, hints).run();
  comm::ContextId id;
  {
    const LockGuard lane(comm.engine().lock());
    id = communicators.agree(comm.team());
  }
  comm::Communicator& own = communicators.make(id, comm.group());
  own.set_name(fmt::format("the file {}", name));
  own.set_error_handler(handler);
  {
    const LockGuard lane(own.engine().lock());
    if (own.team().switches_unknown) coll::learn_switches(own.team());
  }
  OpenFiles& files = open_files();
  const std::lock_guard hold(files.mutex);
  File& file = *files.pool.make(communicators, own, std::move(opened));
  own.set_owner(&file);
  return file;
}

/// As common_error(); that members are lost is such an error, too. All members execute the same calls, whatever fails.
std::optional<Error> error_of_living(coll::Team& team, const std::optional<Error>& mine) {
  try {
    return common_error(team, mine, Calls::few);
  } catch (const Error& loss) {
    if (!tells_loss(loss.error_class())) throw;
    return mine ? mine : std::optional(loss);
  }
}

/// Whether this member is the first one that lives, as far as it knows.
bool is_first(const coll::Team& team) {
  int first = 0;
  while (first < team.rank && team.engine.liveness().has_failed(team.ranks.process(first))) ++first;
  return first == team.rank;
}

/// A file with lost members is closed all the same.
void close_file(File& file) {
  file.await_turns();
  coll::Team& team = file.comm().team();
  const auto pending = attempt([&] { file.refuse_pending("MPI_File_close"); });
  std::optional<Error> failure = error_of_living(team, pending);
  if (failure && !tells_loss(failure->error_class())) throw Error(*failure);
  if (const int error = file.storage().close(); error != 0)
    failure = io_error(error, fmt::format("closing {} by {}", file.name(), file.where()));
  if (file.has_mode(mode::delete_on_close)) {
    failure = error_of_living(team, failure);  // all members have closed the file
    const bool deletes = !failure || tells_loss(failure->error_class());
    if (deletes && is_first(team) && unlink(file.path().c_str()) != 0)
      failure = io_error(errno, fmt::format("deleting {} by {}", file.name(), file.where()));
  }
  failure = error_of_living(team, failure);
  {
    OpenFiles& files = open_files();
    const std::lock_guard hold(files.mutex);
    files.pool.destroy(&file);
  }
  if (failure) throw Error(*failure);
}

void delete_file(const std::string& name) {
  const std::string path(path_in(name));
  if (unlink(path.c_str()) != 0) throw io_error(errno, fmt::format("deleting {} on {}", name, node::host_name()));
}

}  // namespace bowline::mpiio

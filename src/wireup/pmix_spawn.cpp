// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmix_spawn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parent_port.hpp"
#include "base/random_source.hpp"
#include "wireup/pmix_structures.hpp"

namespace bowline::wireup {
namespace {

// What mpiexec's server answers: whose fault a failed spawn was, and why a job has ended.
constexpr const char* key_of_failure = "bowline.spawn-error";
constexpr const char* keys_of_ends = "bowline.end.";
// By this attribute mpiexec's server learns how this process names the job, and does not answer with the name of its
// namespace: PMIx would keep tens of kilobytes about the namespace in this process, for ever.
constexpr const char* key_of_token = "bowline.token";

/// Options of mpiexec and the attributes that stand for them.
constexpr std::array<std::pair<std::string_view, const char*>, 8> attributes{{{"host", PMIX_HOST},
                                                                              {"hostfile", PMIX_HOSTFILE},
                                                                              {"add-host", PMIX_ADD_HOST},
                                                                              {"add-hostfile", PMIX_ADD_HOSTFILE},
                                                                              {"map-by", PMIX_MAPBY},
                                                                              {"rank-by", PMIX_RANKBY},
                                                                              {"bind-to", PMIX_BINDTO},
                                                                              {"ppr", PMIX_PPR}}};

/// A growing list of texts that PMIx reads as an array of pointers, which ends with a null pointer.
class Texts {
 public:
  void add(std::string text) { texts_.push_back(std::move(text)); }
  char** pointers() {
    pointers_.clear();
    for (std::string& each : texts_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// The attributes of an application. Owns what PMIx has copied into them.
class Attributes {
 public:
  Attributes() = default;
  Attributes(Attributes&& other) noexcept : list_(std::exchange(other.list_, {})) {}
  Attributes& operator=(Attributes&&) = delete;
  ~Attributes() {
    for (pmix_info_t& each : list_) clear(each.value);
  }

  void add(const char* key, const std::string& value) { load(key, value.c_str(), PMIX_STRING); }
  void add(const char* key, bool value) { load(key, &value, PMIX_BOOL); }
  std::span<pmix_info_t> list() noexcept { return list_; }

 private:
  void load(const char* key, const void* value, pmix_data_type_t type) {
    wireup::load(list_.emplace_back(), key, value, type);
  }
  std::vector<pmix_info_t> list_;
};

/// A program as PMIx sees it.
class Application {
 public:
  Application(const Program& program, const std::string& port, const std::string& token)
      : name_(program.name), processes_(program.processes) {
    arguments_.add(program.name);
    for (const std::string& each : program.arguments) arguments_.add(each);
    environment_.add(fmt::format("{}={}", ParentPort::variable, port));
    for (const auto& [variable, value] : program.environment) environment_.add(variable + "=" + value);
    directory_ = program.directory.empty() ? std::filesystem::current_path().string() : program.directory;
    attributes_.add(PMIX_WDIR, directory_);
    attributes_.add(key_of_token, token);
    if (!program.path.empty()) attributes_.add("bowline.path", program.path);
    if (program.outlives) attributes_.add("bowline.outlive", true);
    for (const auto& [option, value] : program.placement) {
      const auto known = std::ranges::find(attributes, option, [](const auto& each) { return each.first; });
      if (known != attributes.end()) attributes_.add(known->second, value);
    }
  }

  /// Refers to this object.
  pmix_app_t as_pmix() {
    pmix_app_t app{};
    app.cmd = name_.data();
    app.argv = arguments_.pointers();
    app.env = environment_.pointers();
    app.cwd = directory_.data();
    app.maxprocs = processes_;
    app.info = attributes_.list().data();
    app.ninfo = attributes_.list().size();
    return app;
  }

 private:
  std::string name_;
  int processes_;
  std::string directory_;
  Texts arguments_, environment_;
  Attributes attributes_;
};

/// What the server publishes under a key; nothing if there is no such key.
std::optional<std::string> looked_up(const char* key) {
  pmix_pdata_t data{};
  set_text(data.key, key);
  if (pmix_client().lookup(&data, 1, nullptr, 0) != PMIX_SUCCESS) return {};
  std::optional<std::string> text;
  if (data.value.type == PMIX_STRING && data.value.data.string != nullptr) text = data.value.data.string;
  clear(data.value);
  return text;
}

/// Splits "<number> <text>".
std::pair<int, std::string> numbered(const std::string& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::size_t rest = static_cast<std::size_t>(end - text.data());
  return {error == std::errc() ? number : -1, rest + 1 < text.size() ? text.substr(rest + 1) : ""};
}

[[noreturn]] void fail(pmix_status_t status) {
  if (const auto told = looked_up(key_of_failure)) {
    const auto [program, sentence] = numbered(*told);
    throw SpawnFailure(program, sentence);
  }
  throw SpawnFailure(-1, fmt::format("the launcher's PMIx server answered {}", pmix().error_string(status)));
}

/// A name for a job that no other process uses.
std::string new_token() {
  const RandomSource random;
  return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
}

/// Asks the server in the background to tell when the job ends.
class PmixJob final : public SpawnedJob {
 public:
  /// `name`: the job's token.
  explicit PmixJob(const std::string& name) : end_(std::make_shared<End>()) {
    std::string key = keys_of_ends + name;
    std::array<char*, 2> keys{key.data(), nullptr};
    bool yes = true;
    pmix_info_t wait{};
    load(wait, PMIX_WAIT, &yes, PMIX_BOOL);
    auto kept = std::make_unique<std::shared_ptr<End>>(end_);
    if (pmix_client().lookup_nb(keys.data(), &wait, 1, &PmixJob::told, kept.get()) == PMIX_SUCCESS)
      static_cast<void>(kept.release());  // told() owns it
    clear(wait.value);
  }

  std::optional<std::string> ended() override {
    const std::lock_guard hold(end_->mutex);
    return end_->words;
  }

 private:
  struct End {
    std::mutex mutex;
    std::optional<std::string> words;
  };

  /// Called by a thread of PMIx; no exception may leave it.
  static void told(pmix_status_t status, pmix_pdata_t data[], std::size_t count, void* kept) noexcept {
    const std::unique_ptr<std::shared_ptr<End>> owner(static_cast<std::shared_ptr<End>*>(kept));
    if (status != PMIX_SUCCESS || count == 0 || data[0].value.type != PMIX_STRING) return;
    try {
      const auto [exit_status, why] = numbered(data[0].value.data.string);
      const std::lock_guard hold((*owner)->mutex);
      (*owner)->words = why.empty() ? fmt::format("have ended with status {}", exit_status) : "have ended: " + why;
    } catch (const std::exception&) {  // no memory for the words
    }
  }

  std::shared_ptr<End> end_;
};

}  // namespace

std::unique_ptr<SpawnedJob> spawn_by_pmix(std::span<const Program> programs, const std::string& port) {
  std::vector<Application> applications;
  applications.reserve(programs.size());  // the objects stay in place
  std::vector<pmix_app_t> apps;
  const std::string token = new_token();
  for (const Program& each : programs) apps.push_back(applications.emplace_back(each, port, token).as_pmix());
  pmix_nspace_t job{};
  const pmix_status_t status = pmix_client().spawn(nullptr, 0, apps.data(), apps.size(), job);
  if (status == PMIX_ERR_NOT_SUPPORTED) return nullptr;
  if (status != PMIX_SUCCESS) fail(status);
  return std::make_unique<PmixJob>(token);
}

}  // namespace bowline::wireup

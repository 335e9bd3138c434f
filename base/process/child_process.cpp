#include "base/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace ablate::process {
namespace {

using std::chrono::milliseconds;

constexpr int could_not_start = 127;

std::system_error failure(const std::string& of) { return {errno, std::generic_category(), of}; }

/// A file descriptor that closes itself.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Moves what open, dup or pipe gave beyond the standard streams: where one of those is closed they hand out
/// its number, which the child's own streams would overwrite.
descriptor beyond_streams(int given, const std::string& name) {
  if (given < 0) throw failure(name);
  const descriptor old(given);
  descriptor moved(fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (moved.number() < 0) throw failure(name);
  return moved;
}

descriptor opened(const std::filesystem::path& file, int flags) {
  return beyond_streams(open(file.c_str(), flags | O_CLOEXEC, 0644), file.string());
}

struct pipe_ends {
  descriptor read, write;
};

pipe_ends made_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw failure("pipe");
  descriptor write(ends[1]);
  pipe_ends made{beyond_streams(ends[0], "pipe"), descriptor()};
  made.write = beyond_streams(write.release(), "pipe");
  return made;
}

/// What a child's streams become; without a number a stream stays as it is.
struct streams {
  descriptor in, out, error;
};

streams streams_of(const command& of, const descriptor& captured) {
  streams all;
  all.in = opened("/dev/null", O_RDONLY);
  if (captured.number() >= 0) {
    all.out = beyond_streams(dup(captured.number()), "pipe");
    all.error = beyond_streams(dup(captured.number()), "pipe");
    return all;
  }
  constexpr int written_anew = O_WRONLY | O_CREAT | O_TRUNC;
  if (!of.out.empty()) all.out = opened(of.out, written_anew);
  if (!of.error.empty())
    all.error = of.error == of.out ? beyond_streams(dup(all.out.number()), of.out.string())
                                   : opened(of.error, written_anew);
  return all;
}

std::string_view name_of(std::string_view assignment) { return assignment.substr(0, assignment.find('=')); }

/// The environment of this process with the assignments that are added.
std::vector<char*> environment_with(std::vector<std::string>& added) {
  std::vector<char*> all;
  for (char** own = environ; *own; ++own)
    if (std::none_of(added.begin(), added.end(),
                     [&](const std::string& a) { return name_of(a) == name_of(*own); }))
      all.push_back(*own);
  for (std::string& assignment : added) all.push_back(assignment.data());
  all.push_back(nullptr);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// A copy of this process; what is buffered here is not printed twice.
pid_t copied(const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw failure(name);
  return child;
}

/// Ends this process when its parent ends, even if it just has.
void end_with(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) _exit(could_not_start);
}

/// The parent's handlers mean nothing here. A signal that is ignored remains so.
void drop_handler(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
}

/// Called in a copy of a process with threads: no memory may be allocated. Leaves why it failed in `report`.
[[noreturn]] void become(char* const* argv, char* const* environment, const streams& of,
                         const descriptor& directory, const descriptor& report) {
  setpgid(0, 0);
  const bool is_there = directory.number() < 0 || fchdir(directory.number()) == 0;
  dup2(of.in.number(), STDIN_FILENO);
  if (of.out.number() >= 0) dup2(of.out.number(), STDOUT_FILENO);
  if (of.error.number() >= 0) dup2(of.error.number(), STDERR_FILENO);
  if (is_there) execvpe(argv[0], argv, environment);
  const int why = errno;
  [[maybe_unused]] const auto written = write(report.number(), &why, sizeof why);
  _exit(could_not_start);
}

/// Why a child did not become its program, or 0; waits until it has.
int read_report(descriptor report) {
  int why = 0;
  ssize_t count;
  while ((count = read(report.number(), &why, sizeof why)) < 0 && errno == EINTR) {
  }
  return count == sizeof why ? why : 0;
}

/// The status of a child that has ended.
int taken_status(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {.exit_code = std::nullopt, .signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace

std::string ending::text() const {
  return exit_code ? fmt::format("exited with code {}", *exit_code)
                   : fmt::format("died of signal {} ({})", signal, strsignal(signal));
}

child_process::child_process(command given)
    : name_(given.argv.at(0)), on_output_(std::move(given.on_output)), leads_group_(true) {
  pipe_ends captured;
  if (on_output_) captured = made_pipe();
  const streams become_these = streams_of(given, captured.write);
  descriptor directory;
  if (!given.directory.empty()) directory = opened(given.directory, O_RDONLY | O_DIRECTORY);
  pipe_ends report = made_pipe();
  const std::vector<char*> argv = pointers_to(given.argv), environment = environment_with(given.environment);

  const pid_t parent = getpid();
  pid_ = copied(name_);
  if (pid_ == 0) {
    end_with(parent, SIGTERM);
    become(argv.data(), environment.data(), become_these, directory, report.write);
  }
  report.write = descriptor();
  if (const int why = read_report(std::move(report.read))) {
    taken_status(pid_);
    throw std::system_error(why, std::generic_category(), name_);
  }
  pipe_ = captured.read.release();
}

child_process::child_process(const std::function<int()>& work) : name_("a copy of this process") {
  const pid_t parent = getpid();
  pid_ = copied(name_);
  if (pid_ > 0) return;
  drop_handler(SIGINT);
  drop_handler(SIGTERM);
  end_with(parent, SIGKILL);
  int code = 1;
  try {
    code = work();
  } catch (const std::exception& thrown) {
    fmt::print(stderr, "ablate: {}\n", thrown.what());
  }
  std::fflush(nullptr);
  _exit(code);
}

child_process::~child_process() {
  if (!ended_ && pid_ > 0) {
    kill_group();
    taken_status(pid_);
  }
  close_pipe();
}

std::optional<ending> child_process::wait_for(std::chrono::duration<double> limit) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  while (!ended_ && !has_ended()) {
    const auto left = limit - (clock::now() - begin);
    if (left.count() <= 0) return std::nullopt;
    listen(std::min(between_looks, std::chrono::ceil<milliseconds>(left)));
  }
  return ended_;
}

ending child_process::wait() {
  for (;;)
    if (const auto ended = wait_for(std::chrono::hours(1))) return *ended;
}

void child_process::signal(int number) {
  if (!ended_ && pid_ > 0) ::kill(pid_, number);
}

ending child_process::kill() {
  if (!ended_) kill_group();
  return wait();
}

bool child_process::has_ended() {
  // Seen before it is reaped: until then no other group can have its number.
  siginfo_t seen{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT) != 0) {
    const auto lost = failure(name_ + ": how it ended is lost");
    pid_ = -1;
    throw lost;
  }
  if (seen.si_pid == 0) return false;
  kill_group();
  ended_ = ending_of(taken_status(pid_));
  drain_output();
  return true;
}

void child_process::kill_group() const {
  if (pid_ > 0) ::kill(leads_group_ ? -pid_ : pid_, SIGKILL);
}

void child_process::listen(milliseconds limit) {
  pollfd from{pipe_, POLLIN, 0};
  if (poll(&from, 1, static_cast<int>(limit.count())) <= 0) return;
  char piece[65536];
  const ssize_t count = read(pipe_, piece, sizeof piece);
  if (count > 0) on_output_({piece, static_cast<std::size_t>(count)});
  if (count == 0) close_pipe();
}

/// Reads what the pipe holds now. Its end may never come: a process that left the group can keep it open.
void child_process::drain_output() {
  int left = 0;
  if (pipe_ < 0 || ioctl(pipe_, FIONREAD, &left) != 0) return;
  char piece[65536];
  while (left > 0) {
    const ssize_t count = read(pipe_, piece, std::min(sizeof piece, static_cast<std::size_t>(left)));
    if (count <= 0) break;
    on_output_({piece, static_cast<std::size_t>(count)});
    left -= static_cast<int>(count);
  }
  close_pipe();
}

void child_process::close_pipe() {
  if (pipe_ >= 0) close(std::exchange(pipe_, -1));
}

result run(const std::vector<std::string>& argv, std::optional<std::chrono::duration<double>> limit) {
  result made;
  command given{.argv = argv};
  given.on_output = [&](std::string_view text) { made.output += text; };
  child_process child(std::move(given));
  made.timed_out = limit && !child.wait_for(*limit);
  static_cast<ending&>(made) = made.timed_out ? child.kill() : child.wait();
  return made;
}

}  // namespace ablate::process

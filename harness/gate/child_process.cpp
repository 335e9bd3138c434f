#include "harness/gate/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "harness/timing/stopwatch.h"

namespace ablate::gate {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(2);
constexpr int could_not_start = 127;

volatile sig_atomic_t asked_to_end = 0;
struct sigaction old_int {};
struct sigaction old_term {};
struct sigaction old_chld {};

void check_interrupt() {
  if (asked_to_end) throw interrupted("interrupted");
}

[[noreturn]] void become(std::vector<char*>& words, int log, pid_t parent) {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(could_not_start);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execvp(words[0], words.data());
  const char* why = std::strerror(errno);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, why, std::strlen(why));
  _exit(could_not_start);
}

}  // namespace

interrupt_watch::interrupt_watch() {
  asked_to_end = 0;
  struct sigaction note {};
  note.sa_handler = [](int) { asked_to_end = 1; };
  sigaction(SIGINT, &note, &old_int);
  sigaction(SIGTERM, &note, &old_term);
  // Where whoever started us ignores it, exit codes are lost.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &old_chld);
}

interrupt_watch::~interrupt_watch() {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
  sigaction(SIGCHLD, &old_chld, nullptr);
}

int run_child(const std::vector<std::string>& command, const std::filesystem::path& log) {
  check_interrupt();
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw tool_failure(fmt::format("{}: {}", log.string(), std::strerror(errno)));
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::fflush(nullptr);  // what is buffered here must not be printed twice
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(words, file, parent);
  close(file);
  if (child < 0) throw tool_failure(fmt::format("{}: {}", command.front(), std::strerror(errno)));
  int status = 0;
  bool told = false;
  for (pid_t ended = 0; (ended = waitpid(child, &status, WNOHANG)) != child;) {
    if (ended < 0 && errno != EINTR)
      throw tool_failure(fmt::format("{}: how it ended is lost: {}", command.front(), std::strerror(errno)));
    if (asked_to_end && !told) {
      kill(child, SIGTERM);
      told = true;
    }
    std::this_thread::sleep_for(poll_interval);
  }
  check_interrupt();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void sleep_for(double seconds) {
  const stopwatch watch;
  while (watch.seconds() < seconds) {
    check_interrupt();
    std::this_thread::sleep_for(poll_interval);
  }
}

}  // namespace ablate::gate

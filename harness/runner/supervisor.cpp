#include "harness/runner/supervisor.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

namespace ablate {

namespace {

constexpr auto poll_interval = std::chrono::milliseconds(10);

volatile sig_atomic_t interrupted = 0;

/// Takes SIGINT and SIGTERM for as long as it lives. Children are to be waited for: where whoever started
/// this program ignores SIGCHLD, how they ended would be lost.
class signal_guard {
 public:
  signal_guard() {
    interrupted = 0;
    struct sigaction note {};
    note.sa_handler = [](int) { interrupted = 1; };
    sigaction(SIGINT, &note, &old_int_);
    sigaction(SIGTERM, &note, &old_term_);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &old_child_);
  }
  ~signal_guard() { restore(); }
  void restore() const {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
    sigaction(SIGCHLD, &old_child_, nullptr);
  }

 private:
  struct sigaction old_int_ {
  }, old_term_{}, old_child_{};
};

/// Progress in memory that parent and child share.
class shared_progress {
 public:
  shared_progress() {
    void* const shared =
        mmap(nullptr, sizeof(worker_progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
      throw std::runtime_error("no memory to share with the process that runs the cases");
    memory_ = new (shared) worker_progress;
  }
  shared_progress(const shared_progress&) = delete;
  ~shared_progress() { munmap(memory_, sizeof(worker_progress)); }
  worker_progress& operator*() const { return *memory_; }
  worker_progress* operator->() const { return memory_; }

 private:
  worker_progress* memory_ = nullptr;
};

double seconds_since(long long steady_ns) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return 1e-9 *
         static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - steady_ns);
}

enum class ending { finished, lost_device, died, hung, interrupted };

/// Waits for the child, and ends it when it hangs or the run is interrupted.
ending wait_for(pid_t child, double case_limit_seconds, const worker_progress& progress, int& status) {
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      if (interrupted) return ending::interrupted;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ending::finished;
      if (WIFEXITED(status) && WEXITSTATUS(status) == exit_device_lost) return ending::lost_device;
      return ending::died;
    }
    const bool hung = progress.case_index >= 0 && seconds_since(progress.started_ns) > case_limit_seconds;
    if (hung || interrupted) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return interrupted ? ending::interrupted : ending::hung;
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

std::string how_it_died(int status) {
  return WIFSIGNALED(status)
             ? fmt::format("the process that ran it died of signal {} ({})", WTERMSIG(status),
                           strsignal(WTERMSIG(status)))
             : fmt::format("the process that ran it exited with code {}", WEXITSTATUS(status));
}

}  // namespace

bool supervise(std::vector<keyed_case> cases, double case_limit_seconds, journal& out,
               const std::function<int(const std::vector<keyed_case>&, worker_progress&)>& work) {
  const signal_guard guard;
  const shared_progress progress;
  while (!cases.empty()) {
    progress->case_index = -1;
    std::fflush(nullptr);  // what is buffered here must not be printed twice
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start a process to run the cases in");
    if (child == 0) {
      guard.restore();
      prctl(PR_SET_PDEATHSIG,
            SIGKILL);  // a supervisor that is killed must not leave a worker writing its journal
      if (getppid() != parent) _exit(1);
      int code = 1;
      try {
        code = work(cases, *progress);
      } catch (const std::exception& failure) {
        fmt::print(stderr, "ablate: {}\n", failure.what());
      }
      std::fflush(nullptr);
      _exit(code);
    }

    int status = 0;
    const ending how = wait_for(child, case_limit_seconds, *progress, status);
    if (how == ending::finished) return true;
    if (how == ending::interrupted) return false;
    const long last = progress->case_index;
    if (last < 0) throw std::runtime_error(fmt::format("no case was run: {}", how_it_died(status)));
    const keyed_case& at = cases[static_cast<std::size_t>(last)];
    // A child that lost its device journalled the case itself; one that died may have done so just before.
    if (how == ending::hung)
      out.write_case(at.key, unmeasured_entry(at.is, "timeout",
                                              fmt::format("no result within {} s", case_limit_seconds)));
    else if (how == ending::died && !out.read().entries.contains(at.key))
      out.write_case(at.key, unmeasured_entry(at.is, "failed", how_it_died(status)));
    if (how != ending::lost_device)
      fmt::print(stderr, "ablate: {}: {}\n", at.is.id, how == ending::hung ? "timeout" : how_it_died(status));
    cases.erase(cases.begin(), cases.begin() + last + 1);
  }
  return true;
}

}  // namespace ablate

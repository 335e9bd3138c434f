#include "harness/runner/supervisor.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <new>

#include "reports/process/child_process.h"
#include "reports/process/interrupt_watch.h"

namespace ablate {

namespace {

/// Progress in memory shared by parent and child.
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

/// Waits until the worker ends or hangs, or the run is interrupted.
ending wait_for(process::child_process& worker, double case_limit_seconds, const worker_progress& progress) {
  for (;;) {
    const auto ended = worker.wait_for(process::between_looks);
    if (process::interrupt_watch::interrupted()) return ending::interrupted;
    if (ended && ended->exit_code == 0) return ending::finished;
    if (ended && ended->exit_code == exit_device_lost) return ending::lost_device;
    if (ended) return ending::died;
    if (progress.case_index >= 0 && seconds_since(progress.started_ns) > case_limit_seconds)
      return ending::hung;
  }
}

}  // namespace

bool supervise(std::vector<keyed_case> cases, double case_limit_seconds, journal& out,
               const std::function<int(const std::vector<keyed_case>&, worker_progress&)>& work) {
  const process::interrupt_watch watch;
  const shared_progress progress;
  // A shard may have no cases; its record says on what.
  while (!cases.empty() || out.read().context.is_null()) {
    progress->case_index = -1;
    process::child_process worker([&] { return work(cases, *progress); });
    const ending how = wait_for(worker, case_limit_seconds, *progress);
    const std::string how_it_died = "the process that ran it " + worker.kill().text();
    if (how == ending::finished) return true;
    if (how == ending::interrupted) return false;
    const long last = progress->case_index;
    if (last < 0) throw std::runtime_error(fmt::format("no case was run: {}", how_it_died));
    const keyed_case& at = cases[static_cast<std::size_t>(last)];
    const bool hung = how == ending::hung;
    // Its case may already be in the journal: a worker journals a lost device, and may die or hang after its
    // case ended.
    const journal_contents so_far = out.read();
    const auto entry = so_far.entries.find(at.key);
    std::string said = hung ? "timeout" : how_it_died;
    if (entry == so_far.entries.end())
      out.write_case(at.key, hung ? unmeasured_entry(at.is, "timeout",
                                                     fmt::format("no result within {} s", case_limit_seconds))
                                  : unmeasured_entry(at.is, "failed", how_it_died));
    else
      said = fmt::format("recorded as {}; {} afterwards", entry->second.at("status").get<std::string>(),
                         hung ? "the process that ran it hung" : how_it_died);
    if (how != ending::lost_device) fmt::print(stderr, "ablate: {}: {}\n", at.is.id, said);
    cases.erase(cases.begin(), cases.begin() + last + 1);
  }
  return true;
}

}  // namespace ablate

#include "harness/runner/supervisor.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/process/child_process.h"
#include "base/process/interrupt_watch.h"
#include "harness/runner/neighbors.h"

namespace ablate {

namespace {

double seconds_since(long long ns) { return 1e-9 * static_cast<double>(steady_ns() - ns); }

enum class worker_state { absent, starting, running, waiting, probing, ending };

/// A device with the process that uses it.
struct worker {
  const worker_process& spec;
  worker_progress& progress;
  worker_state state = worker_state::absent;
  std::unique_ptr<process::child_process> child = nullptr;
  order_channel line = {};
  std::optional<std::size_t> package = {};  ///< given to it, and not all run
  std::vector<std::size_t> rest = {};       ///< of the package, not yet ordered from this process
  std::vector<std::size_t> ordered = {};    ///< the cases that this process was ordered to run last
  long long ordered_ns = 0;
  int failed_starts = 0;  ///< in a row
  bool out_of_service = false;
};

constexpr int max_failed_starts = 2;

class supervision {
 public:
  supervision(const std::vector<keyed_case>& cases, work_queue queue, double case_limit_seconds, journal& out,
              const std::vector<worker_process>& processes, std::span<worker_progress> progress,
              neighbor_board* neighbors)
      : cases_(cases),
        queue_(std::move(queue)),
        case_limit_seconds_(case_limit_seconds),
        out_(out),
        board_(neighbors),
        probe_is_due_(neighbors && !neighbors->is_known) {
    for (std::size_t i = 0; i < processes.size(); ++i) workers_.push_back({processes[i], progress[i]});
  }

  supervised run() {
    // A shard may have no cases; its record says on what.
    if (out_.read().context.is_null()) start(workers_.front());
    for (;;) {
      look_at_all();
      if (process::interrupt_watch::interrupted()) {
        for (worker& w : workers_) end(w);
        result_.interrupted = true;
        return result_;
      }
      for (worker& w : workers_)
        if (w.state == worker_state::absent && has_work(w)) start(w);
      if (is_time_to_probe()) begin_probe(order::what::probe);
      if (none_at_work() && end_is_due()) begin_probe(order::what::probe_at_end);
      if (none_at_work()) {
        order_end();
        if (all_absent()) return result_;
      }
      wait();
    }
  }

 private:
  bool has_work(const worker& w) const {
    return !w.out_of_service && (!w.rest.empty() || queue_.has_next(w.spec.specimen));
  }

  void start(worker& w) {
    w.line = order_channel();
    w.progress.case_index = -1;
    w.progress.waits = false;
    w.ordered.clear();
    w.child = std::make_unique<process::child_process>([&w] { return w.spec.work(w.line.for_worker()); });
    w.line.forked();
    w.state = worker_state::starting;
  }

  /// Until a worker asks or one has ended, but not for long: a case may hang, a signal come.
  void wait() const {
    std::vector<pollfd> lines;
    for (const worker& w : workers_)
      if (w.child && w.state != worker_state::waiting) lines.push_back({w.line.socket(), POLLIN, 0});
    poll(lines.data(), lines.size(), static_cast<int>(process::between_looks.count()));
  }

  void look_at_all() {
    for (worker& w : workers_) {
      if (!w.child) continue;
      const auto ended = w.child->wait_for(std::chrono::seconds(0));
      if (process::interrupt_watch::interrupted()) return;
      if (ended)
        has_ended(w, *ended);
      else if (w.state == worker_state::waiting ? has_work(w) : w.line.is_asked())
        give(w);
      else if (is_hung(w))
        has_hung(w);
    }
  }

  void give(worker& w) {
    w.state = worker_state::waiting;
    w.ordered.clear();
    if (w.progress.case_index >= 0) w.failed_starts = 0;
    if (w.rest.empty()) {
      if (probe_is_due_ && !queue_.has_own_next(w.spec.specimen)) return;
      if (!take_package(w)) return;
    }
    order_rest(w);
  }

  bool take_package(worker& w) {
    w.package = queue_.next(w.spec.specimen);
    if (!w.package) return false;
    any_bundle_begun_ |= queue_.at(*w.package).moves;
    w.rest = queue_.at(*w.package).pending;
    return true;
  }

  void order_rest(worker& w) {
    w.state = worker_state::running;
    w.progress.case_index = -1;
    w.ordered = std::move(w.rest);
    w.rest.clear();
    w.line.send({order::what::run, w.ordered});
  }

  /// Once all that are in service have ended their calibrations, and bundles are left.
  bool is_time_to_probe() const {
    const auto can_measure = [&](const worker& w) { return has_work(w); };
    const auto has_calibrated = [&](const worker& w) {
      return w.state == worker_state::waiting ? w.rest.empty() && !queue_.has_own_next(w.spec.specimen)
                                              : w.state == worker_state::absent && !has_work(w);
    };
    return probe_is_due_ && std::any_of(workers_.begin(), workers_.end(), can_measure) &&
           std::all_of(workers_.begin(), workers_.end(), has_calibrated);
  }

  /// After bundles of this run, if it is known what the influence was before them.
  bool end_is_due() const { return board_ && any_bundle_begun_ && board_->is_known; }

  /// The first one that can measures; the others are its neighbors. Whatever becomes of it, this is done
  /// once before the bundles and once after them. A neighbor's processor is idle meanwhile: it learns what
  /// its first bundle will be, the longest, to make the input.
  void begin_probe(order::what kind) {
    (kind == order::what::probe ? probe_is_due_ : any_bundle_begun_) = false;
    std::vector<worker*> ready;
    for (worker& w : workers_)
      if (w.state == worker_state::waiting && neighbor_probe_of(cases_, w.spec.specimen)) ready.push_back(&w);
    if (ready.size() < 2) return;
    board_->loads = ready.size() - 1;
    board_->wanted = neighbor_board::load::idle;
    for (worker* w : ready) {
      const neighbor_probe probe = *neighbor_probe_of(cases_, w->spec.specimen);
      w->state = worker_state::probing;
      w->ordered_ns = steady_ns();
      if (w == ready.front()) {
        w->line.send({kind, probe.cases});
        continue;
      }
      std::vector<std::size_t> loads = {probe.load};
      if (kind == order::what::probe && take_package(*w)) loads.push_back(w->rest.front());
      w->line.send({order::what::load, loads});
    }
  }

  bool is_hung(const worker& w) const {
    if (w.state == worker_state::ending) return seconds_since(w.ordered_ns) > case_limit_seconds_;
    if (w.state == worker_state::probing)
      return seconds_since(std::max(w.ordered_ns, w.progress.started_ns.load())) > case_limit_seconds_;
    return w.state == worker_state::running && w.progress.case_index >= 0 && !w.progress.waits &&
           seconds_since(w.progress.started_ns) > case_limit_seconds_;
  }

  void has_ended(worker& w, const process::ending& how) {
    if (w.state == worker_state::ending && how.exit_code == 0) return forget(w);
    close_case(w, how.exit_code == exit_device_lost ? loss::device_lost : loss::died, how);
  }

  void has_hung(worker& w) { close_case(w, loss::hung, w.child->kill()); }

  /// Why a worker's process is gone. Of a lost device it has told itself.
  enum class loss { died, hung, device_lost };

  /// Journals the case in which the process went, and leaves the rest of its package to the next one.
  void close_case(worker& w, loss why, const process::ending& how) {
    const std::string how_it_died = "the process that ran it " + how.text();
    const bool was_idle = w.state == worker_state::ending || w.state == worker_state::waiting;
    const long last = w.progress.case_index;
    if (std::exchange(w.state, worker_state::absent) == worker_state::probing)
      return end_probe(w, how_it_died);
    forget(w);
    if (last < 0) return was_idle ? void() : start_failed(w, how_it_died);
    w.failed_starts = 0;
    const keyed_case& lost = cases_[static_cast<std::size_t>(last)];
    const std::string outcome = journal_lost(w, lost, why, how_it_died);
    if (why != loss::device_lost) fmt::print(stderr, "ablate: {}: {}\n", lost.spec.id, outcome);
    const auto place = std::find(w.ordered.begin(), w.ordered.end(), static_cast<std::size_t>(last));
    if (place != w.ordered.end()) w.rest.assign(place + 1, w.ordered.end());
    w.ordered.clear();
    if (w.rest.empty() && why != loss::device_lost) w.package.reset();
  }

  /// Gives what became of the case. It may already be in the journal: a worker journals a lost device, and
  /// may die or hang after its case ended.
  std::string journal_lost(const worker& w, const keyed_case& lost, loss why,
                           const std::string& how_it_died) {
    const bool hung = why == loss::hung;
    const journal_contents so_far = out_.read();
    if (const auto known = so_far.entries.find(lost.key); known != so_far.entries.end())
      return fmt::format("recorded as {}; {} afterwards", known->second.at("status").get<std::string>(),
                         hung ? "the process that ran it hung" : how_it_died);
    unmeasured_case entry = hung ? unmeasured_entry(lost.spec, "timeout",
                                                    fmt::format("no result within {} s", case_limit_seconds_))
                                 : unmeasured_entry(lost.spec, "failed", how_it_died);
    entry.specimen = w.spec.specimen;
    out_.write_case(lost.key, entry);
    return hung ? "timeout" : how_it_died;
  }

  /// Without one of them there is no result; all go on with their bundles.
  void end_probe(worker& w, const std::string& how_it_died) {
    board_->wanted = neighbor_board::load::over;
    fmt::print(stderr, "ablate: the effect of neighbors is unknown: {}\n", how_it_died);
    forget(w);
    w.progress.is_load = false;
  }

  /// Its process ended before its first case: once that may be chance, a kill by the system.
  void start_failed(worker& w, const std::string& how_it_died) {
    if (!w.ordered.empty()) w.rest = std::exchange(w.ordered, {});
    if (++w.failed_starts == max_failed_starts || !has_work(w)) lose(w, how_it_died);
  }

  void forget(worker& w) {
    w.child.reset();
    w.state = worker_state::absent;
    if (w.progress.ended_ns == 0) w.progress.ended_ns = steady_ns();
  }

  void end(worker& w) {
    if (w.child) w.child->kill();
    forget(w);
  }

  /// Its device is out of service. What it has begun begins again elsewhere.
  void lose(worker& w, const std::string& how_it_died) {
    w.out_of_service = true;
    result_.lost.push_back(w.spec.name);
    const bool another = std::any_of(workers_.begin(), workers_.end(),
                                     [](const worker& other) { return !other.out_of_service; });
    if (!another) throw std::runtime_error(fmt::format("no case was run: {}", how_it_died));
    std::set<std::string> keys;
    for (const std::size_t i : queue_.lose(w.spec.specimen, w.package)) keys.insert(cases_[i].key);
    fmt::print(stderr, "ablate: {} is out of service: {}{}\n", w.spec.name, how_it_died,
               w.package && queue_.at(*w.package).moves
                   ? fmt::format("; others measure its unfinished bundle again, from {}",
                                 cases_[queue_.at(*w.package).cases.front()].spec.id)
                   : "");
    w.package.reset();
    w.rest.clear();
    out_.take_in_worker(w.spec.specimen, keys);
  }

  /// Whoever waits may still be needed, where another one's device is lost.
  bool none_at_work() const {
    return std::none_of(workers_.begin(), workers_.end(), [&](const worker& w) {
      return w.state == worker_state::starting || w.state == worker_state::running ||
             w.state == worker_state::probing || has_work(w);
    });
  }

  bool all_absent() const {
    return std::none_of(workers_.begin(), workers_.end(), [](const worker& w) { return w.child != nullptr; });
  }

  void order_end() {
    for (worker& w : workers_) {
      if (w.state != worker_state::waiting) continue;
      w.state = worker_state::ending;
      w.ordered_ns = steady_ns();
      w.line.send_end();
    }
  }

  const std::vector<keyed_case>& cases_;
  work_queue queue_;
  double case_limit_seconds_;
  journal& out_;
  std::vector<worker> workers_;
  supervised result_;
  neighbor_board* board_;          ///< null where no influence is measured
  bool probe_is_due_;              ///< before the first bundle
  bool any_bundle_begun_ = false;  ///< since the last probe
};

}  // namespace

supervised supervise(const std::vector<keyed_case>& cases, work_queue queue, double case_limit_seconds,
                     journal& out, const std::vector<worker_process>& processes,
                     std::span<worker_progress> progress, neighbor_board* neighbors) {
  const process::interrupt_watch watch;
  return supervision(cases, std::move(queue), case_limit_seconds, out, processes, progress, neighbors).run();
}

}  // namespace ablate

#include "harness/runner/worker.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/record/case_json.h"
#include "base/record/context_json.h"
#include "base/record/neighbors.h"
#include "base/record/writer.h"
#include "harness/counters/metric_groups.h"
#include "harness/runner/buffers.h"
#include "harness/runner/neighbors.h"
#include "harness/runner/progress.h"
#include "harness/runner/workload_cache.h"
#include "kernels/common/unsupported.h"

namespace ablate {

namespace {

/// To the millisecond.
double rounded_seconds(long long ns) { return static_cast<double>((ns + 500'000) / 1'000'000) / 1e3; }

/// The benchmarks journal their own cases, so Google Benchmark has nothing to print.
class silent_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

nlohmann::ordered_json as_object(const auto& names_and_values) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : names_and_values) object[name] = value;
  return object;
}

nlohmann::ordered_json to_json(const work_model& work) {
  measured_case::work_amounts out{
      .bytes = work.bytes, .written_bytes = work.written_bytes, .flops = work.flops, .atomics = work.atomics};
  for (const random_access& access : work.random)
    out.random.push_back({access.resource, access.count, access.footprint_bytes});
  if (work.flops > 0) out.flop_pipe = work.flop_pipe;
  for (const reduction_bound& bound : work.reductions) out.reductions.push_back({bound.ceiling, bound.count});
  return to_json(out);
}

nlohmann::ordered_json measured_entry(const suite_case& c, const workload& work, const input_library& inputs,
                                      const nlohmann::ordered_json& facts) {
  const auto& time = facts.at("time_us");
  nlohmann::ordered_json entry = {
      {"name", c.id},
      {"run_name", c.id},
      {"run_type", "iteration"},
      {"repetitions", 1},
      {"repetition_index", 0},
      {"threads", 1},
      {"iterations", time.at("samples").size() * time.at("launches_per_sample").get<std::size_t>()},
      {"real_time", time.at("median")},
      {"cpu_time", time.at("median")},
      {"time_unit", "us"},
      {"operation", c.operation->name},
      {"variant", c.variant_name()},
      {"switches", c.variant ? as_object(c.variant->switches) : nlohmann::ordered_json::object()},
      {"axes", as_object(c.axes)},
      {"status", "ok"},
      {"cache_state", to_string(c.state)},
      {"work", to_json(work.work)},
      {"input", work.input}};
  if (!c.ceiling.empty()) entry["ceiling"] = c.ceiling;
  if (c.injected_delay_pct > 0) entry["injected_delay_pct"] = c.injected_delay_pct;
  // The host reference allocates only its outputs.
  if (c.variant) entry["memory"] = memory_json(c.operation->buffers_of(c.variant, c.axes, inputs));
  entry.update(facts);
  return entry;
}

/// Whether the board was slowed from outside while a case was timed, as other boards on its power supply may
/// cause: then its time is none. A gate looks at its launches' reasons itself.
bool was_braked(const nlohmann::ordered_json& facts) {
  constexpr const char* brake = "hw_power_brake_slowdown";
  for (const auto& [whole, part] : {std::pair("device_state", "before"), std::pair("device_state", "after"),
                                    std::pair("time_us", "clock")}) {
    const auto found = facts.find(whole);
    if (found == facts.end() || !found->is_object() || !found->contains(part)) continue;
    const nlohmann::ordered_json& state = (*found)[part];
    if (!state.is_object() || !state.contains("event_reasons") || !state["event_reasons"].is_array())
      continue;
    const auto& reasons = state["event_reasons"];
    if (std::find(reasons.begin(), reasons.end(), brake) != reasons.end()) return true;
  }
  return false;
}

/// As it is measured where its outputs have been checked: times alone.
suite_case times_only(suite_case c) {
  c.unchecked = true;
  c.timeline = false;
  c.sampled = false;
  c.counters = no_counters;
  return c;
}

/// The median in seconds if the case was measured; otherwise nothing, and `entry` says why.
/// `turn` is held while the device is at work, not while inputs are made.
template <class TakeTurn>
std::optional<double> run_one(const suite_case& c, executor& on, workload_cache& workloads,
                              const input_library& inputs, const sampling& rule, TakeTurn&& take_turn,
                              nlohmann::ordered_json& entry, case_phases& spent) {
  if (c.not_applicable) {
    entry = unmeasured_entry(c, "not_applicable", *c.not_applicable);
    return std::nullopt;
  }
  try {
    case_clock clock;
    const workload& work = workloads.of(c, inputs);
    on.begin_workload(workloads.number());
    clock.spent_on(case_phase::inputs);
    const auto turn = take_turn();
    const measurement m = on.run(c, work, inputs, rule);
    spent = m.spent;
    spent[case_phase::inputs] = clock.spent()[case_phase::inputs];
    if (m.status == "ok" && !c.unchecked && was_braked(m.facts)) {
      entry = unmeasured_entry(c, "failed",
                               "the board's power brake slowed the GPU while it was timed "
                               "(hw_power_brake_slowdown); --resume measures it again");
    } else if (m.status == "ok") {
      entry = measured_entry(c, work, inputs, m.facts);
      require_finite(entry, "what was measured");
      return 1e-6 * entry.at("real_time").get<double>();
    } else {
      entry = unmeasured_entry(c, m.status, m.reason);
    }
  } catch (const input_missing& missing) {
    entry = unmeasured_entry(c, "input_missing", missing.what());
  } catch (const input_unfit& unfit) {
    entry = unmeasured_entry(c, "not_applicable", unfit.what());
  } catch (const unsupported& lacking) {
    entry = unmeasured_entry(c, "not_applicable", lacking.what());
  } catch (const out_of_memory& refused) {
    entry = unmeasured_entry(c, "out_of_memory", refused.what());
  } catch (const std::bad_alloc&) {
    entry = unmeasured_entry(c, "out_of_memory", "host memory is exhausted");
  } catch (const device_lost&) {
    throw;
  } catch (const std::exception& failure) {
    entry = unmeasured_entry(c, "failed", failure.what());
  }
  return std::nullopt;
}

/// What a report needs to know about this run's counters: the groups, each one pass, within which alone
/// ratios may be formed; names and units.
nlohmann::ordered_json counters_context(const std::set<std::string>& choices,
                                        const nlohmann::ordered_json& device) {
  asked_counters out;
  const auto silicon = device.find("silicon");
  if (silicon == device.end() || !silicon->is_string()) return to_json(out);
  std::set<std::string> groups, metrics;
  for (const std::string& choice : choices)
    for (const counter_group* group : chosen_groups(choice, silicon->get<std::string>())) {
      const std::vector<std::string> of_group = group->metrics_on(silicon->get<std::string>());
      if (groups.insert(group->name).second) out.groups.emplace_back(group->name, of_group);
      for (const std::string& metric : of_group) {
        const counter_definition& facts = counters().metrics.at(metric);
        if (metrics.insert(metric).second)
          out.metrics.emplace_back(metric, asked_counters::meaning{facts.display, facts.unit});
      }
    }
  return to_json(out);
}

/// The context of this worker's part of the record.
nlohmann::ordered_json context_on(executor& on, const run_facts& facts, const worker_place& place) {
  nlohmann::ordered_json whole = facts.context;
  nlohmann::ordered_json& ablate = whole["ablate"];
  ablate["specimen"] = place.specimen;
  if (place.all.size() > 1)
    ablate["worker"] = {{"number", place.number + 1}, {"count", place.all.size()}, {"cpus", place.cpus}};
  ablate["device"] = on.device_facts();
  ablate["evidence"] = on.evidence();
  ablate["counters"] = counters_context(facts.counter_sets, ablate["device"]);
  return whole;
}

/// Runs and journals cases on one device.
class case_runner {
 public:
  case_runner(const run_facts& facts, const worker_place& place, executor& on, workload_cache& workloads,
              journal& out, phase_clock& clock)
      : facts_(facts),
        place_(place),
        on_(on),
        workloads_(workloads),
        out_(out),
        clock_(clock),
        line_(facts.total, {facts.planned_seconds, facts.began_ns, place.all}, place.name) {}

  /// False once the device is lost.
  bool run(const std::vector<std::size_t>& numbers) {
    const long long began_ns = steady_ns();
    baseline_.reset();
    benchmark::ClearRegisteredBenchmarks();
    for (const std::size_t number : numbers)
      benchmark::RegisterBenchmark(facts_.cases[number].is.id.c_str(),
                                   [this, number](benchmark::State& state) {
                                     const double seconds = lost_ ? 0 : run_one_of(number);
                                     for (auto _ : state) state.SetIterationTime(seconds);
                                   })
          ->UseManualTime()
          ->Iterations(1);
    silent_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter, ".");
    if (!lost_ && baseline_ &&
        1e-9 * static_cast<double>(steady_ns() - began_ns) > facts_.long_bundle_seconds)
      time_baseline_again();
    clock_.spent_on(work_phase::cases);
    return !lost_;
  }

 private:
  /// The median in seconds, or 0 for a case that was not measured.
  double run_one_of(std::size_t number) {
    const keyed_case& c = facts_.cases[number];
    worker_progress& progress = place_.progress();
    const long long start_ns = steady_ns();
    progress.ended_ns = 0;
    progress.started_ns = start_ns;
    progress.case_index = static_cast<long>(number);
    line_.begin(c.number, c.is.id);
    std::optional<double> seconds;
    nlohmann::ordered_json entry;
    case_phases spent;
    try {
      seconds = run_one(
          c.is, on_, workloads_, facts_.inputs, facts_.from.sampling, [&] { return own_turn(c.is); }, entry,
          spent);
    } catch (const device_lost& lost_by) {
      entry = unmeasured_entry(c.is, "failed", lost_by.what());
      lost_ = true;
    }
    entry["specimen"] = place_.specimen;
    const long long elapsed_ns = steady_ns() - start_ns - std::exchange(waited_ns_, 0);
    spent.set_rest(1e-9 * static_cast<double>(elapsed_ns));
    entry["elapsed_s"] = rounded_seconds(elapsed_ns);
    if (seconds) entry["phases_s"] = to_json(spent);
    if (c.is.ceiling.empty()) progress.add(spent);
    if (place_.all.size() > 1)
      entry["neighbors_busy"] = take_turns() ? 0 : busy_neighbors(place_.all, place_.number, start_ns);
    out_.write_case(c.key, entry);
    if (place_.all.size() > 1 && !baseline_ && seconds && is_baseline(c.is))
      baseline_ = {number, entry, steady_ns()};
    progress.ended_ns = steady_ns();
    progress.planned_us += static_cast<long long>(1e6 * c.planned_seconds);
    line_.end(entry);
    clock_.spent_on(c.is.ceiling.empty() ? work_phase::cases : work_phase::calibrations);
    return seconds.value_or(0);
  }

  bool take_turns() const { return place_.neighbors && place_.neighbors->take_turns; }

  /// What the other cases of a bundle are held against; of the host there are references alone.
  static bool is_baseline(const suite_case& c) {
    return c.ceiling.empty() && (!c.variant || c.variant->name == c.operation->baseline);
  }

  /// The first baseline of a long bundle, at its end: by how much it changed, the device has drifted.
  void time_baseline_again() {
    auto& [number, entry, ended_ns] = *baseline_;
    const keyed_case& c = facts_.cases[number];
    worker_progress& progress = place_.progress();
    progress.started_ns = steady_ns();
    progress.ended_ns = 0;
    try {
      const suite_case again = times_only(c.is);
      const workload& work = workloads_.of(again, facts_.inputs);
      const auto turn = own_turn(again);
      const double after_s = rounded_seconds(steady_ns() - ended_ns);
      const measurement m = on_.run(again, work, facts_.inputs, facts_.from.sampling);
      if (m.status != "ok") throw std::runtime_error(m.reason);
      const double median_us = m.facts.at("time_us").at("median").get<double>();
      const double before_us = entry.at("time_us").at("median").get<double>();
      entry["again"] = to_json(measured_case::timed_again{
          median_us, after_s, std::round(1e5 * (median_us / before_us - 1)) / 1e3});
      out_.write_case(c.key, entry);
    } catch (const device_lost& lost_by) {
      fmt::print(stderr, "ablate: {}, timed again: {}\n", c.is.id, lost_by.what());
      lost_ = true;
    } catch (const std::exception& failure) {
      fmt::print(stderr, "ablate: {} could not be timed again: {}\n", c.is.id, failure.what());
    }
    waited_ns_ = 0;
    progress.ended_ns = steady_ns();
  }

  /// Whether this case waits for the others' turns to end: all do where devices disturb each other, and what
  /// is timed by the host's clock always does, for its cores and its driver are everybody's.
  bool takes_turn(const suite_case& c) const {
    return take_turns() ||
           (place_.turns && c.variant && c.operation->clock(c.axes, facts_.inputs) != region_clock::device);
  }

  /// Null where none are taken. The time of waiting is not the case's.
  std::unique_ptr<device_turns::turn> own_turn(const suite_case& c) {
    if (!takes_turn(c)) return nullptr;
    worker_progress& progress = place_.progress();
    const long long asked_ns = steady_ns();
    progress.waits = true;
    auto turn = std::make_unique<device_turns::turn>(*place_.turns);
    progress.started_ns = steady_ns();
    progress.waits = false;
    waited_ns_ = progress.started_ns - asked_ns;
    return turn;
  }

  const run_facts& facts_;
  const worker_place& place_;
  executor& on_;
  workload_cache& workloads_;
  journal& out_;
  phase_clock& clock_;
  progress_line line_;
  /// A measured baseline, as it was journalled, and when.
  struct measured_baseline {
    std::size_t number;
    nlohmann::ordered_json entry;
    long long ended_ns;
  };
  std::optional<measured_baseline> baseline_;  ///< the first of the cases told last
  bool lost_ = false;
  long long waited_ns_ = 0;
};

/// A calibration with its input and its buffers, which stay on the device from one time to the next.
class held_calibration {
 public:
  held_calibration(suite_case c, executor& on, const input_library& inputs)
      : is_(std::move(c)),
        work_(is_.operation->prepare(is_.axes, inputs)),
        on_device_(on.hold(is_, work_, inputs)) {}
  held_calibration(const held_calibration&) = delete;

  held_case& on_device() const { return *on_device_; }

 private:
  suite_case is_;
  workload work_;
  std::unique_ptr<held_case> on_device_;
};

/// Measures what busy neighbors do to this worker's calibrations, or is such a neighbor.
class neighbor_measurement {
 public:
  neighbor_measurement(const run_facts& facts, const worker_place& place, executor& on)
      : facts_(facts), place_(place), on_(on), board_(*place.neighbors) {}

  /// Journals the result, if the neighbors could be kept busy; before the bundles it decides about turns.
  void probe(const std::vector<std::size_t>& numbers, bool at_end, journal& out) {
    try {
      std::vector<std::string> names;
      std::vector<std::unique_ptr<held_calibration>> held;
      for (const std::size_t number : numbers) {
        names.push_back(facts_.cases[number].is.id);
        held.push_back(hold(number));
      }
      const auto found = measure_influence(
          names, neighbor_rounds, [&](std::size_t i) { return time_us(*held[i]); },
          [&](bool busy) { return set_busy(busy); });
      if (found && at_end)
        out.write_neighbors_at_end(end_json(*found, place_.specimen));
      else if (found)
        write_beginning(*found, out);
    } catch (const std::exception& failure) {
      fmt::print(stderr, "ablate: the influence of neighbors is not known: {}\n", failure.what());
    }
    board_.wanted = neighbor_board::load::over;
  }

  /// Busy and idle as the probing worker wants it, until that is over.
  void be_load(std::size_t number) {
    worker_progress& progress = place_.progress();
    try {
      const auto held = hold(number);
      while (board_.wanted != neighbor_board::load::over) {
        if (board_.wanted == neighbor_board::load::busy)
          held->on_device().keep_busy(facts_.from.sampling, [&] {
            progress.started_ns = steady_ns();
            progress.is_load = true;
            return board_.wanted != neighbor_board::load::busy;
          });
        progress.is_load = false;
        rest();
      }
    } catch (const std::exception& failure) {
      fmt::print(stderr, "ablate: a neighbor could not be kept busy: {}\n", failure.what());
      board_.wanted = neighbor_board::load::over;
      progress.is_load = false;
    }
    progress.ended_ns = steady_ns();
  }

 private:
  void write_beginning(const std::vector<neighbor_influence>& found, journal& out) {
    std::vector<std::string> specimens = {place_.specimen};
    for (const std::string& other : facts_.specimens)
      if (other != place_.specimen) specimens.push_back(other);
    const auto load = neighbor_probe_of(facts_.cases, place_.specimen)->load;
    const nlohmann::ordered_json result = to_json(found, specimens, facts_.cases[load].is.id);
    out.write_neighbors(result);
    board_.take_turns = ablate::take_turns(result);
    board_.is_known = true;
    fmt::print(stderr, "ablate: {}\n", neighbors_text(read_neighbors({result, "neighbors"})));
  }

  /// Its output was checked as the calibration that it is; and no steady clock is waited for: what neighbors
  /// do to the clock is looked for, too, and any other drift is cancelled by the order of turns.
  std::unique_ptr<held_calibration> hold(std::size_t number) {
    place_.progress().started_ns = steady_ns();
    suite_case bare = times_only(facts_.cases[number].is);
    bare.steady_clock_s = 0;
    return std::make_unique<held_calibration>(std::move(bare), on_, facts_.inputs);
  }

  double time_us(const held_calibration& of) {
    place_.progress().started_ns = steady_ns();
    const double us = of.on_device().time_us(neighbor_sampling(facts_.from.sampling));
    place_.progress().ended_ns = steady_ns();
    return us;
  }

  /// Returns once all of them are.
  bool set_busy(bool busy) {
    if (!board_.want(busy ? neighbor_board::load::busy : neighbor_board::load::idle)) return false;
    const std::size_t wanted = busy ? board_.loads.load() : 0;
    const auto are_loads = [&] {
      return static_cast<std::size_t>(std::count_if(
          place_.all.begin(), place_.all.end(), [](const worker_progress& w) { return w.is_load.load(); }));
    };
    while (are_loads() != wanted) {
      if (board_.wanted == neighbor_board::load::over) return false;
      rest();
    }
    return true;
  }

  /// The supervisor sees that this worker does not hang.
  void rest() {
    place_.progress().started_ns = steady_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  const run_facts& facts_;
  const worker_place& place_;
  executor& on_;
  neighbor_board& board_;
};

/// Begins to make the input of the first calibration, half a GB with its hash: the device is about to be
/// opened, which takes as long and keeps no processor busy. Not again in a process that replaces another.
void begin_first_input(const run_facts& facts, const worker_place& place, workload_cache& workloads) {
  if (place.progress().has_worked()) return;
  const auto first = std::ranges::find_if(facts.cases, [&](const keyed_case& c) {
    return !c.is.ceiling.empty() && c.specimen == place.specimen && !c.is_done && !c.is.not_applicable;
  });
  if (first != facts.cases.end()) workloads.begin(first->is, facts.inputs);
}

/// Opens the device, does what it is told, and closes the device.
int follow_orders(const run_facts& facts, const worker_place& place,
                  const make_executor_function& make_executor, const order_line& orders, journal& out,
                  phase_clock& clock) {
  workload_cache workloads;
  begin_first_input(facts, place, workloads);
  const std::unique_ptr<executor> on = make_executor();
  out.write_context(context_on(*on, facts, place), place.specimen);
  clock.spent_on(work_phase::start_up);
  case_runner runner(facts, place, *on, workloads, out, clock);
  for (;;) {
    const auto told = orders.next();
    clock.spent_on(work_phase::waiting);
    if (!told) return 0;
    if (told->kind == order::what::run) {
      if (!runner.run(told->cases)) return exit_device_lost;
      continue;
    }
    neighbor_measurement neighbors(facts, place, *on);
    if (told->kind == order::what::load) {
      if (told->cases.size() > 1) workloads.begin(facts.cases[told->cases[1]].is, facts.inputs);
      neighbors.be_load(told->cases.front());
    } else {
      neighbors.probe(told->cases, told->kind == order::what::probe_at_end, out);
    }
    clock.spent_on(work_phase::neighbors);
  }
}

}  // namespace

nlohmann::ordered_json unmeasured_entry(const suite_case& c, std::string_view status,
                                        const std::string& reason) {
  unmeasured_case out;
  out.name = c.id;
  out.operation = c.operation->name;
  out.variant = c.variant_name();
  for (const auto& [axis, value] : c.axes) out.axes.emplace_back(axis, value);
  out.cache_state = to_string(c.state);
  out.status = status;
  out.reason = reason;
  out.ceiling = c.ceiling;
  return to_json(out);
}

int run_cases(const run_facts& facts, const worker_place& place, const make_executor_function& make_executor,
              const order_line& orders, journal& out) {
  phase_clock clock(place.progress());
  const int code = follow_orders(facts, place, make_executor, orders, out, clock);
  clock.spent_on(work_phase::finish);
  return code;
}

}  // namespace ablate

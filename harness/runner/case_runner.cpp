#include "harness/runner/case_runner.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/record/case_json.h"
#include "base/record/writer.h"
#include "harness/runner/measured_entry.h"
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

/// Whether the board was slowed from outside while a case was timed, as other boards on its power supply may
/// cause: then its time is none. A gate looks at its launches' reasons itself.
bool was_braked(const measured_case& found) {
  const auto names_brake = [](const auto& reasons) {
    return reasons && std::ranges::count(*reasons, std::string("hw_power_brake_slowdown")) > 0;
  };
  const auto state_does = [&](const std::optional<device_state>& of) {
    return of && names_brake(of->event_reasons);
  };
  const auto& states = found.device_state;
  const auto& clock = found.time.clock;
  return (states && (state_does(states->before) || state_does(states->after))) ||
         (clock && names_brake(clock->event_reasons));
}

/// Throws for what no reader of records accepts: this case fails then, not the whole run's record.
void expect_readable(const measured_case& entry) {
  const char* const measured = "what was measured";
  const nlohmann::ordered_json json = to_json(entry);
  require_finite(json, measured);
  measured_case read{};
  from_json(reports::json_place(json, measured), read);
}

/// `turn` is held while the device is at work, not while inputs are made.
template <class TakeTurn>
case_entry run_one(const suite_case& c, executor& on, workload_cache& workloads, const input_library& inputs,
                   const sampling& rule, TakeTurn&& take_turn, case_phases& spent) {
  if (c.not_applicable) return unmeasured_entry(c, "not_applicable", *c.not_applicable);
  try {
    case_clock clock;
    const workload& work = workloads.of(c, inputs);
    on.begin_workload(workloads.number());
    clock.spent_on(case_phase::inputs);
    const auto turn = take_turn();
    measurement m = on.run(c, work, inputs, rule);
    spent = m.spent;
    spent[case_phase::inputs] = clock.spent()[case_phase::inputs];
    if (m.status != "ok") return unmeasured_entry(c, m.status, m.reason);
    if (!c.protocol.takes_times_alone() && was_braked(m.facts))
      return unmeasured_entry(c, "failed",
                              "the board's power brake slowed the GPU while it was timed "
                              "(hw_power_brake_slowdown); --resume measures it again");
    measured_case entry = measured_entry(c, work, inputs, std::move(m.facts));
    expect_readable(entry);
    return entry;
  } catch (const input_missing& missing) {
    return unmeasured_entry(c, "input_missing", missing.what());
  } catch (const input_unfit& unfit) {
    return unmeasured_entry(c, "not_applicable", unfit.what());
  } catch (const unsupported& lacking) {
    return unmeasured_entry(c, "not_applicable", lacking.what());
  } catch (const out_of_memory& refused) {
    return unmeasured_entry(c, "out_of_memory", refused.what());
  } catch (const std::bad_alloc&) {
    return unmeasured_entry(c, "out_of_memory", "host memory is exhausted");
  } catch (const device_lost&) {
    throw;
  } catch (const std::exception& failure) {
    return unmeasured_entry(c, "failed", failure.what());
  }
}

/// What the other cases of a bundle are held against; of the host there are references alone.
bool is_baseline(const suite_case& c) {
  return c.ceiling.empty() && (!c.variant || c.variant->name == c.operation->baseline);
}

}  // namespace

case_runner::case_runner(const run_facts& facts, const worker_place& place, executor& on,
                         workload_cache& workloads, journal& out, phase_clock& clock)
    : facts_(facts),
      place_(place),
      on_(on),
      workloads_(workloads),
      out_(out),
      clock_(clock),
      line_(facts.total, {facts.planned_seconds, facts.began_ns, place.all}, place.name) {}

bool case_runner::run(const std::vector<std::size_t>& numbers) {
  const long long began_ns = steady_ns();
  baseline_.reset();
  benchmark::ClearRegisteredBenchmarks();
  for (const std::size_t number : numbers)
    benchmark::RegisterBenchmark(facts_.cases[number].spec.id.c_str(),
                                 [this, number](benchmark::State& state) {
                                   const double seconds = lost_ ? 0 : run_one_of(number);
                                   for (auto _ : state) state.SetIterationTime(seconds);
                                 })
        ->UseManualTime()
        ->Iterations(1);
  silent_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  if (!lost_ && baseline_ && 1e-9 * static_cast<double>(steady_ns() - began_ns) > facts_.long_bundle_seconds)
    time_baseline_again();
  clock_.spent_on(work_phase::cases);
  return !lost_;
}

double case_runner::run_one_of(std::size_t number) {
  const keyed_case& c = facts_.cases[number];
  worker_progress& progress = place_.progress();
  const long long start_ns = steady_ns();
  progress.ended_ns = 0;
  progress.started_ns = start_ns;
  progress.case_index = static_cast<long>(number);
  line_.begin(c.number, c.spec.id);
  case_phases spent;
  case_entry entry = unmeasured_case();
  try {
    entry = run_one(
        c.spec, on_, workloads_, facts_.inputs, facts_.from.sampling, [&] { return own_turn(c.spec); },
        spent);
  } catch (const device_lost& lost_by) {
    entry = unmeasured_entry(c.spec, "failed", lost_by.what());
    lost_ = true;
  }
  const long long elapsed_ns = steady_ns() - start_ns - std::exchange(waited_ns_, 0);
  spent.set_rest(1e-9 * static_cast<double>(elapsed_ns));
  if (measured_case* measured = entry.measured()) measured->phases_s = phases_of(spent);
  if (c.spec.ceiling.empty()) progress.add(spent);
  entry.visit([&](auto& of) {
    of.specimen = place_.specimen;
    of.elapsed_s = rounded_seconds(elapsed_ns);
    if (place_.all.size() > 1)
      of.neighbors_busy = take_turns() ? 0 : busy_neighbors(place_.all, place_.number, start_ns);
  });
  out_.write_case(c.key, entry);
  if (place_.all.size() > 1 && !baseline_ && entry.measured() && is_baseline(c.spec))
    baseline_ = {number, *entry.measured(), steady_ns()};
  progress.ended_ns = steady_ns();
  progress.planned_us += static_cast<long long>(1e6 * c.planned_seconds);
  line_.end(entry);
  clock_.spent_on(c.spec.ceiling.empty() ? work_phase::cases : work_phase::calibrations);
  return entry.measured() ? 1e-6 * entry.measured()->time.median_us : 0;
}

void case_runner::time_baseline_again() {
  auto& [number, entry, ended_ns] = *baseline_;
  const keyed_case& c = facts_.cases[number];
  worker_progress& progress = place_.progress();
  progress.started_ns = steady_ns();
  progress.ended_ns = 0;
  try {
    suite_case again = c.spec;
    again.protocol.observed.reset();
    const workload& work = workloads_.of(again, facts_.inputs);
    const auto turn = own_turn(again);
    const double after_s = rounded_seconds(steady_ns() - ended_ns);
    const measurement m = on_.run(again, work, facts_.inputs, facts_.from.sampling);
    if (m.status != "ok") throw std::runtime_error(m.reason);
    const double median_us = m.facts.time.median_us, before_us = entry.time.median_us;
    entry.again = {median_us, after_s, std::round(1e5 * (median_us / before_us - 1)) / 1e3};
    out_.write_case(c.key, entry);
  } catch (const device_lost& lost_by) {
    fmt::print(stderr, "ablate: {}, timed again: {}\n", c.spec.id, lost_by.what());
    lost_ = true;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ablate: {} could not be timed again: {}\n", c.spec.id, failure.what());
  }
  waited_ns_ = 0;
  progress.ended_ns = steady_ns();
}

bool case_runner::takes_turn(const suite_case& c) const {
  return take_turns() ||
         (place_.turns && c.variant && c.operation->clock(c.axes, facts_.inputs) != region_clock::device);
}

std::unique_ptr<device_turns::turn> case_runner::own_turn(const suite_case& c) {
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

}  // namespace ablate

#include "harness/runner/worker.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "harness/runner/case_runner.h"
#include "harness/runner/neighbor_measurement.h"
#include "harness/runner/worker_context.h"
#include "harness/runner/workload_cache.h"

namespace ablate {

namespace {

/// Begins to make the input of the first calibration, half a GB with its hash: the device is about to be
/// opened, which takes as long and keeps no processor busy. Not again in a process that replaces another.
void begin_first_input(const run_facts& facts, const worker_place& place, workload_cache& workloads) {
  if (place.progress().has_worked()) return;
  const auto first = std::ranges::find_if(facts.cases, [&](const keyed_case& c) {
    return !c.spec.ceiling.empty() && c.specimen == place.specimen && !c.is_done && !c.spec.not_applicable;
  });
  if (first != facts.cases.end()) workloads.begin(first->spec, facts.inputs);
}

/// Opens the device, does what it is told, and closes the device.
int follow_orders(const run_facts& facts, const worker_place& place,
                  const make_executor_function& make_executor, const order_line& orders, journal& out,
                  phase_clock& clock) {
  workload_cache workloads;
  begin_first_input(facts, place, workloads);
  const std::unique_ptr<executor> on = make_executor();
  out.write_context(context_on(*on, facts, place));
  clock.spent_on(work_phase::start_up);
  case_runner runner(facts, place, *on, workloads, out, clock);
  for (;;) {
    const std::optional<order> next = orders.next();
    clock.spent_on(work_phase::waiting);
    if (!next) return 0;
    if (next->kind == order::what::run) {
      if (!runner.run(next->cases)) return exit_device_lost;
      continue;
    }
    neighbor_measurement neighbors(facts, place, *on);
    if (next->kind == order::what::load) {
      if (next->cases.size() > 1) workloads.begin(facts.cases[next->cases[1]].spec, facts.inputs);
      neighbors.be_load(next->cases.front());
    } else {
      neighbors.probe(next->cases, next->kind == order::what::probe_at_end, out);
    }
    clock.spent_on(work_phase::neighbors);
  }
}

}  // namespace

int run_cases(const run_facts& facts, const worker_place& place, const make_executor_function& make_executor,
              const order_line& orders, journal& out) {
  phase_clock clock(place.progress());
  const int code = follow_orders(facts, place, make_executor, orders, out, clock);
  clock.spent_on(work_phase::finish);
  return code;
}

}  // namespace ablate

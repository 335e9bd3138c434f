#include "harness/runner/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/text/bad_input.h"
#include "harness/device/chip.h"
#include "harness/device/cpu_share.h"
#include "harness/device/host_facts.h"
#include "harness/runner/case_key.h"
#include "harness/runner/devices.h"
#include "harness/runner/finish.h"
#include "harness/runner/neighbors.h"
#include "harness/runner/plan_shards.h"
#include "harness/runner/resume.h"
#include "harness/runner/run_context.h"
#include "harness/runner/run_identity.h"
#include "harness/runner/supervisor.h"
#include "harness/runner/work_queue.h"
#include "harness/runner/worker.h"
#include "harness/suite/shards.h"

namespace ablate {

namespace {

enum exit_code {
  passed = 0,
  wrong_result = 3,
  nothing_measured = 4,
  tool_failure = 75,
  was_interrupted = 130
};

/// For the time left that the run shows, and the order of bundles on several devices. The launches of a gate
/// show none.
std::vector<double> planned_seconds(const std::vector<suite_case>& cases, const suite& from,
                                    const input_library& inputs, const device_identity& device,
                                    const run_options& options) {
  if (options.launch.unchecked) return std::vector<double>(cases.size(), 1);
  const chip* known = chip_of_product(device.name);
  return shard_seconds(cases, inputs, known ? *known : *find_chip("h200"), from.sampling, options.durations);
}

/// The plan of all shards, this run's among them.
shard_plan plan_of_run(const suite& from, const run_options& options, const target& on, const case_keys& keys,
                       const std::vector<suite_case>& here) {
  if (options.shard.count == 1)
    return divided(here, from, std::vector<double>(here.size(), 1), 1, from.hash + "|" + keys.all_files());
  const chip& planned_for = *find_chip(options.shard_chip);
  return plan_shards(from, on.host ? on : target{false, planned_for.compute_capability}, planned_for,
                     {options.shard.count, options.filter, options.data_directories, options.durations});
}

std::set<std::string> counter_sets_of(const std::vector<suite_case>& cases) {
  std::set<std::string> out;
  for (const suite_case& c : cases) out.insert(c.protocol.wanted().counters);
  return out;
}

/// The cases of the run: the calibrations of each device, then the bundles with their replicas.
std::vector<keyed_case> keyed_cases(const std::vector<suite_case>& cases, const suite& from,
                                    const case_keys& keys, const std::vector<double>& planned,
                                    const std::vector<run_device>& devices, const run_options& options) {
  const std::vector<std::size_t> bundles = bundle_numbers(cases, from);
  std::vector<keyed_case> out;
  const auto add = [&](std::size_t i, const std::string& specimen, long replica) {
    out.push_back({cases[i], keys.of(cases[i], specimen, replica), bundles[i], i + 1, planned[i], replica});
    if (!cases[i].ceiling.empty()) out.back().specimen = specimen;
  };
  for (std::size_t device = 0; device < devices.size(); ++device)
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (device == 0 || !cases[i].ceiling.empty()) add(i, specimen_of(devices[device].identity), 1);
  for (long replica = 2; replica <= options.replicas; ++replica)
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (cases[i].ceiling.empty()) add(i, "", replica);
  return out;
}

/// One worker for each device; its process journals for itself where there are several.
std::vector<worker_process> workers_of(const run_facts& facts, const std::vector<run_device>& devices,
                                       std::span<worker_progress> progress, neighbor_board& neighbors,
                                       const device_turns& turns, journal& out) {
  std::vector<std::string> pci_bus_ids;
  for (const run_device& device : devices) pci_bus_ids.push_back(device.pci_bus_id);
  const std::vector<cpu_share> cpus =
      devices.size() > 1 ? cpu_shares(pci_bus_ids) : std::vector<cpu_share>(devices.size());
  std::vector<worker_process> workers;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const run_device& device = devices[i];
    worker_place place = {i, progress, specimen_of(device.identity), device.name, bound_cpus_of(cpus[i])};
    if (devices.size() > 1) place.neighbors = &neighbors, place.turns = &turns;
    workers.push_back({place.specimen, device.name, [&, place, share = cpus[i]](const order_line& orders) {
                         if (devices.size() == 1)
                           return run_cases(facts, place, device.make_executor, orders, out);
                         bind_to(share);
                         journal own(worker_journal(out.path(), place.specimen));
                         return run_cases(facts, place, device.make_executor, orders, own);
                       }});
  }
  return workers;
}

int finish(const journal& from, const run_options& options) {
  const std::filesystem::path record = options.out / "record.json";
  const finished_run done = finish_run(from.read(), from.path(), record);
  fmt::print(stderr, "{} of {} cases measured: {}\n", done.measured, done.cases, record.string());
  if (done.statuses.contains("wrong")) return wrong_result;
  if (done.statuses.contains("failed") || done.statuses.contains("timeout")) return tool_failure;
  if (done.asked > done.unmeasured || done.asked == 0 || done.statuses.contains("interrupted")) return passed;
  // A shard may get nothing but cases that are none of this device's.
  const bool is_part = options.shard.count > 1;
  if (is_part && done.statuses_of_unmeasured == std::set<std::string>{"not_applicable"}) return passed;
  fmt::print(stderr, "ablate: nothing was measured: {}\n", fmt::join(done.statuses_of_unmeasured, ", "));
  return nothing_measured;
}

double seconds_between(long long began_ns, long long ended_ns) {
  return 1e-9 * static_cast<double>(ended_ns - began_ns);
}

/// Where the run's time went, so that what is not divided among the workers shows.
void print_times(const std::vector<run_device>& devices, std::span<const worker_progress> workers,
                 double planning_s, double workers_s, double record_s) {
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (workers[i].has_worked())
      fmt::print(stderr, "ablate: {}: {}\n  cases: {}\n", devices[i].name, phases_text(workers[i]),
                 phases_text(workers[i].spent_on_cases()));
  fmt::print(stderr, "ablate: planning {:.1f} s, workers {:.1f} s, record {:.1f} s\n", planning_s, workers_s,
             record_s);
}

}  // namespace

int run_suite(const suite& from, const run_options& options) {
  target on{.host = options.host};
  const std::vector<run_device> devices =
      options.host ? host_devices(options.host_workers) : gpu_devices(from, options, on);
  return run_suite_on(from, options, on, devices);
}

int run_suite_on(const suite& from, const run_options& options, const target& on,
                 const device_identity& device, const make_executor_function& make) {
  return run_suite_on(from, options, on, {{device, device.name, make}});
}

int run_suite_on(const suite& given, const run_options& options, const target& on,
                 const std::vector<run_device>& devices) {
  const long long began_ns = options.began_ns > 0 ? options.began_ns : steady_ns();
  require_one_kind(devices);
  if (options.replicas > static_cast<long>(devices.size()))
    throw bad_input("--replicas", "",
                    fmt::format("expected at most {}, the number of devices, found {}", devices.size(),
                                options.replicas));
  const suite from = with_samples_of(options.launch, given);
  const input_library inputs(from.seed, from.point_files, options.data_directories);
  std::vector<suite_case> expanded = expand(from, on, inputs, options.filter);
  apply(options.launch, expanded);
  const std::set<std::string> counter_sets = counter_sets_of(expanded);
  for (suite_case& c : expanded) {
    if (options.launch.unchecked)
      c.protocol.observed.reset();
    else
      c.protocol.observed->timeline = options.timeline && c.ceiling.empty();
  }

  const case_keys keys(from, options.data_directories);
  const shard_plan plan = plan_of_run(from, options, on, keys, expanded);
  const record context = context_of(from, options, expanded, plan);
  keep_shard(expanded, plan, options.shard.index);

  std::vector<keyed_case> cases = keyed_cases(
      expanded, from, keys, planned_seconds(expanded, from, inputs, devices.front().identity, options),
      devices, options);
  std::vector<device_identity> identities;
  for (const run_device& device : devices) identities.push_back(device.identity);
  const auto out = begin_journal(options, identities, keys, cases);
  if (!options.notice.empty()) fmt::print(stderr, "{}\n", options.notice);

  run_facts facts{cases, expanded.size(), from, inputs, context, counter_sets};
  facts.began_ns = steady_ns();
  facts.long_bundle_seconds = options.long_bundle_seconds;
  for (const keyed_case& c : cases) facts.planned_seconds += c.is_done ? 0 : c.planned_seconds;
  for (const run_device& device : devices) facts.specimens.push_back(specimen_of(device.identity));
  const shared_progress progress(devices.size());
  const device_turns turns;
  // A resumed run knows already what its devices do to each other.
  const std::optional<neighbor_facts> known = out->read().neighbors;
  progress.neighbors().is_known = known && is_of_specimens(*known, facts.specimens);
  progress.neighbors().take_turns = progress.neighbors().is_known && known->in_turns;
  supervised done;
  try {
    done = supervise(cases, work_queue(devices.size() > 1 ? bundle_packages(cases) : one_package(cases)),
                     from.case_limit_seconds, *out,
                     workers_of(facts, devices, progress.all(), progress.neighbors(), turns, *out),
                     progress.all(), devices.size() == 1 ? nullptr : &progress.neighbors());
  } catch (const std::exception&) {
    // No device is left: record what they measured before.
    out->take_in_workers();
    if (!out->read().context.is_null()) finish(*out, options);
    throw;
  }
  const long long ended_ns = steady_ns();
  out->take_in_workers();
  const int code = finish(*out, options);
  if (!options.launch.unchecked)
    print_times(devices, progress.all(), seconds_between(began_ns, facts.began_ns),
                seconds_between(facts.began_ns, ended_ns), seconds_between(ended_ns, steady_ns()));
  if (done.interrupted) return was_interrupted;
  return code == passed && !done.lost.empty() ? tool_failure : code;
}

}  // namespace ablate

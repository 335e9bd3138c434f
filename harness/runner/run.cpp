#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "harness/counters/metric_groups.h"
#include "harness/device/chip.h"
#include "harness/device/host_facts.h"
#include "harness/inputs/random.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/runner/case_key.h"
#include "harness/runner/finish.h"
#include "harness/runner/plan_shards.h"
#include "harness/runner/resume.h"
#include "harness/runner/run_context.h"
#include "harness/runner/run_identity.h"
#include "harness/runner/supervisor.h"
#include "harness/runner/worker.h"
#include "harness/suite/estimate.h"
#include "harness/suite/shards.h"
#include "reports/text/bad_input.h"
#include "reports/text/names.h"
#include "reports/text/regular_expression.h"

namespace ablate {

namespace {

enum exit_code { passed = 0, wrong_result = 3, tool_failure = 75, was_interrupted = 130 };

/// Says which ceilings this build does not know. No error: a gate asks two builds for those of its policy.
void report_unknown_ceilings(const std::vector<std::string>& wanted) {
  std::vector<std::string> known = {"none"};
  for (const auto& of : operations())
    for (const calibration& c : of->calibrations)
      if (std::find(known.begin(), known.end(), c.ceiling) == known.end()) known.push_back(c.ceiling);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      fmt::print(stderr, "ablate: --ceilings: {}\n", no_such("ceiling", name, known));
}

/// Keeps only what `only` and `ceilings` name. Reports an id unknown to this build: a gate asks two builds
/// for the same cases, and one may be newer.
void keep_chosen(std::vector<suite_case>& cases, const run_options& options) {
  const auto names = [](const std::vector<std::string>& of, const std::string& name) {
    return std::find(of.begin(), of.end(), name) != of.end();
  };
  report_unknown_ceilings(options.ceilings);
  if (!options.ceilings.empty())
    std::erase_if(cases, [&](const suite_case& c) {
      return !c.ceiling.empty() && !names(options.ceilings, c.ceiling);
    });
  if (options.only.empty()) return;
  std::erase_if(cases, [&](const suite_case& c) { return !names(options.only, c.id); });
  if (cases.empty())
    throw bad_input("--only", "", "the suite has none of these cases; `plan --json` shows the ids");
  for (const std::string& id : options.only)
    if (std::none_of(cases.begin(), cases.end(), [&](const suite_case& c) { return c.id == id; }))
      fmt::print(stderr, "ablate: --only: the suite has no case '{}' in this build\n", id);
}

/// Shuffles groups of cases with equal axes, and the cases within each group, by the seed; calibrations are
/// mixed in.
void shuffle(std::vector<suite_case>& cases, std::uint64_t seed) {
  std::vector<std::vector<suite_case>> groups;
  std::map<std::string, std::size_t> place;
  for (suite_case& c : cases) {
    const auto [at, is_new] = place.emplace(case_id(c.operation->name, "", c.axes, ""), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(std::move(c));
  }
  random_stream random(seed, "order of cases");
  const auto shuffled = [&](auto& of) {
    for (std::size_t i = of.size(); i > 1; --i)
      std::swap(of[i - 1], of[random.below(static_cast<std::uint32_t>(i))]);
  };
  shuffled(groups);
  cases.clear();
  for (std::vector<suite_case>& group : groups) {
    shuffled(group);
    std::move(group.begin(), group.end(), std::back_inserter(cases));
  }
}

void inject(std::vector<suite_case>& cases, const run_options& options) {
  if (options.injected_delay_pct == 0) return;
  if (!can_inject_delay())
    throw bad_input("--inject-delay", "", "this build cannot; expected one with -DABLATE_INJECT_DELAY=ON");
  const std::regex into = regular_expression(options.injected_into, "--inject-into");
  for (suite_case& c : cases)
    if (c.ceiling.empty() && std::regex_search(c.id, into)) c.injected_delay_pct = options.injected_delay_pct;
}

/// The suite with the requested sampling: a fixed number of samples is taken whatever the clock does.
suite sampled_as_asked(suite from, const run_options& options) {
  if (!options.samples) return from;
  from.steady_clock = false;
  for (suite_block& block : from.blocks) block.steady_clock.reset();
  from.sampling = {*options.samples, *options.samples, 0, from.sampling.maximum_seconds};
  return from;
}

profiling_request request_of(const suite& from, const run_options& options) {
  bool counters = from.counters != no_counters;
  for (const suite_block& block : from.blocks)
    counters |= block.counters.value_or(from.counters) != no_counters;
  return {counters, options.timeline};
}

/// For the time left that the run shows. The launches of a gate show none.
std::vector<double> planned_seconds(const std::vector<suite_case>& cases, const suite& from,
                                    const input_library& inputs, const device_identity& device,
                                    const run_options& options) {
  if (options.unchecked) return std::vector<double>(cases.size(), 1);
  const chip* known = chip_of_product(device.name);
  return estimated_seconds(cases, inputs, known ? *known : *find_chip("h200"), from.sampling);
}

/// The plan of all shards of which this run is one.
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
  for (const suite_case& c : cases) out.insert(c.counters);
  return out;
}

int finish(const journal& from, const run_options& options) {
  const std::filesystem::path record = options.out / "record.json";
  const finished_run done = finish_run(from.read(), options.out / "journal.jsonl", record);
  fmt::print(stderr, "{} of {} cases measured: {}\n", done.measured, done.cases, record.string());
  if (done.statuses.contains("wrong")) return wrong_result;
  if (done.statuses.contains("failed") || done.statuses.contains("timeout")) return tool_failure;
  return passed;
}

}  // namespace

int run_suite(const suite& from, const run_options& options) {
  target on{.host = options.host};
  device_identity device{cpu_model()};
  make_executor_function make = make_host_executor;
  if (!options.host) {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("--device", "", "this program was built without CUDA; expected 'host'");
    const gpu_summary gpu = gpu_at(*backend, options.device);
    on.compute_capability = gpu.compute_capability;
    device = {gpu.name, gpu.uuid, gpu.driver};
    make = [backend, index = options.device, wanted = request_of(from, options)] {
      return backend->make_executor(index, wanted);
    };
  }
  return run_suite_on(from, options, on, device, make);
}

int run_suite_on(const suite& given, const run_options& options, const target& on,
                 const device_identity& device, const make_executor_function& make) {
  const suite from = sampled_as_asked(given, options);
  const input_library inputs(from.seed, from.point_files, options.data_directories);
  std::vector<suite_case> expanded = expand(from, on, inputs, options.filter);
  keep_chosen(expanded, options);
  if (options.order_seed) shuffle(expanded, *options.order_seed);
  inject(expanded, options);
  for (suite_case& c : expanded) {
    c.timeline = options.timeline && c.ceiling.empty();
    c.unchecked = options.unchecked;
  }

  const case_keys keys(from, options.data_directories);
  const shard_plan plan = plan_of_run(from, options, on, keys, expanded);
  const nlohmann::ordered_json context = context_of(from, options, expanded, plan);
  const run_facts facts = {specimen_of(device), counter_sets_of(expanded)};
  keep_shard(expanded, plan, options.shard.index);

  std::vector<keyed_case> cases;
  const std::vector<double> planned = planned_seconds(expanded, from, inputs, device, options);
  const std::vector<std::size_t> bundles = bundle_numbers(expanded, from);
  for (const suite_case& c : expanded) {
    const std::size_t i = cases.size();
    cases.push_back({c, keys.of(c, facts.specimen), bundles[i], i + 1, planned[i]});
  }
  const auto out = begin_journal(options, device, keys, cases);
  if (!options.notice.empty()) fmt::print(stderr, "{}\n", options.notice);

  bool whole = false;
  try {
    whole = supervise(cases, from.case_limit_seconds, *out,
                      [&](const std::vector<keyed_case>& rest, worker_progress& progress) {
                        return run_cases(rest, expanded.size(), from, inputs, make, context, facts, *out,
                                         progress);
                      });
  } catch (const std::exception&) {
    // The device is gone for good: record what it measured before.
    if (!out->read().context.is_null()) finish(*out, options);
    throw;
  }
  const int code = finish(*out, options);
  return whole ? code : was_interrupted;
}

}  // namespace ablate

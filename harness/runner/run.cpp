#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "harness/build_facts.h"
#include "harness/counters/metric_groups.h"
#include "harness/device/host_facts.h"
#include "harness/device/kernel_facts.h"
#include "harness/inputs/random.h"
#include "harness/registry/case_id.h"
#include "harness/runner/supervisor.h"
#include "harness/runner/worker.h"
#include "reports/bad_input.h"
#include "reports/writer.h"

namespace ablate {

namespace {

enum exit_code { passed = 0, wrong_result = 3, tool_failure = 75, was_interrupted = 130 };

nlohmann::ordered_json build_json() {
  const build_facts& b = this_build();
  nlohmann::ordered_json architectures = nlohmann::ordered_json::array();
  std::string_view rest = b.cuda_architectures;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    architectures.push_back(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {{"version", b.version},
          {"commit", b.commit},
          {"dirty", b.dirty},
          {"source_hash", b.source_hash},
          {"compiler", b.compiler},
          {"cuda_compiler",
           b.cuda_compiler.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(b.cuda_compiler)},
          {"cuda_architectures", architectures},
          {"build_type", b.build_type}};
}

/// What a report needs to know of the operations that ran, and cannot know otherwise.
nlohmann::ordered_json operations_json(const std::vector<suite_case>& cases) {
  auto all = nlohmann::ordered_json::object();
  for (const suite_case& c : cases) {
    const operation& op = *c.operation;
    if (all.contains(op.name)) continue;
    auto axes = nlohmann::ordered_json::object(), variants = nlohmann::ordered_json::object();
    for (const axis& a : op.axes) axes[a.name] = a.description;
    for (const variant_facts& v : op.variants) variants[v.name] = v.description;
    all[op.name] = {
        {"description", op.description}, {"baseline", op.baseline}, {"axes", axes}, {"variants", variants}};
  }
  return all;
}

nlohmann::ordered_json comparisons_json(const std::vector<comparison>& comparisons) {
  auto all = nlohmann::ordered_json::array();
  for (const comparison& c : comparisons)
    all.push_back({{"operations", c.operations}, {"across", c.across}, {"draw", c.draw}});
  return all;
}

nlohmann::ordered_json context_of(const suite& from, const run_options& options,
                                  const std::vector<suite_case>& cases) {
  nlohmann::ordered_json context = benchmark_context();
  context["ablate"] = {{"record_schema", "1.9.0"},
                       {"suite",
                        {{"name", from.name},
                         {"description", from.description},
                         {"hash", from.hash},
                         {"comparisons", comparisons_json(from.comparisons)}}},
                       {"seed", from.seed},
                       {"command", options.command},
                       {"build", build_json()},
                       {"host", host_facts()},
                       {"device", nullptr},
                       {"evidence", nullptr},
                       {"operations", operations_json(cases)},
                       // Of unchecked launches there are many, all of one build: its record has the facts.
                       {"kernels", options.unchecked ? nlohmann::ordered_json::object() : static_facts()}};
  return context;
}

/// What must be equal for a journalled case to stand for one of this run: the case, its inputs, the build,
/// the way it is sampled and profiled, and the device.
std::string key_of(const suite_case& c, const suite& from, const std::string& device) {
  const sampling& s = from.sampling;
  const std::string all =
      fmt::format("{}|{}|{}|{}|{},{},{},{}|{}|{}|{}|{}|{}|{}", c.id, from.seed, this_build().source_hash,
                  device, s.minimum_samples, s.maximum_samples, s.half_width, s.maximum_seconds, c.counters,
                  c.timeline, c.picture, c.unchecked, c.injected_delay_pct, c.steady_clock_s);
  return hash_hex(all.data(), all.size());
}

/// Leaves what `only` and `ceilings` name. An id that this build has not is told: a gate asks two builds for
/// the same cases, and one may be newer.
void keep_chosen(std::vector<suite_case>& cases, const run_options& options) {
  const auto names = [](const std::vector<std::string>& of, const std::string& name) {
    return std::find(of.begin(), of.end(), name) != of.end();
  };
  if (!options.ceilings.empty())
    std::erase_if(cases, [&](const suite_case& c) {
      return !c.ceiling.empty() && !names(options.ceilings, c.ceiling);
    });
  if (options.only.empty()) return;
  std::erase_if(cases, [&](const suite_case& c) { return !names(options.only, c.id); });
  for (const std::string& id : options.only)
    if (std::none_of(cases.begin(), cases.end(), [&](const suite_case& c) { return c.id == id; }))
      fmt::print(stderr, "ablate: --only: the suite has no case '{}' in this build\n", id);
  if (cases.empty())
    throw bad_input("--only", "", "the suite has none of these cases; `plan --json` shows the ids");
}

/// Calibrations among the others, in an order that the seed makes: groups of equal axes, and cases in each.
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
  std::regex into;
  try {
    into = std::regex(options.injected_into);
  } catch (const std::regex_error&) {
    throw bad_input("--inject-into", "",
                    fmt::format("'{}' is no regular expression (ECMAScript)", options.injected_into));
  }
  for (suite_case& c : cases)
    if (c.ceiling.empty() && std::regex_search(c.id, into)) c.injected_delay_pct = options.injected_delay_pct;
}

/// The suite with the sampling that was asked for: a number of samples is that, whatever the clock does.
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

struct record_parts {
  std::vector<nlohmann::ordered_json> benchmarks, unmeasured;
  std::set<std::string> statuses;
};

record_parts sort_out(const std::vector<keyed_case>& cases, const journal_contents& done) {
  record_parts parts;
  for (const keyed_case& c : cases) {
    const auto found = done.entries.find(c.key);
    const nlohmann::ordered_json entry =
        found == done.entries.end() ? unmeasured_entry(c.is, "interrupted", "the run ended before this case")
                                    : found->second;
    parts.statuses.insert(entry.at("status").get<std::string>());
    (entry.contains("time_us") ? parts.benchmarks : parts.unmeasured).push_back(entry);
  }
  return parts;
}

}  // namespace

int run_suite(const suite& from, const run_options& options) {
  target on{.host = options.host};
  std::string device = "host";
  make_executor_function make = make_host_executor;
  if (!options.host) {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("--device", "", "this program was built without CUDA; expected 'host'");
    const gpu_summary gpu = gpu_at(*backend, options.device);
    on.compute_capability = gpu.compute_capability;
    device = fmt::format("{} {}", gpu.index, gpu.name);
    make = [backend, index = options.device, wanted = request_of(from, options)] {
      return backend->make_executor(index, wanted);
    };
  }
  return run_suite_on(from, options, on, device, make);
}

int run_suite_on(const suite& given, const run_options& options, const target& on, const std::string& device,
                 const make_executor_function& make) {
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

  std::vector<keyed_case> cases;
  for (const suite_case& c : expanded) cases.push_back({c, key_of(c, from, device), cases.size() + 1});

  std::filesystem::create_directories(options.out);
  journal out(options.out / "journal.jsonl", options.resume);
  const journal_contents before = out.read();
  std::vector<keyed_case> remaining;
  for (const keyed_case& c : cases)
    if (!before.entries.contains(c.key)) remaining.push_back(c);
  if (remaining.size() < cases.size())
    fmt::print(stderr, "Resuming: {} of {} cases are done.\n", cases.size() - remaining.size(), cases.size());

  const nlohmann::ordered_json context = context_of(from, options, expanded);
  const bool whole =
      supervise(remaining, from.case_limit_seconds, out,
                [&](const std::vector<keyed_case>& rest, worker_progress& progress) {
                  return run_cases(rest, cases.size(), from, inputs, make, context, out, progress);
                });

  const journal_contents done = out.read();
  const record_parts parts = sort_out(cases, done);
  write_record(options.out / "record.json", done.context.is_null() ? context : done.context, parts.benchmarks,
               parts.unmeasured);
  fmt::print(stderr, "{} of {} cases measured: {}\n", parts.benchmarks.size(), cases.size(),
             (options.out / "record.json").string());

  if (!whole) return was_interrupted;
  if (parts.statuses.contains("wrong")) return wrong_result;
  if (parts.statuses.contains("failed") || parts.statuses.contains("timeout")) return tool_failure;
  return passed;
}

}  // namespace ablate

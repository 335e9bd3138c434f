#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "harness/build_facts.h"
#include "harness/counters/metric_groups.h"
#include "harness/device/chip.h"
#include "harness/device/host_facts.h"
#include "harness/device/kernel_facts.h"
#include "harness/inputs/random.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/runner/case_key.h"
#include "harness/runner/finish.h"
#include "harness/runner/run_identity.h"
#include "harness/runner/supervisor.h"
#include "harness/runner/worker.h"
#include "harness/suite/estimate.h"
#include "reports/text/bad_input.h"
#include "reports/text/names.h"
#include "reports/text/regular_expression.h"

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

/// Facts about the operations that ran, which a report cannot get elsewhere.
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

nlohmann::ordered_json suite_json(const suite& from) {
  nlohmann::ordered_json json = {{"name", from.name},
                                 {"description", from.description},
                                 {"hash", from.hash},
                                 {"comparisons", comparisons_json(from.comparisons)}};
  for (const auto& [name, values] : from.overrides) json["overrides"][name] = values;
  if (from.question) json["question"] = question_json(*from.question);
  return json;
}

nlohmann::ordered_json context_of(const suite& from, const run_options& options,
                                  const std::vector<suite_case>& cases) {
  nlohmann::ordered_json context = benchmark_context();
  context["ablate"] = {{"record_schema", "1.11.0"},
                       {"suite", suite_json(from)},
                       {"seed", from.seed},
                       {"command", options.command},
                       {"build", build_json()},
                       {"host", host_facts()},
                       {"device", nullptr},
                       {"evidence", nullptr},
                       {"operations", operations_json(cases)},
                       // Unchecked launches are many and all of one build, whose own record has these facts.
                       {"kernels", options.unchecked ? nlohmann::ordered_json::object() : static_facts()}};
  return context;
}

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

/// Each case's entry in the record if the run does not reach it.
nlohmann::ordered_json plan_of(const std::vector<keyed_case>& cases) {
  auto plan = nlohmann::ordered_json::array();
  for (const keyed_case& c : cases)
    plan.push_back(
        {{"key", c.key}, {"case", unmeasured_entry(c.is, "interrupted", "the run ended before this case")}});
  return plan;
}

/// Whether a retry may succeed: the file may exist by then, memory be free, the device work.
bool is_worth_another_try(const nlohmann::ordered_json& entry) {
  const std::string status = entry.at("status");
  return status == "failed" || status == "out_of_memory" || status == "input_missing";
}

/// The journalled cases of this run that must run again.
std::set<std::string> to_run_again(const std::vector<keyed_case>& cases, const journal_contents& before) {
  std::set<std::string> keys;
  for (const keyed_case& c : cases)
    if (const auto found = before.entries.find(c.key);
        found != before.entries.end() && is_worth_another_try(found->second))
      keys.insert(c.key);
  return keys;
}

/// A record covers one device, driver and build: results from others cannot go into it.
void require_same_identity(const journal_contents& before, const nlohmann::ordered_json& identity,
                           const std::string& journal) {
  if (before.entries.empty()) return;
  const std::string differing = differences(before.identity, identity);
  if (!differing.empty())
    throw bad_input(journal, "",
                    fmt::format("cannot be resumed here: it was written by {}; expected another --out, or "
                                "its record first (`ablate record`)",
                                differing));
}

void require_finished(const journal_contents& before, const std::string& journal) {
  if (!before.is_unfinished()) return;
  const std::string how_far =
      before.planned.empty() ? fmt::format("{} cases", before.entries.size())
                             : fmt::format("{} of {} cases", before.ended_cases(), before.planned.size());
  throw bad_input(journal, "",
                  fmt::format("holds an unfinished run ({}); expected --resume to go on with it, another "
                              "--out, or its removal",
                              how_far));
}

/// Opens the journal and begins the run in it; leaves in `cases` those still to run.
std::unique_ptr<journal> begin(const run_options& options, const nlohmann::ordered_json& identity,
                               std::vector<keyed_case>& cases) {
  const std::filesystem::path path = options.out / "journal.jsonl";
  // No error: a job that a scheduler starts again says --resume the first time, too.
  if (options.resume && !std::filesystem::exists(path))
    fmt::print(stderr, "Nothing to resume in {}: starting with the first case.\n", options.out.string());
  std::filesystem::create_directories(options.out);
  auto out = std::make_unique<journal>(path);
  journal_contents before = out->read();
  if (options.resume) {
    require_same_identity(before, identity, path.string());
  } else {
    require_finished(before, path.string());
    out->clear();
    before = {};
  }
  const std::set<std::string> again = to_run_again(cases, before);
  out->write_begin(identity, plan_of(cases), again);
  const std::size_t all = cases.size();
  std::erase_if(
      cases, [&](const keyed_case& c) { return before.entries.contains(c.key) && !again.contains(c.key); });
  if (cases.size() < all)
    fmt::print(stderr, "Resuming: {} of {} cases are done{}.\n", all - cases.size(), all,
               again.empty()
                   ? ""
                   : fmt::format("; {} that failed, ran out of memory or lacked their input run again",
                                 again.size()));
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
  std::vector<keyed_case> cases;
  const std::vector<double> planned = planned_seconds(expanded, from, inputs, device, options);
  for (const suite_case& c : expanded)
    cases.push_back({c, keys.of(c), cases.size() + 1, planned[cases.size()]});
  const auto out = begin(options, identity_of_run(device), cases);
  if (!options.notice.empty()) fmt::print(stderr, "{}\n", options.notice);

  const nlohmann::ordered_json context = context_of(from, options, expanded);
  bool whole = false;
  try {
    whole = supervise(cases, from.case_limit_seconds, *out,
                      [&](const std::vector<keyed_case>& rest, worker_progress& progress) {
                        return run_cases(rest, expanded.size(), from, inputs, make, context, *out, progress);
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

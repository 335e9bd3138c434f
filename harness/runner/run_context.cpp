#include "harness/runner/run_context.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/record/upgrade.h"
#include "harness/build_facts.h"
#include "harness/device/host_facts.h"
#include "harness/device/kernel_facts.h"
#include "harness/registry/outside_code.h"

namespace ablate {

namespace {

nlohmann::ordered_json build_json() {
  const build_facts& b = this_build();
  nlohmann::ordered_json architectures = nlohmann::ordered_json::array();
  std::string_view rest = b.cuda_architectures;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    architectures.push_back(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  nlohmann::ordered_json json = {
      {"version", b.version},
      {"commit", b.commit},
      {"dirty", b.dirty},
      {"source_hash", b.source_hash},
      {"compiler", b.compiler},
      {"cuda_compiler",
       b.cuda_compiler.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(b.cuda_compiler)},
      {"cuda_architectures", architectures},
      {"build_type", b.build_type}};
  if (const build_facts& library = library_build(); is_own_program())
    json["ablate"] = {{"version", library.version},
                      {"commit", library.commit},
                      {"dirty", library.dirty},
                      {"source_hash", library.source_hash}};
  return json;
}

/// Facts about the operations that ran, which a report cannot get elsewhere.
nlohmann::ordered_json operations_json(const std::vector<suite_case>& cases) {
  auto all = nlohmann::ordered_json::object();
  for (const suite_case& c : cases) {
    const operation& op = *c.operation;
    if (all.contains(op.name)) continue;
    auto axes = nlohmann::ordered_json::object(), variants = nlohmann::ordered_json::object(),
         silent = nlohmann::ordered_json::object();
    for (const axis& a : op.axes) {
      axes[a.name] = a.description;
      if (a.is_silent_at_default) silent[a.name] = a.default_value;
    }
    for (const variant_facts& v : op.variants) variants[v.name] = v.description;
    for (const suite_case& other : cases)
      if (other.operation == &op && other.variant && !variants.contains(other.variant->name))
        variants[other.variant->name] = other.variant->description;
    all[op.name] = {
        {"description", op.description}, {"baseline", op.baseline}, {"axes", axes}, {"variants", variants}};
    if (!silent.empty()) all[op.name]["silent_axes"] = silent;
    if (const outside_code* code = find_outside_code(op.name))
      all[op.name]["from"] = {{"file", code->file}, {"hash", code->hash}};
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
  if (from.ladder) json["ladder"] = ladder_json(*from.ladder);
  if (!from.exhibits.empty()) json["exhibits"] = exhibits_json(from.exhibits);
  return json;
}

nlohmann::ordered_json settings_json(const suite& from, const run_options& options) {
  const sampling& s = from.sampling;
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json json = {{"sampling",
                                  {{"minimum_samples", s.minimum_samples},
                                   {"maximum_samples", s.maximum_samples},
                                   {"half_width", s.half_width},
                                   {"maximum_seconds", s.maximum_seconds}}},
                                 {"filter", options.filter},
                                 {"counters", or_null(options.counters)},
                                 {"timeline", options.timeline},
                                 {"only", options.only},
                                 {"ceilings", options.ceilings},
                                 {"order_seed", or_null(options.order_seed)}};
  if (from.keeps_operations_together) json["together"] = "operation";
  return json;
}

/// Of a part of a whole, the cases of all parts are named, so that who lacks some knows which.
nlohmann::ordered_json shard_json(const shard_plan& plan, long index) {
  nlohmann::ordered_json json = {{"index", index}, {"count", plan.count}, {"plan", plan.hash}};
  if (plan.count > 1)
    for (std::size_t i = 0; i < plan.names.size(); ++i) json["cases"][plan.names[i]] = plan.shards[i];
  return json;
}

}  // namespace

nlohmann::ordered_json context_of(const suite& from, const run_options& options,
                                  const std::vector<suite_case>& cases, const shard_plan& plan) {
  nlohmann::ordered_json context = benchmark_context();
  context["ablate"] = {{"record_schema", reports::record_schema},
                       {"suite", suite_json(from)},
                       {"seed", from.seed},
                       {"settings", settings_json(from, options)},
                       {"shard", shard_json(plan, options.shard.index)},
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

}  // namespace ablate

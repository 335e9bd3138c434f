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

program_build build_of_program() {
  const build_facts& b = this_build();
  program_build out;
  out.version = b.version;
  out.commit = b.commit;
  out.dirty = b.dirty;
  out.source_hash = b.source_hash;
  out.compiler = b.compiler;
  if (!b.cuda_compiler.empty()) out.cuda_compiler = std::string(b.cuda_compiler);
  std::string_view rest = b.cuda_architectures;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    out.cuda_architectures.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  out.build_type = b.build_type;
  if (const build_facts& library = library_build(); is_own_program())
    out.ablate = {std::string(library.version), std::string(library.commit), library.dirty,
                  std::string(library.source_hash)};
  return out;
}

/// Facts about the operations that ran, which a report cannot get elsewhere.
std::vector<record::operation_facts> operations_of(const std::vector<suite_case>& cases) {
  std::vector<record::operation_facts> all;
  for (const suite_case& c : cases) {
    const operation& op = *c.operation;
    if (std::ranges::find(all, op.name, &record::operation_facts::name) != all.end()) continue;
    record::operation_facts& facts = all.emplace_back();
    facts.name = op.name;
    facts.description = op.description;
    facts.baseline = op.baseline;
    for (const axis& a : op.axes) {
      facts.axes.emplace_back(a.name, a.description);
      if (a.is_silent_at_default) facts.silent_axes.emplace_back(a.name, a.default_value);
    }
    for (const variant_facts& v : op.variants) facts.variants.emplace_back(v.name, v.description);
    for (const suite_case& other : cases)
      if (other.operation == &op && other.variant && !find_word(facts.variants, other.variant->name))
        facts.variants.emplace_back(other.variant->name, other.variant->description);
    if (const outside_code* code = find_outside_code(op.name))
      facts.from = record::outside_file{code->file, code->hash};
  }
  return all;
}

run_settings settings_of(const suite& from, const run_options& options) {
  const sampling& s = from.sampling;
  run_settings out;
  out.sampling = {s.minimum_samples, s.maximum_samples, s.half_width, s.maximum_seconds};
  out.filter = options.filter;
  out.counters = options.counters;
  out.timeline = options.timeline;
  out.only = options.launch.only;
  out.ceilings = options.launch.ceilings;
  out.order_seed = options.launch.order_seed;
  if (from.keeps_operations_together) out.together = "operation";
  return out;
}

/// Of a part of a whole, the cases of all parts are named, so that who lacks some knows which.
shard_facts shard_of(const shard_plan& plan, long index) {
  shard_facts out{.index = index, .count = plan.count, .plan = plan.hash, .cases = {}};
  if (plan.count > 1)
    for (std::size_t i = 0; i < plan.names.size(); ++i) out.cases.emplace_back(plan.names[i], plan.shards[i]);
  return out;
}

}  // namespace

record context_of(const suite& from, const run_options& options, const std::vector<suite_case>& cases,
                  const shard_plan& plan) {
  record out{};
  out.date = date_now();
  out.benchmark = benchmark_facts_of_host();
  out.schema = reports::record_schema;
  out.suite_name = from.name;
  out.suite_description = from.description;
  out.suite_hash = from.hash;
  out.overrides = from.overrides;
  out.report.given = from.report;
  out.seed = from.seed;
  out.settings = settings_of(from, options);
  out.shard = shard_of(plan, options.shard.index);
  out.command = options.command;
  out.build = build_of_program();
  out.host = host_facts();
  out.operations = operations_of(cases);
  // Unchecked launches are many and all of one build, whose own record has these facts.
  if (!options.launch.unchecked) out.kernels = static_facts();
  return out;
}

}  // namespace ablate

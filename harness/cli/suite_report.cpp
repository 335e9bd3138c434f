#include "harness/cli/suite_report.h"

#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "harness/registry/registry.h"
#include "harness/suite/axis_value.h"
#include "harness/suite/variant_at.h"
#include "reports/asked/checked_report.h"

namespace ablate {
namespace {

using reports::json_place;

reports::planned_operation planned(const operation& of, const std::vector<std::string>& point_files) {
  reports::planned_operation out;
  out.name = of.name;
  for (const axis& a : of.axes)
    out.axes.push_back(
        {a.name, a.default_value, a.is_silent_at_default,
         [&a, point_files](const json_place& at) { return axis_value_at(at, a, point_files); }});
  out.variant = [&of](const json_place& at) { return variant_at(at, of).name; };
  return out;
}

reports::planned_block planned(const suite_block& block, const reports::planned_suite& in) {
  reports::planned_block out;
  out.operation = in.find_operation(block.operation->name);
  for (const variant_facts* v : block.variants)
    out.variants.push_back({v->name, named_words(v->switches.begin(), v->switches.end())});
  out.axes = block.axes;
  for (const cache_state state : block.cache_states) out.cache_states.emplace_back(to_string(state));
  out.exclusions = block.exclusions;
  out.is_sampled = block.sampled;
  return out;
}

reports::planned_suite planned(const suite& from) {
  reports::planned_suite out;
  for (const auto& [name, file] : from.point_files) out.point_files.push_back(name);
  for (const auto& of : operations()) out.operations.push_back(planned(*of, out.point_files));
  for (const suite_block& block : from.blocks) out.blocks.push_back(planned(block, out));
  return out;
}

}  // namespace

suite with_checked_report(suite from) {
  suite_report report;
  const std::string file = from.path.string();
  if (!from.report.is_null()) {
    report = reports::checked_report(json_place(from.report, file, "/report"), planned(from));
    from.report = suite_report_json(report);
    from.joins = joins_of(report);
  }
  if (from.launches.until_decided && !report.question)
    throw bad_input(file, "/launches/until",
                    "expected a key 'question' in the suite's 'report', whose verdicts it waits for");
  return from;
}

}  // namespace ablate

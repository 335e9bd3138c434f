#include <fmt/format.h>

#include <algorithm>

#include "base/record/case_name.h"
#include "reports/asked/parts.h"

namespace ablate::reports::asked {
namespace {

void require_run(const json_place& at, const ladder_case& c, const planned_operation& op,
                 const std::string& cache_state, const planned_suite& of) {
  named_words axes, in_id;
  for (const planned_axis& a : op.axes) {
    const std::string* given = find_word(c.axes, a.name);
    axes.emplace_back(a.name, given ? *given : a.default_value);
    if (!a.is_silent_at_default || axes.back().second != a.default_value) in_id.push_back(axes.back());
  }
  if (std::none_of(of.blocks.begin(), of.blocks.end(), [&](const planned_block& block) {
        return block.operation == &op && block.runs(c.variant, axes, cache_state);
      }))
    at.refuse(fmt::format("expected a case that the suite runs, found '{}'",
                          case_name({op.name, c.variant, cache_state, in_id})));
}

}  // namespace

suite_ladder checked_ladder(const json_place& at, const planned_suite& of) {
  const json_place named = at.at("operation");
  const planned_operation& op = operation_run(named, of);
  suite_ladder out = ladder_of(at, {op.variant, [&](const json_place& word, const std::string& axis) {
                                      return value_of(word, axis, op);
                                    }});
  if (const auto cache = at.find("cache")) known_word(*cache, "cache state", cache_states);

  const std::vector<json_place> places = at.at("steps").elements();
  const std::vector<ladder_cases> cases = cases_of(out);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    require_run(places[i], cases[i].step, op, out.cache_state, of);
    if (cases[i].control) require_run(places[i].at("control"), *cases[i].control, op, out.cache_state, of);
  }
  auto& first = out.steps.front().change.axes;
  for (const planned_axis& a : op.axes)
    if (!find_word(first, a.name)) first.emplace_back(a.name, a.default_value);
  return out;
}

}  // namespace ablate::reports::asked

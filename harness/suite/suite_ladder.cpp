#include "harness/suite/suite_ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/names.h"
#include "harness/registry/case_id.h"
#include "harness/suite/block_cases.h"
#include "harness/suite/suite_words.h"

namespace ablate {
namespace {

using reports::json_place;

void require_run(const json_place& at, const ladder_case& c, const operation& op, cache_state state,
                 const suite& of) {
  axis_values axes;
  for (const axis& a : op.axes) axes.set(a.name, a.default_value);
  for (const auto& [name, value] : c.axes) axes.set(name, value);
  const variant_facts& v = *op.find_variant(c.variant);
  if (std::none_of(of.blocks.begin(), of.blocks.end(), [&](const suite_block& block) {
        return block.operation == &op && runs(block, v, axes, state);
      }))
    at.refuse(fmt::format("expected a case that the suite runs, found '{}'",
                          case_id(op.name, v.name, named_in_id(op.axes, axes), to_string(state))));
}

}  // namespace

suite_ladder checked_ladder(const json_place& at, const suite& of) {
  const json_place named = at.at("operation");
  const operation& op = operation_word(named, of);
  suite_ladder out = ladder_of(
      at, {[&](const json_place& word) { return variant_word(word, op); },
           [&](const json_place& word, const std::string& axis) { return axis_word(word, axis, op, of); }});
  const auto state = parse_cache_state(out.cache_state);
  if (!state)
    at.at("cache").refuse(no_such("cache state", out.cache_state, {"cold-clean", "hot", "rotating"}));

  const std::vector<json_place> places = at.at("steps").elements();
  const std::vector<ladder_cases> cases = cases_of(out);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    require_run(places[i], cases[i].step, op, *state, of);
    if (cases[i].control) require_run(places[i].at("control"), *cases[i].control, op, *state, of);
  }
  auto& first = out.steps.front().change.axes;
  for (const axis& a : op.axes)
    if (std::none_of(first.begin(), first.end(), [&](const auto& named) { return named.first == a.name; }))
      first.emplace_back(a.name, a.default_value);
  return out;
}

}  // namespace ablate

#include "harness/suite/suite_ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/registry/case_id.h"
#include "harness/suite/axis_value.h"
#include "harness/suite/block_cases.h"
#include "reports/text/names.h"

namespace ablate {
namespace {

using reports::json_place;
using names = std::vector<std::string>;

std::string known_name(const json_place& at, std::string_view kind, const names& known) {
  const std::string name = at.text();
  if (std::find(known.begin(), known.end(), name) == known.end()) at.refuse(no_such(kind, name, known));
  return name;
}

const operation& operation_at(const json_place& at, const suite& of) {
  names known;
  for (const suite_block& block : of.blocks)
    if (std::find(known.begin(), known.end(), block.operation->name) == known.end())
      known.push_back(block.operation->name);
  const std::string name = known_name(at, "operation that the suite runs", known);
  return *std::find_if(of.blocks.begin(), of.blocks.end(), [&](const suite_block& block) {
            return block.operation->name == name;
          })->operation;
}

std::string value_of(const json_place& at, const std::string& name, const operation& op,
                     const names& point_files) {
  names known;
  for (const axis& a : op.axes) {
    if (a.name == name) return axis_value_at(at, a, point_files);
    known.push_back(a.name);
  }
  at.refuse(no_such(fmt::format("axis of '{}'", op.name), name, known));
}

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
  const operation& op = operation_at(named, of);
  names variants, point_files;
  for (const variant_facts& v : op.variants) variants.push_back(v.name);
  for (const auto& [name, file] : of.point_files) point_files.push_back(name);
  suite_ladder out =
      ladder_of(at, {[&](const json_place& word) {
                       return known_name(word, fmt::format("variant of '{}'", op.name), variants);
                     },
                     [&](const json_place& word, const std::string& axis) {
                       return value_of(word, axis, op, point_files);
                     }});
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

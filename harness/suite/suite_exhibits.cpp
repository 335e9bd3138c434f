#include "harness/suite/suite_exhibits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/names.h"
#include "harness/suite/suite_words.h"

namespace ablate {
namespace {

using reports::json_place;

/// Whether some case of the block is of the curve.
bool has_case_of(const suite_block& block, const suite_exhibit& exhibit, const exhibit_choice& curve) {
  const auto has = [&](const std::string& name, const std::string& value) {
    const auto found = std::find_if(block.axes.begin(), block.axes.end(),
                                    [&](const auto& axis) { return axis.first == name; });
    return found != block.axes.end() &&
           std::find(found->second.begin(), found->second.end(), value) != found->second.end();
  };
  const auto has_all = [&](const auto& axes) {
    return std::all_of(axes.begin(), axes.end(),
                       [&](const auto& axis) { return has(axis.first, axis.second); });
  };
  const bool has_variant =
      std::any_of(block.variants.begin(), block.variants.end(), [&](const variant_facts* v) {
        return curve.variant.empty() || curve.is_rival || v->name == curve.variant;
      });
  const bool has_state =
      std::any_of(block.cache_states.begin(), block.cache_states.end(),
                  [&](cache_state state) { return to_string(state) == exhibit.cache_state; });
  return block.sampled && block.operation->name == exhibit.operation && has_variant && has_state &&
         has_all(exhibit.axes) && has_all(curve.axes);
}

}  // namespace

std::vector<suite_exhibit> checked_exhibits(const json_place& at, const suite& of) {
  std::vector<suite_exhibit> out = exhibits_of(at, [&](const json_place& named) {
    const operation& op = operation_word(named, of);
    return exhibit_words{
        [&](const json_place& word) { return variant_word(word, op); },
        [&](const json_place& word, const std::string& axis) { return axis_word(word, axis, op, of); }};
  });
  const std::vector<json_place> places = at.elements();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!parse_cache_state(out[i].cache_state))
      places[i].at("cache").refuse(
          no_such("cache state", out[i].cache_state, {"cold-clean", "hot", "rotating"}));
    for (std::size_t j = 0; j < out[i].curves.size(); ++j)
      if (std::none_of(of.blocks.begin(), of.blocks.end(), [&](const suite_block& block) {
            return has_case_of(block, out[i], out[i].curves[j]);
          }))
        places[i].at("curves").elements()[j].refuse(
            "expected cases that the suite samples ('sampled': true), found none");
  }
  return out;
}

}  // namespace ablate

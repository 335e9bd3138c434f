#include <algorithm>

#include "reports/asked/parts.h"

namespace ablate::reports::asked {
namespace {

/// Whether some case of the block is of the curve.
bool has_case_of(const planned_block& block, const suite_exhibit& exhibit, const exhibit_choice& curve) {
  const auto is_among = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const auto has_all = [&](const named_words& axes) {
    return std::all_of(axes.begin(), axes.end(), [&](const auto& wanted) {
      return std::any_of(block.axes.begin(), block.axes.end(), [&](const auto& axis) {
        return axis.first == wanted.first && is_among(axis.second, wanted.second);
      });
    });
  };
  const bool has_variant =
      std::any_of(block.variants.begin(), block.variants.end(), [&](const planned_variant& v) {
        return curve.variant.empty() || curve.is_rival || v.name == curve.variant;
      });
  return block.is_sampled && block.operation->name == exhibit.operation && has_variant &&
         is_among(block.cache_states, exhibit.cache_state) && has_all(exhibit.axes) && has_all(curve.axes);
}

}  // namespace

std::vector<suite_exhibit> checked_exhibits(const json_place& at, const planned_suite& of) {
  std::vector<suite_exhibit> out = exhibits_of(at, [&](const json_place& named) {
    const planned_operation& op = operation_run(named, of);
    return exhibit_words{op.variant, [&op](const json_place& word, const std::string& axis) {
                           return value_of(word, axis, op);
                         }};
  });
  const std::vector<json_place> places = at.elements();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto cache = places[i].find("cache")) known_word(*cache, "cache state", cache_states);
    for (std::size_t j = 0; j < out[i].curves.size(); ++j)
      if (std::none_of(of.blocks.begin(), of.blocks.end(), [&](const planned_block& block) {
            return has_case_of(block, out[i], out[i].curves[j]);
          }))
        places[i].at("curves").elements()[j].refuse(
            "expected cases that the suite samples ('sampled': true), found none");
  }
  return out;
}

}  // namespace ablate::reports::asked

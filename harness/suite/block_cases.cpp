#include "harness/suite/block_cases.h"

#include <algorithm>

namespace ablate {
namespace {

bool has(const auto& all, const auto& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

}  // namespace

bool excludes(const suite_block& block, const variant_facts& v, const axis_values& axes) {
  return std::any_of(block.exclusions.begin(), block.exclusions.end(), [&](const exclusion& left_out) {
    return std::all_of(left_out.begin(), left_out.end(), [&](const auto& entry) {
      return has(entry.second, entry.first == "variant" ? v.name : axes.word(entry.first));
    });
  });
}

bool runs(const suite_block& block, const variant_facts& v, const axis_values& axes, cache_state state) {
  return has(block.variants, &v) && has(block.cache_states, state) &&
         std::all_of(block.axes.begin(), block.axes.end(),
                     [&](const auto& a) { return has(a.second, axes.word(a.first)); }) &&
         !excludes(block, v, axes);
}

}  // namespace ablate

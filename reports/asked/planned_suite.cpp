#include "reports/asked/planned_suite.h"

#include <algorithm>

namespace ablate::reports {
namespace {

bool is_among(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

const auto* named(const auto& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const planned_axis* planned_operation::find_axis(const std::string& axis) const { return named(axes, axis); }

std::vector<std::string> planned_operation::axis_names() const {
  std::vector<std::string> out;
  for (const planned_axis& a : axes) out.push_back(a.name);
  return out;
}

bool planned_block::runs(const std::string& variant, const named_words& of, const std::string& state) const {
  const auto word = [&](const std::string& name) {
    const std::string* value = name == "variant" ? &variant : find_word(of, name);
    return value ? *value : std::string();
  };
  const auto has_all = [&](const accepted_values& accepted) {
    return std::all_of(accepted.begin(), accepted.end(),
                       [&](const auto& one) { return is_among(one.second, word(one.first)); });
  };
  return named(variants, variant) && is_among(cache_states, state) && has_all(axes) &&
         std::none_of(exclusions.begin(), exclusions.end(), has_all);
}

const planned_operation* planned_suite::find_operation(const std::string& name) const {
  return named(operations, name);
}

std::vector<std::string> planned_suite::operations_run() const {
  std::vector<std::string> out;
  for (const planned_block& block : blocks)
    if (!is_among(out, block.operation->name)) out.push_back(block.operation->name);
  return out;
}

}  // namespace ablate::reports

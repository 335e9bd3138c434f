#include "reports/ablation/pairs.h"

#include <algorithm>
#include <map>

#include "base/record/facts.h"
#include "reports/views/rivals.h"

namespace ablate::reports {
namespace {

std::string value_of(const named_words& switches, const std::string& name) {
  const std::string* found = find_word(switches, name);
  return found ? *found : off_value;
}

/// The order of each switch's values: the baseline's first.
class value_order {
 public:
  explicit value_order(const operation_view& view) {
    std::vector<const named_words*> seen;
    for (const std::string& variant : view.variants)
      for (const comparable_cases& row : view.rows)
        if (const measured_case* c = row.of(variant)) {
          seen.push_back(&c->switches);
          break;
        }
    std::vector<std::string> names;
    for (const named_words* switches : seen)
      for (const auto& [name, value] : *switches)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const std::string& name : names)
      for (const named_words* switches : seen) {
        const std::string value = value_of(*switches, name);
        auto& order = values_[name];
        if (std::find(order.begin(), order.end(), value) == order.end()) order.push_back(value);
      }
  }

  bool is_forward(const switch_change& change) const {
    const auto& order = values_.at(change.name);
    return std::find(order.begin(), order.end(), change.from) <
           std::find(order.begin(), order.end(), change.to);
  }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace

std::optional<switch_change> single_change(const named_words& from, const named_words& to) {
  std::optional<switch_change> out;
  const auto is_still_one = [&](const std::string& name) {
    const std::string a = value_of(from, name), b = value_of(to, name);
    if (a == b || (out && out->name == name)) return true;
    if (out) return false;
    out = {name, a, b};
    return true;
  };
  for (const named_words* switches : {&from, &to})
    for (const auto& [name, value] : *switches)
      if (!is_still_one(name)) return std::nullopt;
  return out;
}

std::vector<const measured_case*> own_cases(const record& r, const operation_view& view,
                                            const comparable_cases& row) {
  std::vector<const measured_case*> out;
  for (const std::string& variant : view.variants)
    if (const measured_case* c = row.of(variant); c && !rival_of(r, view.name, variant)) out.push_back(c);
  return out;
}

bool same_input(const measured_case& a, const measured_case& b) { return input_hash(a) == input_hash(b); }

std::vector<switch_effect> switch_effects(const record& r, const operation_view& view,
                                          const process_launches& processes) {
  const value_order order(view);
  std::vector<switch_effect> out;
  for (const comparable_cases& row : view.rows) {
    const std::vector<const measured_case*> cases = own_cases(r, view, row);
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (std::size_t j = i + 1; j < cases.size(); ++j) {
        const measured_case *from = cases[i], *to = cases[j];
        auto change = single_change(from->switches, to->switches);
        if (!change || !same_input(*from, *to)) continue;
        if (!order.is_forward(*change)) {
          std::swap(from, to);
          std::swap(change->from, change->to);
        }
        out.push_back({*change, &row, processes.between(*from, *to), view.differ_in_quality(*from, *to)});
      }
  }
  std::vector<judgment*> verdicts;
  for (switch_effect& e : out) verdicts.push_back(&e.measured.verdict);
  control_false_discoveries(verdicts, processes.limits());
  return out;
}

}  // namespace ablate::reports

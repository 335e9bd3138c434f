#include "reports/question/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "reports/ablation/pairs.h"
#include "reports/views/joined_cases.h"
#include "reports/views/rivals.h"

namespace ablate::reports {
namespace {

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool accepts(const accepted_values& accepted, const named_words& of) {
  return std::all_of(accepted.begin(), accepted.end(), [&](const auto& wanted) {
    const std::string* value = find_word(of, wanted.first);
    return value && has_name(wanted.second, *value);
  });
}

bool is_of(const question_family& family, const measured_case& c) {
  return (family.operations.empty() || has_name(family.operations, c.operation)) &&
         (family.variants.empty() || has_name(family.variants, c.variant)) &&
         accepts(family.switches, c.switches) && accepts(family.axes, c.axes);
}

/// The operations as one, where the families differ in more than the variant.
std::optional<comparison> comparison_for(const suite_question& asked, const question_workloads& of) {
  comparison out{of.operations, {}, {}};
  for (const question_family& family : asked.families)
    for (const auto& [axis, values] : family.axes)
      if (!has_name(out.across, axis)) out.across.push_back(axis);
  if (of.operations.size() == 1 && out.across.empty()) return std::nullopt;
  return out;
}

answered_part part_for(const record& r, const suite_question& asked, const question_workloads& of) {
  const auto across = comparison_for(asked, of);
  if (!across) return {nullptr, operation_view(r, of.operations.front())};
  const auto joined = std::make_shared<const record>(joined_cases(r, *across));
  return {joined, operation_view(*joined, joined_name(*across))};
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What fills the answer of one part.
class part_answer {
 public:
  part_answer(const record& r, const suite_question& asked, const question_workloads& of,
              const process_launches& launches)
      : record_(r), asked_(asked), of_(of), launches_(launches), part_(part_for(r, asked, of)) {
    for (const measured_case& c : r.cases) by_name_.emplace(c.name, &c);
    part_.along = of.along;
    if (part_.view.varies(of.along) && part_.view.is_integer(of.along)) part_.view.swept = of.along;
    for (const comparable_cases& row : part_.view.rows)
      if (accepts(of.axes, row.axes) &&
          (of.cache_states.empty() || has_name(of.cache_states, row.cache_state)))
        add(row);
    divide();
  }

  answered_part take() { return std::move(part_); }

 private:
  void add(const comparable_cases& row) {
    answered_workload workload{&row, bests_of(row), 0, std::nullopt, ""};
    std::size_t measured = 0;
    for (std::size_t i = 0; i < workload.best.size(); ++i) {
      const measured_case* c = workload.best[i].fastest;
      if (!c) continue;
      const measured_case* least = workload.best[workload.fastest].fastest;
      if (!least || c->time.median_us < least->time.median_us) workload.fastest = i;
      ++measured;
    }
    if (measured < 2) return;
    compare(workload.best);
    const measured_case& any = *workload.best[workload.fastest].fastest;
    workload.size = number_of(row.value(part_.along));
    // All points of a file: the record has their number.
    if (workload.size == 0.0 && any.items()) workload.size = any.items();
    for (const auto& [axis, value] : row.axes)
      if (has_name(asked_.scans, value)) workload.scan = value;
    part_.workloads.push_back(std::move(workload));
  }

  std::vector<family_best> bests_of(const comparable_cases& row) const {
    std::vector<family_best> out(asked_.families.size());
    for (const std::string& variant : part_.view.variants) {
      const measured_case* here = row.of(variant);
      if (!here) continue;
      const measured_case* c = by_name_.at(here->name);
      if (rival_of(record_, c->operation, c->variant)) continue;
      for (std::size_t i = 0; i < out.size(); ++i)
        if (is_of(asked_.families[i], *c) &&
            (!out[i].fastest || c->time.median_us < out[i].fastest->time.median_us))
          out[i] = {c, variant, std::nullopt};
    }
    return out;
  }

  void compare(std::vector<family_best>& best) const {
    const measured_case* last = best.back().fastest;
    if (!last) return;
    for (std::size_t i = 0; i + 1 < best.size(); ++i) {
      const measured_case* c = best[i].fastest;
      if (!c || (!part_.cases && !same_input(*c, *last))) continue;
      best[i].over = launches_.between(*last, *c);
      best[i].unequal_quality = part_.view.differ_in_quality(*c, *last);
    }
  }

  void divide() {
    const bool several_states =
        std::any_of(part_.workloads.begin(), part_.workloads.end(), [&](const answered_workload& w) {
          return w.row->cache_state != part_.workloads.front().row->cache_state;
        });
    for (const answered_workload& w : part_.workloads) {
      answered_group key{{}, several_states ? w.row->cache_state : "", {}};
      for (const std::string& axis : of_.by) key.by.emplace_back(axis, w.row->value(axis));
      auto group = std::find_if(part_.groups.begin(), part_.groups.end(), [&](const answered_group& g) {
        return g.by == key.by && g.cache_state == key.cache_state;
      });
      if (group == part_.groups.end()) group = part_.groups.insert(part_.groups.end(), key);
      group->workloads.push_back(&w);
    }
  }

  const record& record_;
  const suite_question& asked_;
  const question_workloads& of_;
  const process_launches& launches_;
  answered_part part_;
  std::map<std::string, const measured_case*> by_name_;
};

}  // namespace

question_answer answer_of(const record& r, const suite_question& asked, const process_launches& launches) {
  question_answer out{asked, {}, {}, launches.limits().confidence};
  for (const question_workloads& of : asked.workloads) {
    answered_part part = part_answer(r, asked, of, launches).take();
    if (!part.workloads.empty())
      out.parts.push_back(std::move(part));
    else
      out.open.push_back(
          fmt::format("`{}` has no answer here: no workload of the question has two of the families.",
                      fmt::join(of.operations, "` and `")));
  }
  std::vector<judgment*> verdicts;
  for (answered_part& part : out.parts)
    for (answered_workload& workload : part.workloads)
      for (family_best& best : workload.best)
        if (best.over) verdicts.push_back(&best.over->verdict);
  control_false_discoveries(verdicts, launches.limits());
  return out;
}

std::vector<std::string> undecided_cases(const question_answer& from) {
  std::set<std::string> names;
  for (const answered_part& part : from.parts)
    for (const answered_workload& workload : part.workloads)
      for (const family_best& best : workload.best)
        if (best.over && best.over->verdict.word == gate::verdict::inconclusive) {
          names.insert(best.fastest->name);
          names.insert(workload.best.back().fastest->name);
        }
  return {names.begin(), names.end()};
}

}  // namespace ablate::reports

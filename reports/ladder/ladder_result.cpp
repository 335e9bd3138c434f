#include "reports/ladder/ladder_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace ablate::reports {
namespace {

/// The host's clock times a wait and a graph alike; events are another clock.
bool is_of_host(const measured_case& c) { return c.time.method.starts_with("host_clock"); }

bool are_of_one_clock(const measured_case& a, const measured_case& b) {
  return a.time.method == b.time.method || (is_of_host(a) && is_of_host(b));
}

template <class Case>
bool fits(const suite_ladder& ladder, const ladder_case& wanted, const Case& c) {
  return c.operation == ladder.operation && c.variant == wanted.variant &&
         c.cache_state == ladder.cache_state &&
         std::all_of(wanted.axes.begin(), wanted.axes.end(), [&](const auto& axis) {
           const std::string* value = find_word(c.axes, axis.first);
           return value && *value == axis.second;
         });
}

/// The only case with the wanted values, or why there is none.
void find_in(const record& r, const suite_ladder& ladder, const ladder_case& wanted, ladder_case_result& to) {
  std::size_t count = 0;
  for (const measured_case& c : r.cases)
    if (fits(ladder, wanted, c)) {
      to.found = &c;
      ++count;
    }
  if (count == 1) return;
  to.found = nullptr;
  to.missing = count > 1 ? fmt::format("{} cases of this record fit", count) : "not in this record";
  if (count > 1) return;
  for (const unmeasured_case& c : r.unmeasured)
    if (fits(ladder, wanted, c)) to.missing = fmt::format("{}: {}", c.status, c.reason);
}

std::string change_text(const ladder_case& from, const ladder_case& to) {
  std::string out;
  const auto add = [&](const std::string& name, const std::string& before, const std::string& after) {
    if (before != after) out += fmt::format("{}{}: {} → {}", out.empty() ? "" : ", ", name, before, after);
  };
  add("variant", from.variant, to.variant);
  for (std::size_t i = 0; i < from.axes.size(); ++i)
    add(from.axes[i].first, from.axes[i].second, to.axes[i].second);
  return out;
}

void compare(ladder_case_result& to, const measured_case* before, const process_launches& launches) {
  to.before = before;
  if (to.found && before && are_of_one_clock(*before, *to.found))
    to.over = launches.between(*before, *to.found);
}

}  // namespace

std::vector<const ladder_case_result*> ladder_result::cases() const {
  std::vector<const ladder_case_result*> out;
  for (const ladder_step_result& step : steps) {
    out.push_back(&step.at);
    if (step.control) out.push_back(&*step.control);
  }
  return out;
}

std::optional<ladder_result> ladder_result_of(const record& r, const suite_ladder& asked,
                                              const process_launches& launches) {
  ladder_result out{asked, {}, std::nullopt};
  const std::vector<ladder_cases> wanted = cases_of(asked);
  const measured_case *first = nullptr, *last = nullptr;
  std::string skipped;     // labels
  std::size_t before = 0;  // the last step that was measured, or the first
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ladder_step_result step;
    find_in(r, asked, wanted[i].step, step.at);
    compare(step.at, last, launches);
    const std::string& label = asked.steps[i].label;
    step.at.label = step.at.found ? skipped + label : label;
    step.skips = step.at.found && last && !skipped.empty();
    const std::size_t from = step.at.found ? before : std::max<std::size_t>(i, 1) - 1;
    step.at.change = change_text(wanted[from].step, wanted[i].step);
    if (const auto& control = asked.steps[i].control) {
      step.control.emplace();
      step.control->label = control->label;
      step.control->change = change_text(wanted[i].step, *wanted[i].control);
      find_in(r, asked, *wanted[i].control, *step.control);
      compare(*step.control, step.at.found, launches);
    }
    if (step.at.found) {
      last = step.at.found;
      before = i;
      skipped.clear();
    } else {
      skipped += label + " + ";
    }
    if (!first) first = last;
    out.steps.push_back(std::move(step));
  }
  if (first != last && are_of_one_clock(*first, *last)) out.whole = launches.between(*first, *last);
  std::vector<judgment*> verdicts;
  for (ladder_step_result& step : out.steps) {
    if (step.at.over) verdicts.push_back(&step.at.over->verdict);
    if (step.control && step.control->over) verdicts.push_back(&step.control->over->verdict);
  }
  if (out.whole) verdicts.push_back(&out.whole->verdict);
  control_false_discoveries(verdicts, launches.limits());
  const measured_case* any = nullptr;
  for (const ladder_case_result* c : out.cases()) {
    if (!c->found) continue;
    if (any && !are_of_one_clock(*any, *c->found)) out.is_of_one_clock = false;
    any = c->found;
  }
  if (!any) return std::nullopt;
  return out;
}

}  // namespace ablate::reports

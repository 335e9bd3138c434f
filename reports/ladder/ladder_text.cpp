#include "reports/ladder/ladder_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/record/clocks.h"
#include "base/record/input_marks.h"
#include "base/text/text.h"
#include "reports/explain/explanation.h"
#include "reports/views/labels.h"

namespace ablate::reports {
namespace {

std::string ratio_text(const effect& e) {
  return fmt::format("{:.2f}× ({:.2f} to {:.2f})", e.ratio(), e.low(), e.high());
}

std::optional<double> figure_of(const measured_case& c, const std::string& name) {
  for (const auto& [known, value] : c.quality)
    if (known == name) return value;
  return std::nullopt;
}

std::string ratio_cell(const ladder_case_result& c, bool skips) {
  if (!c.over) return c.found && c.before ? "another clock" : "";
  return fmt::format("{}{}{}, {}", ratio_text(*c.over), cycles_mark(c.over->in_cycles()), skips ? " *" : "",
                     gate::name_of(c.over->verdict.word));
}

std::string amount_cell(double amount, const char* unit) {
  return amount > 0 ? with_prefix(amount) + unit : "";
}

table_line line_of(const ladder_result& of, const ladder_case_result& c, const std::string& number,
                   bool skips) {
  table_line out{{number, c.label, c.change}, {}};
  if (!c.found) {
    out.cells.push_back(c.missing);
    out.cells.resize(out.cells.size() + 4 + of.asked.figures.size());
    return out;
  }
  out.cases = {c.found->name};
  out.cells.push_back(median_with_interval(c.found->time) + input_mark(*c.found));
  out.cells.push_back(ratio_cell(c, skips));
  for (const std::string& name : of.asked.figures) {
    const auto value = figure_of(*c.found, name);
    out.cells.push_back(value ? plain(*value) : "");
  }
  out.cells.push_back(amount_cell(c.found->work.bytes, "B"));
  std::optional<double> counted;
  for (const explain::amount& a : explain::amounts_of(*c.found))
    if (a.name == "bytes") counted = a.measured;
  out.cells.push_back(amount_cell(counted.value_or(0), "B"));
  out.cells.push_back(amount_cell(c.found->work.flops, "FLOP"));
  return out;
}

void erase_empty_columns(table& from, std::size_t first) {
  for (std::size_t i = from.header.size(); i-- > first;) {
    if (std::any_of(from.lines.begin(), from.lines.end(),
                    [&](const table_line& line) { return !line.cells[i].empty(); }))
      continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    from.header.erase(from.header.begin() + at);
    for (table_line& line : from.lines) line.cells.erase(line.cells.begin() + at);
  }
}

/// The steps with a certain effect, the greatest gain first.
std::vector<const ladder_case_result*> by_gain(const ladder_result& of) {
  std::vector<const ladder_case_result*> out;
  for (const ladder_step_result& step : of.steps)
    if (step.at.over && (step.at.over->verdict.word == gate::verdict::faster ||
                         step.at.over->verdict.word == gate::verdict::slower))
      out.push_back(&step.at);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto* a, const auto* b) { return a->over->ratio() > b->over->ratio(); });
  return out;
}

std::vector<std::string> missing_labels(const ladder_result& of) {
  std::vector<std::string> out;
  for (const ladder_step_result& step : of.steps) {
    if (!step.at.found) out.push_back(fmt::format("“{}”", step.at.label));
    if (step.control && !step.control->found)
      out.push_back(fmt::format("“{}” beside “{}”", step.control->label, step.at.label));
  }
  return out;
}

}  // namespace

std::vector<std::string> ladder_sentences(const ladder_result& of) {
  std::vector<std::string> out;
  if (of.whole) {
    const auto label_of = [&](const measured_case* c) {
      return std::find_if(of.steps.begin(), of.steps.end(),
                          [&](const ladder_step_result& step) { return step.at.found == c; })
          ->at.label;
    };
    out.push_back(fmt::format("From **{}** to **{}**: {} µs to {} µs, {}, {}.", label_of(of.whole->from),
                              label_of(of.whole->to), significant(of.whole->from->time.median_us),
                              significant(of.whole->to->time.median_us), ratio_text(*of.whole),
                              gate::name_of(of.whole->verdict.word)));
  }
  const std::vector<const ladder_case_result*> gains = by_gain(of);
  if (!gains.empty()) {
    std::string sentence;
    if (const ladder_case_result& most = *gains.front(); most.over->ratio() > 1)
      sentence = fmt::format("The step that gains most is **{}**, {:.2f}×", most.label, most.over->ratio());
    if (const ladder_case_result& least = *gains.back(); least.over->ratio() < 1)
      sentence +=
          fmt::format("{}that costs most is **{}**, {:.2f}×", sentence.empty() ? "The step " : "; the one ",
                      least.label, least.over->ratio());
    out.push_back(sentence + ".");
  }
  if (const std::vector<std::string> missing = missing_labels(of); !missing.empty())
    out.push_back(fmt::format("Not measured: {}.", fmt::join(missing, ", ")));
  return out;
}

table ladder_table(const ladder_result& of) {
  table out{{"no.", "step", "change", "median µs", "times faster than before"}, 3, {}};
  for (const std::string& name : of.asked.figures) out.header.push_back(name);
  out.header.insert(out.header.end(), {"declared bytes", "DRAM bytes", "FLOPs"});
  for (std::size_t i = 0; i < of.steps.size(); ++i) {
    const ladder_step_result& step = of.steps[i];
    out.lines.push_back(line_of(of, step.at, std::to_string(i), step.skips));
    if (step.control) out.lines.push_back(line_of(of, *step.control, fmt::format("{} control", i), false));
  }
  erase_empty_columns(out, 5);
  return out;
}

std::string about_ladder(const ladder_result& of) {
  std::string out =
      "Each step changes one thing and is compared with the step before, above 1 is faster; a control is "
      "compared with its step. The interval is the widest that the two medians' intervals allow, or covers "
      "the launches and GPUs if there are several.";
  if (std::any_of(of.steps.begin(), of.steps.end(),
                  [](const ladder_step_result& step) { return step.skips; }))
    out += " * over the last step that was measured: several changes at once.";
  const std::vector<const ladder_case_result*> cases = of.cases();
  if (std::any_of(cases.begin(), cases.end(),
                  [](const ladder_case_result* c) { return c->over && c->over->in_cycles(); }))
    out += fmt::format(" {}.", about_clock_sign);
  if (!of.is_of_one_clock)
    out += " Times by events and by the host clock are neither compared nor drawn in one picture.";
  return out;
}

}  // namespace ablate::reports

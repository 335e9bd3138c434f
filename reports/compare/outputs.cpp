#include "reports/compare/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/or_null.h"
#include "base/text/short_ids.h"
#include "base/text/text.h"
#include "reports/compare/sides.h"

namespace ablate::compare {
namespace {

using gate::verdict;
using nlohmann::ordered_json;
using reports::ratio_or_null;
using reports::significant;
using reports::text_or_null;

constexpr verdict words[] = {verdict::slower, verdict::faster, verdict::same, verdict::inconclusive,
                             verdict::invalid};

std::string how_judged(const record_comparison& made) {
  return made.one_launch ? "One launch a side: the ratio is the Hodges-Lehmann estimate over the samples of "
                           "both, and its interval covers only the noise within a launch. Launches of one "
                           "binary differ by more, so small effects stay INCONCLUSIVE."
                         : fmt::format(
                               "{} and {} launches: the ratio is the Hodges-Lehmann estimate over the "
                               "medians of launches, and its interval is that of the Mann-Whitney test.",
                               made.baseline.size(), made.candidate.size());
}

std::string ratio_text(double log_ratio) {
  return std::isfinite(log_ratio) ? fmt::format("{:.4f}", std::exp(log_ratio)) : "?";
}

std::string interval_text(const gate::shift& ratio) {
  return fmt::format("{} to {}", ratio_text(ratio.low), ratio_text(ratio.high));
}

std::string change_text(const compared_case& c) {
  return fmt::format("{:+.2f} %", gate::percent_of_log(c.decision.ratio.estimate));
}

std::string delta_text(const compared_case& c) { return fmt::format("{:g} %", c.decision.limit.delta_pct); }

std::string name_text(const compared_case& c) {
  return (c.decision.name == c.candidate_name ? c.decision.name
                                              : c.decision.name + " and " + c.candidate_name) +
         c.input_mark;
}

std::string remark_text(const compared_case& c) {
  if (!c.decision.is_control) return c.decision.reason;
  return c.decision.reason.empty() ? "control" : "control; " + c.decision.reason;
}

std::size_t count(const record_comparison& made, verdict word) {
  return static_cast<std::size_t>(std::count_if(made.cases.begin(), made.cases.end(),
                                                [&](const auto& c) { return c.decision.word == word; }));
}

std::string counts_text(const record_comparison& made) {
  std::string out = fmt::format("{} cases: ", made.cases.size());
  for (verdict word : words)
    out += fmt::format("{}{} {}", word == words[0] ? "" : ", ", count(made, word), gate::name_of(word));
  if (const std::size_t missing = gate::missing_cases(made.unmatched))
    out += fmt::format("; {} missing", missing);
  if (const std::size_t others = made.unmatched.size() - gate::missing_cases(made.unmatched))
    out += fmt::format("; {} new or not applicable", others);
  if (made.wrong > 0) out += fmt::format("; {} wrong", made.wrong);
  if (made.failed > 0) out += fmt::format("; {} failed", made.failed);
  return out;
}

std::string markdown_table(const record_comparison& made, bool same) {
  std::string out = reports::table_header(
      {"case", "verdict", "remark", "baseline, us", "candidate, us", "ratio", "interval", "change", "delta"},
      3);
  for (const compared_case& c : made.cases)
    if ((c.decision.word == verdict::same) == same)
      out += reports::table_row({name_text(c), std::string(gate::name_of(c.decision.word)), remark_text(c),
                                 significant(c.decision.baseline_us), significant(c.decision.candidate_us),
                                 ratio_text(c.decision.ratio.estimate), interval_text(c.decision.ratio),
                                 change_text(c), delta_text(c)});
  return out;
}

// More are counted, unless all are wanted: effects that single launches cannot tell, and of what was not
// compared those of one kind and reason.
constexpr std::size_t max_doubtful = 5, max_of_a_kind = 3;

/// Those that a terminal shows.
std::vector<const compared_case*> shown_cases(const record_comparison& made, bool all) {
  std::vector<const compared_case*> out, doubtful;
  for (const compared_case& c : made.cases)
    if (!all && c.decision.word == verdict::inconclusive) doubtful.push_back(&c);
  std::stable_sort(doubtful.begin(), doubtful.end(), [](const auto* a, const auto* b) {
    return std::abs(a->decision.ratio.estimate) > std::abs(b->decision.ratio.estimate);
  });
  if (doubtful.size() > max_doubtful) doubtful.resize(max_doubtful);
  for (const compared_case& c : made.cases) {
    const bool is_doubtful = c.decision.word == verdict::inconclusive;
    const bool is_chosen = std::find(doubtful.begin(), doubtful.end(), &c) != doubtful.end();
    if (all || (is_doubtful ? is_chosen : c.decision.word != verdict::same)) out.push_back(&c);
  }
  return out;
}

/// What was not compared, by kind and reason, in the order of the first of each.
std::vector<std::vector<const gate::unmatched_case*>> unmatched_groups(const record_comparison& made) {
  std::vector<std::vector<const gate::unmatched_case*>> out;
  for (const gate::unmatched_case& c : made.unmatched) {
    const auto like = std::find_if(out.begin(), out.end(), [&](const auto& group) {
      return group.front()->kind == c.kind && group.front()->reason == c.reason;
    });
    (like == out.end() ? out.emplace_back() : *like).push_back(&c);
  }
  return out;
}

std::string unmatched_text(const record_comparison& made, bool all, const reports::short_ids& ids,
                           const reports::terminal& on) {
  std::string out;
  for (const auto& group : unmatched_groups(made)) {
    const auto kind = gate::name_of(group.front()->kind);
    const std::size_t shown = all ? group.size() : std::min(group.size(), max_of_a_kind);
    for (std::size_t i = 0; i < shown; ++i)
      out += reports::wrapped(fmt::format("{}: {}: {}", kind, ids.of(group[i]->name), group[i]->reason), on,
                              "  ");
    if (shown < group.size())
      out += fmt::format("{}: {} more, for the same reason; --all lists them\n", kind, group.size() - shown);
  }
  return out.empty() ? out : out + "\n";
}

/// Of all ids that the text names.
reports::short_ids ids_shown(const record_comparison& made, const std::vector<const compared_case*>& cases,
                             bool all) {
  std::vector<std::string> ids;
  for (const compared_case* c : cases) {
    ids.push_back(c->decision.name);
    ids.push_back(c->candidate_name);
  }
  for (const auto& group : unmatched_groups(made))
    for (std::size_t i = 0; i < (all ? group.size() : std::min(group.size(), max_of_a_kind)); ++i)
      ids.push_back(group[i]->name);
  return reports::shortened(ids);
}

reports::ink ink_of(verdict word) {
  switch (word) {
    case verdict::slower:
    case verdict::invalid:
      return reports::ink::bad;
    case verdict::faster:
      return reports::ink::good;
    case verdict::inconclusive:
      return reports::ink::doubtful;
    case verdict::same:
      break;
  }
  return reports::ink::plain;
}

ordered_json case_json(const compared_case& c) {
  const gate::case_decision& d = c.decision;
  return {{"name", d.name},
          {"candidate_name", c.candidate_name},
          {"control", d.is_control},
          {"verdict", gate::name_of(d.word)},
          {"reason", text_or_null(d.reason)},
          {"baseline_us", d.baseline_us},
          {"candidate_us", d.candidate_us},
          {"ratio", std::exp(d.ratio.estimate)},
          {"ratio_low", ratio_or_null(d.ratio.low)},
          {"ratio_high", ratio_or_null(d.ratio.high)},
          {"delta_pct", d.limit.delta_pct},
          {"baseline_values", c.baseline_values},
          {"candidate_values", c.candidate_values}};
}

}  // namespace

std::string comparison_text(const record_comparison& made, bool all, const reports::terminal& on) {
  std::string out =
      fmt::format("baseline   {}\ncandidate  {}\n\n", side_text(made.baseline), side_text(made.candidate));
  const std::vector<const compared_case*> cases = shown_cases(made, all);
  const reports::short_ids ids = ids_shown(made, cases, all);
  std::vector<std::vector<reports::terminal_cell>> rows(1);
  for (const char* heading :
       {"VERDICT", "CHANGE", "RATIO", "INTERVAL", "BASELINE us", "CANDIDATE us", "DELTA", "CASE"})
    rows.front().push_back({heading, reports::ink::faint});
  for (const compared_case* c : cases) {
    const gate::case_decision& d = c->decision;
    const std::string remark = remark_text(*c);
    const std::string name =
        d.name == c->candidate_name ? ids.of(d.name) : ids.of(d.name) + " and " + ids.of(c->candidate_name);
    rows.push_back({{std::string(gate::name_of(d.word)), ink_of(d.word)},
                    {change_text(*c)},
                    {ratio_text(d.ratio.estimate)},
                    {interval_text(d.ratio)},
                    {significant(d.baseline_us)},
                    {significant(d.candidate_us)},
                    {delta_text(*c)},
                    {name + c->input_mark + (remark.empty() ? "" : " (" + remark + ")")}});
  }
  if (rows.size() > 1) out += reports::laid_out(rows, {.right = {1, 4, 5, 6}, .wrap = {7}}, on);
  if (const std::size_t doubtful = count(made, verdict::inconclusive); !all && doubtful > max_doubtful)
    out += fmt::format("{} more are INCONCLUSIVE, with smaller effects; --all lists them\n",
                       doubtful - max_doubtful);
  if (rows.size() > 1) out += "\n";
  out += unmatched_text(made, all, ids, on) + ids.shared_text();
  for (const std::string& note : made.notes) out += reports::wrapped(note, on);
  out += reports::wrapped(how_judged(made), on) + reports::wrapped(counts_text(made), on);
  if (made.invalid_run)
    out += reports::painted("INVALID", reports::ink::bad, on) + ": " + *made.invalid_run + "\n";
  else if (const auto why = why_open(made))
    out += reports::painted("INCONCLUSIVE", reports::ink::doubtful, on) + ": " + *why + "\n";
  return out;
}

std::string comparison_markdown(const record_comparison& made) {
  std::string out =
      fmt::format("# Comparison\n\n- baseline: {}\n- candidate: {}\n- policy: {}\n\n{}.\n\n",
                  side_text(made.baseline), side_text(made.candidate), made.policy, counts_text(made));
  if (made.invalid_run)
    out += fmt::format("**INVALID**: {}.\n\n", *made.invalid_run);
  else if (const auto why = why_open(made))
    out += fmt::format("**INCONCLUSIVE**: {}.\n\n", *why);
  out += how_judged(made) + "\n";
  for (const std::string& note : made.notes) out += "\n- " + note;
  if (!made.notes.empty()) out += "\n";
  const std::size_t same = count(made, verdict::same);
  if (same < made.cases.size()) out += "\n" + markdown_table(made, false);
  if (same > 0)
    out += fmt::format("\n<details><summary>{} cases are SAME</summary>\n\n{}\n</details>\n", same,
                       markdown_table(made, true));
  if (!made.unmatched.empty()) {
    out += "\n## Cases that were not compared\n\n" + reports::table_header({"case", "verdict", "why"}, 3);
    for (const gate::unmatched_case& c : made.unmatched)
      out += reports::table_row({c.name, std::string(gate::name_of(c.kind)), c.reason});
  }
  return out;
}

ordered_json comparison_json(const record_comparison& made, bool strict) {
  ordered_json out{{"comparison_schema", "2.1.0"},
                   {"policy", made.policy},
                   {"intervals", how_judged(made)},
                   {"one_launch", made.one_launch},
                   {"baseline", side_json(made.baseline)},
                   {"candidate", side_json(made.candidate)},
                   {"exit_code", exit_code_of(made, strict)},
                   {"invalid_run", reports::or_null(made.invalid_run)},
                   {"open", reports::or_null(why_open(made))},
                   {"counts", ordered_json::object()},
                   {"wrong", made.wrong},
                   {"failed", made.failed},
                   {"cases", ordered_json::array()},
                   {"unmatched", ordered_json::array()},
                   {"notes", made.notes}};
  for (verdict word : words) out["counts"][std::string(gate::name_of(word))] = count(made, word);
  for (const compared_case& c : made.cases) out["cases"].push_back(case_json(c));
  for (const gate::unmatched_case& c : made.unmatched)
    out["unmatched"].push_back({{"name", c.name}, {"verdict", gate::name_of(c.kind)}, {"reason", c.reason}});
  return out;
}

}  // namespace ablate::compare

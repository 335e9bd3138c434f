#include "reports/compare/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text/or_null.h"
#include "reports/text/text.h"

namespace ablate::compare {
namespace {

using gate::verdict;
using nlohmann::ordered_json;
using reports::ratio_or_null;
using reports::significant;
using reports::text_or_null;
using row = std::vector<std::string>;

constexpr verdict words[] = {verdict::slower, verdict::faster, verdict::same, verdict::inconclusive,
                             verdict::invalid};

std::string how_judged(const record_comparison& made) {
  return made.one_launch ? "One launch a side: the ratio is the Hodges-Lehmann estimate over the samples of "
                           "both, and its interval knows the noise within a launch only. Launches of one "
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
  return c.decision.name == c.candidate_name ? c.decision.name : c.decision.name + " and " + c.candidate_name;
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

std::string side_text(const std::vector<record>& side) {
  std::string out;
  for (const record& r : side)
    out += fmt::format("{}{} ({}, {}, sources {:.12})", out.empty() ? "" : "; ", r.path.string(),
                       r.device_name, r.date, r.build.value("source_hash", std::string("unknown")));
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

/// One line for each missing case; of the others, hundreds with a record of another suite, only the first
/// few.
std::string unmatched_text(const record_comparison& made, bool all) {
  constexpr std::size_t few = 10;
  const std::size_t count = made.unmatched.size(), missing = gate::missing_cases(made.unmatched);
  const std::size_t shown = all ? count : std::min(count, missing + few);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {  // missing ones come first
    const gate::unmatched_case& c = made.unmatched[i];
    out += fmt::format("{}: {}: {}\n", gate::name_of(c.kind), c.name, c.reason);
  }
  if (shown < count) out += fmt::format("{} more that were not compared; --all lists them\n", count - shown);
  return out.empty() ? out : out + "\n";
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

ordered_json side_json(const std::vector<record>& side) {
  ordered_json out = ordered_json::array();
  for (const record& r : side)
    out.push_back({{"path", r.path.string()},
                   {"date", r.date},
                   {"suite", r.suite_name},
                   {"device", r.device_name},
                   {"uuid", r.device.value("uuid", ordered_json())},
                   {"seed", r.seed},
                   {"commit", text_or_null(r.build.value("commit", std::string()))},
                   {"source_hash", text_or_null(r.build.value("source_hash", std::string()))}});
  return out;
}

}  // namespace

std::string comparison_text(const record_comparison& made, bool all) {
  std::string out =
      fmt::format("baseline   {}\ncandidate  {}\n\n", side_text(made.baseline), side_text(made.candidate));
  std::vector<row> rows = {
      {"VERDICT", "CHANGE", "RATIO", "INTERVAL", "BASELINE us", "CANDIDATE us", "DELTA", "CASE"}};
  for (const compared_case& c : made.cases) {
    if (c.decision.word == verdict::same && !all) continue;
    const std::string remark = remark_text(c);
    rows.push_back({std::string(gate::name_of(c.decision.word)), change_text(c),
                    ratio_text(c.decision.ratio.estimate), interval_text(c.decision.ratio),
                    significant(c.decision.baseline_us), significant(c.decision.candidate_us), delta_text(c),
                    name_text(c) + (remark.empty() ? "" : " (" + remark + ")")});
  }
  if (rows.size() > 1) out += reports::columns(rows) + "\n";
  out += unmatched_text(made, all);
  for (const std::string& note : made.notes) out += note + "\n";
  out += how_judged(made) + "\n" + counts_text(made) + "\n";
  if (made.invalid_run) out += "INVALID: " + *made.invalid_run + "\n";
  return out;
}

std::string comparison_markdown(const record_comparison& made) {
  std::string out =
      fmt::format("# Comparison\n\n- baseline: {}\n- candidate: {}\n- policy: {}\n\n{}.\n\n",
                  side_text(made.baseline), side_text(made.candidate), made.policy, counts_text(made));
  if (made.invalid_run) out += fmt::format("**INVALID**: {}.\n\n", *made.invalid_run);
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
  ordered_json out{{"comparison_schema", "2.0.0"},
                   {"policy", made.policy},
                   {"intervals", how_judged(made)},
                   {"one_launch", made.one_launch},
                   {"baseline", side_json(made.baseline)},
                   {"candidate", side_json(made.candidate)},
                   {"exit_code", exit_code_of(made, strict)},
                   {"invalid_run", reports::or_null(made.invalid_run)},
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

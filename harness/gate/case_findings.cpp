#include "harness/gate/case_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/shell.h"
#include "base/text/text.h"

namespace ablate::gate {
namespace {

std::string pct_text(double log_ratio) {
  return std::isfinite(log_ratio) ? fmt::format("{:+.2f} %", percent_of_log(log_ratio)) : "?";
}

std::string message_of(const case_decision& d, const gate_policy& policy) {
  if (d.pairs == 0) return fmt::format("{}: {}", d.name, d.reason);
  std::string out = fmt::format("{}: {} ({} at {:g} % confidence), delta {:.3g} %, {} pairs", d.name,
                                change_text(d), interval_text(d.ratio),
                                100 * policy.confirm.interval_confidence, d.limit.delta_pct, d.pairs);
  if (d.p) out += fmt::format(", p {:.2g}", *d.p);
  if (!d.reason.empty()) out += "; " + d.reason;
  return out;
}

}  // namespace

std::string command_for(const std::string& name, const gate_request& request, const gate_command& command) {
  std::string pattern;  // ids contain no other regex metacharacters
  for (const char c : name) {
    if (c == '.' || c == '+') pattern += '\\';
    pattern += c;
  }
  return fmt::format("{} --filter '^{}$' --out {}", command.text, pattern,
                     reports::shell_word((request.out / "again").string()));
}

std::string change_text(const case_decision& d) { return d.pairs == 0 ? "?" : pct_text(d.ratio.estimate); }

std::string interval_text(const shift& s) { return pct_text(s.low) + " to " + pct_text(s.high); }

std::string us_text(double us) { return us > 0 ? reports::significant(us) + " us" : ""; }

weight weight_of_doubt(const gate_command& command) {
  return command.strict ? weight::failed : weight::inconclusive;
}

finding finding_of(const case_decision& d, const gate_request& request, const gate_command& command,
                   bool run_is_invalid) {
  finding f;
  f.subject = d.name;
  f.place = d.is_control ? "control" : "";
  f.quantity = "time";
  f.baseline = us_text(d.baseline_us);
  f.candidate = us_text(d.candidate_us);
  f.verdict = name_of(d.word);
  f.message = message_of(d, request.policy);
  f.weighs = weight::noted;
  if (d.limit.too_noisy) {
    f.verdict = "TOO_NOISY";
  } else if (d.is_control) {
    if (d.word == verdict::same) f.weighs = weight::passed;
  } else if (const accepted_change* accepted = acceptance(request, d)) {
    f.verdict = "ACCEPTED";
    f.message += ", accepted: " + accepted->reason;
  } else if (d.word == verdict::slower || d.is_suspect()) {
    f.weighs = run_is_invalid ? weight::inconclusive : weight::failed;
  } else if (d.word == verdict::invalid) {
    f.weighs = weight::failed;
  } else if (d.word == verdict::inconclusive) {
    f.weighs = weight_of_doubt(command);
  } else if (d.word == verdict::same) {
    f.weighs = weight::passed;
  }
  if (f.weighs == weight::failed || f.weighs == weight::inconclusive)
    f.command = command_for(d.name, request, command);
  return f;
}

finding finding_of(const counter_change& c, const gate_request& request, const gate_command& command) {
  finding f;
  f.subject = c.name;
  f.quantity = c.counter;
  f.baseline = fmt::format("{:.0f}", c.baseline);
  f.candidate = fmt::format("{:.0f}", c.candidate);
  f.verdict = c.is_worse ? "WORSE" : "BETTER";
  f.message = fmt::format("{}: {} went from {} to {} ({:+.2f} %, {:.2g} % are within tolerance)", c.name,
                          c.counter, f.baseline, f.candidate, c.change_pct, c.tolerance_pct);
  if (!c.is_worse) return f;
  if (const auto* accepted = acceptance(request, c.name, c.counter, c.change_pct)) {
    f.verdict = "ACCEPTED";
    f.message += ", accepted: " + accepted->reason;
    return f;
  }
  f.weighs = weight::failed;
  f.command = command_for(c.name, request, command);
  return f;
}

finding plain_finding(const std::string& subject, const std::string& verdict, weight w,
                      const std::string& why, const std::string& command) {
  finding f;
  f.subject = subject;
  f.verdict = verdict;
  f.weighs = w;
  f.message = subject + ": " + why;
  f.command = command;
  return f;
}

std::vector<case_decision> by_effect(const gate_decision& decision) {
  std::vector<case_decision> out = decision.cases;
  std::stable_sort(out.begin(), out.end(), [](const case_decision& a, const case_decision& b) {
    return a.ratio.estimate > b.ratio.estimate;
  });
  return out;
}

std::string remark_of(const case_decision& d) {
  std::string out = d.is_control ? "control" : "";
  if (!d.reason.empty()) out += (out.empty() ? "" : "; ") + d.reason;
  return out;
}

}  // namespace ablate::gate

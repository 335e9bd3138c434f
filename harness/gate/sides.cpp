#include "harness/gate/sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "base/record/facts.h"
#include "base/record/selection.h"
#include "base/text/bad_input.h"
#include "harness/gate/same_request.h"
#include "harness/timing/stopwatch.h"
#include "reports/compare/agreement.h"

namespace ablate::gate {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path, const char* option) {
  std::error_code error;
  if (fs::is_directory(path, error)) return true;
  if (!fs::exists(path, error))
    throw bad_input(option, "",
                    "there is no '" + path.string() + "'; expected a program or a folder of records");
  return false;
}

/// Removes an earlier gate's launches and nothing else in the folder.
void remove_launches(const fs::path& folder) {
  static const std::regex label("[0-9]{4,}-[a-z]+");
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (std::regex_match(entry.path().filename().string(), label)) old.push_back(entry.path());
  for (const fs::path& path : old) fs::remove_all(path, error);
}

/// The words of `run` that slow launches down.
std::vector<std::string> delay_words(const gate_request& request) {
  std::vector<std::string> words;
  if (!request.inject_delay.empty()) words = {"--inject-delay", request.inject_delay};
  if (!request.inject_into.empty()) words.insert(words.end(), {"--inject-into", request.inject_into});
  return words;
}

std::unique_ptr<launch_source> source_of(const fs::path& path, bool recorded, const std::string& side,
                                         const gate_request& request, bool is_candidate) {
  if (recorded) return launches_in_folder(path);
  launch_options options;
  options.suite = request.suite;
  options.out = request.out / side;
  options.samples = request.policy.launch.samples;
  options.ceilings = request.policy.whole_run.controls;
  if (request.counters) options.counters = counter_groups_of(request.policy);
  options.filter = request.filter;
  options.device = request.device;
  options.seed = request.seed;
  options.data = request.data;
  options.resume = request.resume;
  if (is_candidate) options.launch_words = delay_words(request);
  if (!request.resume) remove_launches(options.out);
  return launches_of_program(path, std::move(options));
}

bool is_checked(const record& r) {
  return std::all_of(r.cases.begin(), r.cases.end(),
                     [](const measured_case& c) { return c.check.is_made(); });
}

/// Returns whether outputs were compared, by a check or in the launch that replaces one.
bool add_check(launch_source& from, const char* label, const std::vector<std::string>& only,
               std::vector<record>& to) {
  std::optional<record> made = from.check(label, only);
  if (!made && to.empty()) made = from.any();
  if (!made) return false;
  to.push_back(std::move(*made));
  return is_checked(to.back());
}

/// The cases that the gate judges: no calibrations other than controls, nothing that the filter excludes.
class gated_cases {
 public:
  gated_cases(const gate_request& request, const two_sides& sides)
      : controls_(request.policy.whole_run.controls) {
    std::vector<case_words> all;
    for (const std::vector<record>* side : {&sides.baseline_checks, &sides.candidate_checks})
      for (const record& made : *side)
        for (case_words& c : all_case_words(made)) all.push_back(std::move(c));
    const case_filter filter(request.filter, all, "--filter");
    for (const case_words& c : all)
      if (filter.holds(c)) names_.insert(c.id);
    if (!request.changed) return;
    const std::vector<std::string> timed = request.changed->to_time();
    std::erase_if(names_, [&](const std::string& name) {
      return std::find(timed.begin(), timed.end(), name) == timed.end();
    });
  }
  bool has(const measured_case& c) const {
    return c.ceiling ? std::find(controls_.begin(), controls_.end(), *c.ceiling) != controls_.end()
                     : has(c.name);
  }
  bool has(const std::string& name) const { return names_.contains(name); }

 private:
  const std::vector<std::string>& controls_;
  std::set<std::string> names_;
};

std::string why_incomparable(const measured_case& a, const measured_case& b) {
  if (reports::input_hash(a) != reports::input_hash(b)) return "the builds make different inputs of it";
  if (a.time.method != b.time.method) return "it is timed by " + a.time.method + " and by " + b.time.method;
  return "";
}

/// Adds the policy's controls that neither side measured. The host has no calibrations.
void add_missing_controls(const two_sides& sides, const gate_policy& policy,
                          std::vector<unmatched_case>& to) {
  if (!sides.first().on_gpu) return;
  for (const std::string& control : policy.whole_run.controls) {
    const auto measures_it = [&](const measured_case& c) { return c.ceiling == control; };
    const auto has_it = [&](const record& r) {
      return std::any_of(r.cases.begin(), r.cases.end(), measures_it);
    };
    if (!has_it(sides.first()) && !has_it(sides.candidate_checks.front()))
      to.push_back({"control " + control, mismatch::unmeasured,
                    "the policy has this control, and neither side measured it", true});
  }
}

/// Both sides must use the same suite; recorded launches must also match the request's suite and have been
/// made with the same options.
void expect_one_request(const two_sides& sides, const gate_request& request) {
  const record &a = sides.first(), &b = sides.candidate_checks.front();
  expect_same_suite(a, b);
  if (!sides.are_recorded()) return;
  if (a.suite_hash != request.suite_hash)
    throw bad_input(request.suite.string(), "",
                    fmt::format("expected the suite {} of hash {} as in {}, found one of hash {}",
                                a.suite_name, a.suite_hash, a.path.string(), request.suite_hash));
  const record launch_a = *sides.baseline->any(), launch_b = *sides.candidate->any();
  expect_same_options(launch_a, launch_b);
  const bool are_checks = a.path != launch_a.path && b.path != launch_b.path;
  if (are_checks) expect_same_options(a, b);
}

}  // namespace

two_sides open_sides(const gate_request& request) {
  const bool recorded = is_folder(request.baseline, "--baseline");
  if (recorded != is_folder(request.candidate, "--candidate"))
    throw bad_input("--candidate", "",
                    "expected two programs or two folders of records: launches of "
                    "different hours make no pairs");
  two_sides out;
  if (!recorded) out.lock = std::make_unique<folder_lock>(request.out);
  out.baseline = source_of(request.baseline, recorded, "baseline", request, false);
  out.candidate = source_of(request.candidate, recorded, "candidate", request, true);
  const stopwatch watch;
  const std::vector<std::string> only =
      request.changed ? request.changed->to_time() : std::vector<std::string>();
  add_check(*out.baseline, "0000-check", only, out.baseline_checks);
  out.is_checked = add_check(*out.candidate, "0000-check", only, out.candidate_checks);
  out.check_seconds = watch.seconds();

  const std::set<compare::agreement> none;
  compare::disagreements found(none);
  compare::compare_contexts(out.first(), out.candidate_checks.front(), found);
  found.refuse(out.candidate_checks.front().path.string());
  expect_one_request(out, request);
  return out;
}

further_build open_further(const two_sides& sides, const gate_request& request, const fs::path& build,
                           const std::string& folder) {
  const bool recorded = is_folder(build, "calibrate");
  if (recorded != sides.are_recorded())
    throw bad_input("calibrate", "",
                    fmt::format("expected only programs or only folders of records, found '{}' beside '{}'",
                                build.string(), request.baseline.string()));
  further_build out{source_of(build, recorded, folder, request, false), {}};
  add_check(*out.launches, "0000-check", {}, out.checks);
  const std::set<compare::agreement> none;
  compare::disagreements found(none);
  compare::compare_contexts(sides.first(), out.checks.front(), found);
  found.refuse(out.checks.front().path.string());
  expect_same_suite(sides.first(), out.checks.front());
  if (recorded) expect_same_options(*sides.baseline->any(), *out.launches->any());
  return out;
}

void check_again(two_sides& sides, const std::vector<std::string>& cases, bool baseline_too,
                 std::vector<unmatched_case>& unmatched) {
  const std::size_t before = sides.candidate_checks.size();
  add_check(*sides.candidate, "9999-check", cases, sides.candidate_checks);
  if (baseline_too) add_check(*sides.baseline, "9999-check", cases, sides.baseline_checks);
  const std::vector<record> made(sides.candidate_checks.begin() + static_cast<std::ptrdiff_t>(before),
                                 sides.candidate_checks.end());
  if (made.empty()) return;
  const measured_side last(made);
  for (const std::string& name : cases)
    if (!last.measured(name))
      unmatched.push_back({name, mismatch::gone, "the candidate's last check: " + last.why_not_text(name)});
  sort_by_kind(unmatched);
}

bool read_again(two_sides& sides, const std::vector<std::string>& cases, int round) {
  const std::string label = fmt::format("9999{}-check", round);
  const std::size_t before = sides.baseline_checks.size() + sides.candidate_checks.size();
  add_check(*sides.candidate, label.c_str(), cases, sides.candidate_checks);
  add_check(*sides.baseline, label.c_str(), cases, sides.baseline_checks);
  return sides.baseline_checks.size() + sides.candidate_checks.size() > before;
}

std::vector<gated_case> matched_cases(const two_sides& sides, const gate_request& request,
                                      std::vector<unmatched_case>& unmatched) {
  const record &a = sides.first(), &b = sides.candidate_checks.front();
  std::vector<gated_case> cases, controls;
  const gated_cases gated(request, sides);
  const std::vector<std::string> unaffected =
      request.changed ? request.changed->controls() : std::vector<std::string>();
  const auto is_control = [&](const measured_case& c) {
    return c.ceiling || std::find(unaffected.begin(), unaffected.end(), c.name) != unaffected.end();
  };
  for (const measured_case& c : a.cases) {
    const measured_case* other = gated.has(c) ? find_case(b, c.name) : nullptr;
    if (!other) continue;
    if (const std::string why = why_incomparable(c, *other); !why.empty())
      unmatched.push_back({c.name, mismatch::different, why});
    else
      (is_control(c) ? controls : cases).push_back({c.name, std::nullopt, is_control(c)});
  }
  for (unmatched_case& c :
       unmatched_cases(measured_side(sides.baseline_checks), measured_side(sides.candidate_checks))) {
    const measured_case* measured = find_case(a, c.name);
    if (!measured) measured = find_case(b, c.name);
    if (measured ? gated.has(*measured) : gated.has(c.name)) unmatched.push_back(std::move(c));
  }
  add_missing_controls(sides, request.policy, unmatched);
  sort_by_kind(unmatched);
  cases.insert(cases.end(), controls.begin(), controls.end());
  return cases;
}

nlohmann::ordered_json identity_of(const two_sides& sides, const gate_request& request) {
  const auto sources = [](const record& r) { return r.build.sources(); };
  const record &a = sides.first(), &b = sides.candidate_checks.front();
  return {{"baseline", {request.baseline.string(), sources(a)}},
          {"candidate", {request.candidate.string(), sources(b)}},
          {"suite", a.suite_hash},
          {"policy", request.policy_hash},
          {"seed", a.seed},
          {"device", a.device},
          {"filter", request.filter},
          {"changed",
           request.changed ? nlohmann::ordered_json(request.changed->to_time()) : nlohmann::ordered_json()},
          {"data", request.data},
          {"inject_delay", request.inject_delay},
          {"inject_into", request.inject_into}};
}

}  // namespace ablate::gate

#include "reports/gate/unmatched.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace ablate::gate {
namespace {

std::string sides_text(const measured_side& baseline, const measured_side& candidate,
                       const std::string& name) {
  const std::string a = baseline.why_not_text(name), b = candidate.why_not_text(name);
  return a == b ? "neither side measured it: " + a
                : fmt::format("neither side measured it: the baseline: {}; the candidate: {}", a, b);
}

/// A side that measured the case in only some of its launches.
std::optional<std::string> partly_measured(const measured_side& side, const char* which,
                                           const std::string& name) {
  const std::size_t with = side.launches_with(name);
  if (with >= side.launches()) return std::nullopt;
  return fmt::format("{} of {} launches of the {} measured it: {}", with, side.launches(), which,
                     side.why_not_text(name));
}

std::optional<unmatched_case> unmatched(const measured_side& baseline, const measured_side& candidate,
                                        const std::string& name) {
  const bool in_a = baseline.measured(name), in_b = candidate.measured(name);
  if (in_a && in_b) {
    if (auto why = partly_measured(candidate, "candidate", name))
      return unmatched_case{name, mismatch::gone, *why};
    if (auto why = partly_measured(baseline, "baseline", name))
      return unmatched_case{name, mismatch::unmeasured, *why};
    return std::nullopt;
  }
  const bool applies_to_a = !baseline.is_not_applicable(name),
             applies_to_b = !candidate.is_not_applicable(name);
  if (in_a || (baseline.knows(name) && !candidate.knows(name)))
    return unmatched_case{name, mismatch::gone, "the candidate: " + candidate.why_not_text(name)};
  if (in_b && (!baseline.knows(name) || !applies_to_a))
    return unmatched_case{name, mismatch::added, "the baseline: " + baseline.why_not_text(name)};
  if (in_b) return unmatched_case{name, mismatch::unmeasured, "the baseline: " + baseline.why_not_text(name)};
  const bool applies = (baseline.knows(name) && applies_to_a) || applies_to_b;
  return unmatched_case{name, applies ? mismatch::unmeasured : mismatch::not_applicable,
                        sides_text(baseline, candidate, name)};
}

}  // namespace

std::string_view name_of(mismatch kind) {
  switch (kind) {
    case mismatch::gone:
      return "GONE";
    case mismatch::different:
      return "DIFFERENT";
    case mismatch::unmeasured:
      return "UNMEASURED";
    case mismatch::added:
      return "NEW";
    case mismatch::not_applicable:
      break;
  }
  return "NOT_APPLICABLE";
}

measured_side::measured_side(const std::vector<record>& launches) : launches_(launches.size()) {
  for (const record& r : launches) {
    for (const measured_case& c : r.cases) ++measured_[c.name];
    for (const unmeasured_case& c : r.unmeasured) unmeasured_.emplace(c.name, &c);
  }
}

std::size_t measured_side::launches_with(const std::string& name) const {
  const auto found = measured_.find(name);
  return found == measured_.end() ? 0 : found->second;
}

const unmeasured_case* measured_side::why_not(const std::string& name) const {
  const auto found = unmeasured_.find(name);
  return found == unmeasured_.end() ? nullptr : found->second;
}

std::string measured_side::why_not_text(const std::string& name) const {
  const unmeasured_case* why = why_not(name);
  return why ? fmt::format("{}: {}", why->status, why->reason) : "no such case";
}

bool measured_side::is_not_applicable(const std::string& name) const {
  const unmeasured_case* why = why_not(name);
  return why && why->status == "not_applicable";
}

std::vector<std::string> measured_side::names() const {
  std::set<std::string> all;
  for (const auto& [name, count] : measured_) all.insert(name);
  for (const auto& [name, why] : unmeasured_) all.insert(name);
  return {all.begin(), all.end()};
}

std::vector<unmatched_case> unmatched_cases(const measured_side& baseline, const measured_side& candidate) {
  std::set<std::string> names;
  for (const measured_side* side : {&baseline, &candidate})
    for (std::string& name : side->names()) names.insert(std::move(name));
  std::vector<unmatched_case> out;
  for (const std::string& name : names)
    if (auto made = unmatched(baseline, candidate, name)) out.push_back(std::move(*made));
  sort_by_kind(out);
  return out;
}

void sort_by_kind(std::vector<unmatched_case>& cases) {
  std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
}

bool is_failure(std::string_view status) {
  return status == "failed" || status == "out_of_memory" || status == "timeout" || status == "interrupted";
}

std::size_t missing_cases(const std::vector<unmatched_case>& cases) {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [](const auto& c) { return c.is_missing(); }));
}

std::size_t gone_cases(const std::vector<unmatched_case>& cases) {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [](const auto& c) { return c.is_gone(); }));
}

std::size_t unjudged_cases(const std::vector<unmatched_case>& cases,
                           const std::vector<std::string>& decided) {
  std::set<std::string> names;
  for (const unmatched_case& c : cases)
    if (c.is_missing() && !c.is_control) names.insert(c.name);
  for (const std::string& name : decided) names.erase(name);
  return names.size();
}

}  // namespace ablate::gate

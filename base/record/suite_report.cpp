#include "base/record/suite_report.h"

#include <algorithm>

#include "base/text/json_place.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

/// Moves a member to another object, unless that has one of this name. False where nothing was moved.
bool move_member(ordered_json& from, const char* key, ordered_json& to) {
  const auto found = from.find(key);
  if (found == from.end() || !(to.is_null() || to.is_object()) || to.contains(key)) return false;
  ordered_json value = std::move(*found);
  from.erase(key);
  to[key] = std::move(value);
  return true;
}

}  // namespace

suite_report suite_report_of(const json_place& at) {
  suite_report out;
  if (const auto comparisons = at.find("comparisons")) out.comparisons = comparisons_of(*comparisons);
  if (const auto question = at.find("question")) out.question = question_of(*question);
  return out;
}

ordered_json suite_report_json(const suite_report& from) {
  ordered_json out = ordered_json::object();
  if (!from.comparisons.is_absent()) out["comparisons"] = comparisons_json(from.comparisons);
  if (from.question) out["question"] = question_json(*from.question);
  return out;
}

std::vector<bundle_join> joins_of(const suite_report& from) {
  std::vector<bundle_join> out;
  for (const comparison& of : from.comparisons) out.push_back({of.operations, of.across});
  if (!from.question) return out;
  for (const question_workloads& of : from.question->workloads) {
    bundle_join join{of.operations, {}};
    for (const question_family& family : from.question->families)
      for (const auto& [axis, values] : family.axes)
        if (std::find(join.across.begin(), join.across.end(), axis) == join.across.end())
          join.across.push_back(axis);
    if (join.operations.size() > 1 || !join.across.empty()) out.push_back(std::move(join));
  }
  if (const auto& ladder = from.question->ladder)
    if (std::vector<std::string> across = changed_axes(*ladder); !across.empty())
      out.push_back({{ladder->operation}, std::move(across)});
  return out;
}

std::vector<std::pair<std::string, std::string>> gather_report(ordered_json& suite) {
  std::vector<std::pair<std::string, std::string>> moved;
  if (!suite.is_object()) return moved;
  const auto known = suite.find("report");
  ordered_json report = known == suite.end() ? ordered_json() : *known;
  const auto take = [&](const char* key, ordered_json& to, const std::string& place) {
    if (move_member(suite, key, to)) moved.emplace_back(key, place + key);
  };
  for (const char* key : {"comparisons", "question"}) take(key, report, "report.");
  for (const char* key : {"ladder", "exhibits"}) {
    if (!suite.contains(key) || !(report.is_null() || report.is_object())) continue;
    ordered_json question =
        report.is_object() && report.contains("question") ? report["question"] : ordered_json();
    take(key, question, "report.question.");
    report["question"] = std::move(question);
  }
  if (!moved.empty()) suite["report"] = std::move(report);
  return moved;
}

}  // namespace ablate

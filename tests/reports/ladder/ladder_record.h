#pragma once

#include "tests/reports/question/asked_record.h"

namespace ablate::reports {

/// In rows of 1024 items, from `direct` by `merged` to columns; a step was not measured.
inline nlohmann::ordered_json made_ladder() {
  return {
      {"title", "From direct to columns"},
      {"operation", "scatter"},
      {"figures", {"launches"}},
      {"steps",
       {{{"label", "as published"}, {"variant", "direct"}, {"axes", {{"items", 1024}, {"layout", "rows"}}}},
        {{"label", "merging"},
         {"variant", "merged"},
         {"control", {{"label", "of more items"}, {"axes", {{"items", 4096}}}}}},
        {{"label", "sorted"}, {"variant", "sorted"}},
        {{"label", "in columns"}, {"axes", {{"layout", "columns"}}}},
        {{"label", "staged"}, {"variant", "staged"}}}}};
}

inline std::vector<asked_case> ladder_cases_of_record() {
  return {{"direct", {}, "rows", 1024, 400},   {"merged", {}, "rows", 1024, 200},
          {"merged", {}, "rows", 4096, 100},   {"sorted", {}, "columns", 1024, 250},
          {"staged", {}, "columns", 1024, 80}, {"direct", {}, "columns", 1024, 70}};
}

inline nlohmann::ordered_json ladder_record(const std::vector<asked_case>& cases = ladder_cases_of_record()) {
  nlohmann::ordered_json out = asked_record(cases, nullptr);
  out["context"]["ablate"]["suite"]["report"]["question"]["ladder"] = made_ladder();
  for (auto& entry : out["benchmarks"])
    if (entry["operation"] == "scatter") entry["quality"] = {{"launches", 7}};
  return out;
}

}  // namespace ablate::reports

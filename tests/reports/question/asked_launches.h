#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/reports/question/asked_record.h"

namespace ablate::reports {

/// The cases as another launch measured them: `merged`, the best without staging, took `factor` times as long
/// where the layout is rows and the items are 4096.
inline std::vector<asked_case> with_moved_baseline(double factor) {
  std::vector<asked_case> out = asked_cases();
  for (asked_case& c : out)
    if (c.variant == "merged" && c.items == 4096) c.us *= factor;
  return out;
}

inline nlohmann::ordered_json launch_of(const std::vector<asked_case>& cases, int number,
                                        const std::string& gpu = "") {
  nlohmann::ordered_json out = asked_record(cases, asked_question());
  out["context"]["date"] = fmt::format("2026-01-01T00:00:{:02}+00:00", number);
  if (!gpu.empty()) out["context"]["ablate"]["device"]["uuid"] = gpu;
  return out;
}

inline std::vector<std::filesystem::path> files_of_launches(
    const std::vector<nlohmann::ordered_json>& launches, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const nlohmann::ordered_json& made : launches) {
    out.push_back(folder / fmt::format("launch{}.json", out.size()));
    std::ofstream(out.back(), std::ios::binary) << made.dump();
  }
  return out;
}

}  // namespace ablate::reports

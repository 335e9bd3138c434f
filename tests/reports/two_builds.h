#pragma once

#include <vector>

#include "tests/reports/counted_record.h"

namespace ablate::reports {

struct made_builds {
  nlohmann::ordered_json before, after;
};

/// The record of counted_record.h and a later one of other sources whose `merged` takes 0.8 times as long.
inline made_builds made_two_builds(const std::filesystem::path& folder) {
  constexpr double factor = 0.8;
  made_builds out;
  out.before = nlohmann::ordered_json::parse(text_of(counted_record(folder)));
  out.after = out.before;
  out.after["context"]["date"] = "2026-02-03T00:00:00+00:00";
  out.after["context"]["ablate"]["build"]["commit"] = "fedcba9876543210";
  out.after["context"]["ablate"]["build"]["source_hash"] = std::string(64, 'a');
  for (nlohmann::ordered_json& entry : out.after["benchmarks"]) {
    if (entry["variant"] != "merged") continue;
    for (const char* key : {"median", "min", "ci95_low", "ci95_high"})
      entry["time_us"][key] = factor * entry["time_us"][key].get<double>();
    for (nlohmann::ordered_json& sample : entry["time_us"]["samples"]) sample = factor * sample.get<double>();
    for (const char* key : {"real_time", "cpu_time"}) entry[key] = factor * entry[key].get<double>();
  }
  return out;
}

inline std::vector<std::filesystem::path> files_of(const made_builds& made,
                                                   const std::filesystem::path& folder) {
  std::ofstream(folder / "before.json", std::ios::binary) << made.before.dump();
  std::ofstream(folder / "after.json", std::ios::binary) << made.after.dump();
  return {folder / "before.json", folder / "after.json"};
}

inline std::vector<std::filesystem::path> two_builds(const std::filesystem::path& folder) {
  return files_of(made_two_builds(folder), folder);
}

}  // namespace ablate::reports

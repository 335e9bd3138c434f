#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/reports/made_record.h"

namespace ablate::reports {

/// A case of the made operation with its median, for questions.
struct asked_case {
  std::string variant;
  std::vector<std::pair<std::string, std::string>> switches;
  std::string layout;
  long items;
  double us;
  std::string input = "00000000000000aa";
  std::string cache_state = "cold-clean";
};

inline nlohmann::ordered_json entry_of(const nlohmann::ordered_json& like, const asked_case& c) {
  nlohmann::ordered_json out = like;
  const std::string name =
      fmt::format("scatter/{}/items={}/layout={}/@{}", c.variant, c.items, c.layout, c.cache_state);
  for (const char* key : {"name", "run_name"}) out[key] = name;
  for (const char* key : {"real_time", "cpu_time"}) out[key] = c.us;
  out["variant"] = c.variant;
  out["cache_state"] = c.cache_state;
  out["switches"] = nlohmann::ordered_json::object();
  for (const auto& [switch_name, value] : c.switches) out["switches"][switch_name] = value;
  out["axes"] = {{"items", std::to_string(c.items)}, {"layout", c.layout}};
  out["input"]["hash"] = c.input;
  nlohmann::ordered_json& time = out["time_us"];
  time["method"] = "events";
  time["median"] = c.us;
  time["min"] = time["ci95_low"] = c.us * 0.99;
  time["ci95_high"] = c.us * 1.01;
  time["samples"] = {c.us, c.us, c.us};
  return out;
}

/// Does staging pay? Two variants with it, `staged` and `staged_wide`, and two without, `direct` and
/// `merged`, in two layouts; `street` is a recorded cloud.
inline std::vector<asked_case> asked_cases() {
  std::vector<asked_case> out;
  const std::vector<std::pair<std::string, std::string>> on = {{"stage", "on"}}, off = {{"stage", "off"}};
  for (const long items : {1024L, 4096L, 16384L}) {
    const double n = static_cast<double>(items);
    out.push_back({"direct", off, "rows", items, n});
    out.push_back({"merged", off, "rows", items, 0.8 * n});  // the best without
    out.push_back({"staged", on, "rows", items, 0.9 * n});
    // Staging wins from 4096 items on.
    out.push_back({"staged_wide", on, "rows", items, items > 1024 ? 0.4 * n : 1.6 * n});
    out.push_back({"direct", off, "street", items, 2 * n});
    out.push_back({"staged", on, "street", items, n});
  }
  return out;
}

inline nlohmann::ordered_json asked_question() {
  return {{"text", "Does staging pay?"},
          {"families",
           {{{"name", "staging"}, {"switches", {{"stage", {"on"}}}}},
            {{"name", "without"}, {"switches", {{"stage", {"off"}}}}}}},
          {"workloads", {{{"operations", {"scatter"}}, {"along", "items"}, {"by", {"layout"}}}}},
          {"scans", {"street"}}};
}

inline nlohmann::ordered_json asked_record(const std::vector<asked_case>& cases,
                                           const nlohmann::ordered_json& question) {
  nlohmann::ordered_json out = made_record();
  nlohmann::ordered_json entries =
      nlohmann::ordered_json::array({out["benchmarks"][0], out["benchmarks"][1]});
  const nlohmann::ordered_json like = out["benchmarks"].back();
  for (const asked_case& c : cases) entries.push_back(entry_of(like, c));
  out["benchmarks"] = entries;
  out["unmeasured"] = nlohmann::ordered_json::array();
  if (!question.is_null()) out["context"]["ablate"]["suite"]["report"]["question"] = question;
  return out;
}

inline std::filesystem::path file_of_asked(const nlohmann::ordered_json& made,
                                           const std::filesystem::path& folder) {
  const auto path = folder / "record.json";
  std::ofstream(path, std::ios::binary) << made.dump();
  return path;
}

}  // namespace ablate::reports

#pragma once

#include "base/record/record_file.h"
#include "tests/reports/counted_record.h"

namespace ablate::reports {

/// A picture of 300 points in two panels: labels, and one set.
inline nlohmann::ordered_json made_picture() {
  nlohmann::ordered_json out = {
      {"title", "where the items went"},
      {"x", "x (m)"},
      {"y", "y (m)"},
      {"panels",
       {{{"title", "places"}, {"kind", "category"}}, {{"title", "one place"}, {"kind", "members"}}}},
      {"points", nlohmann::ordered_json::array()}};
  for (int i = 0; i < 300; ++i)
    out["points"].push_back({i % 20 + 0.25, i / 20 - 7.5, i % 20 / 5, i % 20 / 5 == 2 ? 1 : 0});
  return out;
}

/// Made by hand, of no machine: the cases of counted_record with quality, `merged` worse than the others, and
/// counts without points per atomic; one case has a picture.
inline std::filesystem::path graded_record(const std::filesystem::path& folder) {
  nlohmann::ordered_json made = parse_record_file(counted_record(folder));
  bool has_picture = false;
  for (nlohmann::ordered_json& entry : made["benchmarks"]) {
    entry["quality"] = nullptr;
    if (entry.contains("ceiling")) continue;
    const bool merged = entry["variant"] == "merged";
    entry["quality"] = {{"spread_m", merged ? 6.5 : 4.25}, {"at_home_share", 0.5}, {"bin_share", nullptr}};
    entry["instrumented"] = {{"points", 1024}, {"overflow_share", 0.125}, {"drained", nullptr}};
    if (merged && !has_picture) entry["picture"] = made_picture();
    has_picture = has_picture || merged;
  }
  std::ofstream(folder / "record.json", std::ios::binary) << made.dump();
  return folder / "record.json";
}

/// Ten axes that vary one at a time around a usual workload: 27 workloads by two variants.
inline std::filesystem::path many_axes_record(const std::filesystem::path& folder) {
  nlohmann::ordered_json made = parse_record_file(graded_record(folder));
  const nlohmann::ordered_json like = made["benchmarks"].back();
  std::vector<nlohmann::ordered_json> cases = {made["benchmarks"][0], made["benchmarks"][1]};
  const auto add = [&](const std::string& variant, const std::string& axis, const std::string& value,
                       int step) {
    nlohmann::ordered_json entry = like;
    entry["variant"] = variant;
    entry["axes"] = nlohmann::ordered_json::object();
    std::string name = "scatter/" + variant;
    for (int i = 0; i < 10; ++i) {
      const std::string here = "axis" + std::to_string(i);
      entry["axes"][here] = here == axis ? value : i < 5 ? "64" : "plain";
      name += "/" + here + "=" + entry["axes"][here].get<std::string>();
    }
    for (const char* key : {"name", "run_name"}) entry[key] = name + "/@cold-clean";
    entry["quality"]["spread_m"] = 4 + 0.25 * step + (variant == "merged" ? 0.5 : 0);
    cases.push_back(entry);
  };
  for (const char* variant : {"direct", "merged"}) {
    add(variant, "", "", 0);
    for (int i = 0; i < 10; ++i)
      for (int step = 1; step <= (i == 0 ? 8 : 2); ++step)
        add(variant, "axis" + std::to_string(i),
            i < 5 ? std::to_string(64 << step) : "other" + std::to_string(step), step);
  }
  write_record(folder / "record.json", made["context"], cases);
  return folder / "record.json";
}

}  // namespace ablate::reports

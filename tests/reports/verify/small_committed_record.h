#pragma once

#include <map>
#include <string>

#include "base/record/case_json.h"
#include "base/record/floors.h"
#include "base/record/plan_hash.h"
#include "reports/verify/verify.h"
#include "tests/support/paths.h"

namespace ablate::verify {

/// A committed record cut to its calibrations and `cases` cases of its first workload with so many, with the
/// plan of these: small enough to be forged a hundred times.
inline checked_record small_committed_record(const std::string& file, std::size_t cases = 3) {
  using nlohmann::ordered_json;
  checked_record out = read(test_support::source_path(file));
  ordered_json& facts = out.json["context"]["ablate"];
  const auto workload = [](const ordered_json& entry) {
    return entry.at("operation").dump() + entry.at("axes").dump() + entry.at("cache_state").dump();
  };
  std::map<std::string, std::size_t> sizes;
  std::string first;
  for (const ordered_json& entry : out.json.at("benchmarks"))
    if (!entry.contains("ceiling") && ++sizes[workload(entry)] == cases && first.empty())
      first = workload(entry);
  ordered_json kept = ordered_json::array();
  planned_cases planned;
  for (const ordered_json& entry : out.json.at("benchmarks"))
    if (entry.contains("ceiling")) {
      kept.push_back(entry);
    } else if (workload(entry) == first) {
      kept.push_back(entry);
      planned.emplace_back(entry.at("name").get<std::string>(), 1);
    }
  out.json["benchmarks"] = std::move(kept);
  facts["shard"]["plan"] = plan_hash(facts.at("suite").at("hash").get<std::string>() + "|", 1, planned);
  return out;
}

/// The first case of a record that is no calibration.
inline std::size_t first_case(const checked_record& r) {
  const nlohmann::ordered_json& entries = r.json.at("benchmarks");
  std::size_t i = 0;
  while (entries.at(i).contains("ceiling")) ++i;
  return i;
}

/// Gives the first case, which is cold, an energy that it may have.
inline void plant_energy(checked_record& r) {
  nlohmann::ordered_json& entry = r.json["benchmarks"][first_case(r)];
  const double mean_w = 600, around_j = 0.02, seconds = 1.25, step_j = 12.25;
  const double loop_us = entry.at("time_us").at("median").get<double>() + 60;
  entry["energy"] = {{"launch_j", mean_w * loop_us * 1e-6 - around_j},
                     {"error_pct", 1.5},
                     {"mean_w", mean_w},
                     {"loop_us", loop_us},
                     {"around_j", around_j},
                     {"idle_w", 75.0},
                     {"seconds", seconds},
                     {"step_j", step_j},
                     {"steps", 60}};
}

/// The floors and models that follow from the work of each case, as version 2.2 writes them.
inline void write_floors(checked_record& r) {
  r.json["context"]["ablate"]["upgraded_from"] = "2.2.0";
  record context{};
  const reports::json_place root(r.json, r.file);
  context_from_json(root.at("context"), context);
  const auto places = root.at("benchmarks").elements();
  for (std::size_t i = 0; i < places.size(); ++i) {
    measured_case typed;
    from_json(places[i], typed);
    r.json["benchmarks"][i]["floors"] = to_json(floors(context, context.ceilings, typed).value());
  }
}

/// Gives the cases of a record's one workload what version 2.2 added: exponentials, gathered bytes, steps.
inline void plant_models(checked_record& r) {
  for (nlohmann::ordered_json& entry : r.json["benchmarks"]) {
    if (entry.contains("ceiling")) continue;
    nlohmann::ordered_json& work = entry["work"];
    work["exponentials"] = 1e9;
    work["gathered_bytes"] = 1e9;
    work["steps"] = {{{"kind", "products"},
                      {"count", 4},
                      {"bytes", 2e8},
                      {"written_bytes", 1e8},
                      {"flops", 2 * work["flops"].get<double>()},
                      {"exponentials", 1e9}}};
  }
  write_floors(r);
}

}  // namespace ablate::verify

#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/record/writer.h"
#include "reports/ablation/ablation.h"
#include "reports/ablation/tables.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::ablation_test {

using nlohmann::ordered_json;

/// A variant of the made operation with its medians by number of items.
struct made_variant {
  std::string name;
  std::vector<std::pair<std::string, std::string>> switches;
  std::vector<std::pair<long, double>> medians_us;
  std::string input = "00000000000000aa";
  double hit_pct = 0;
};

inline ordered_json made_case(const ordered_json& like, const made_variant& variant, long items, double us) {
  ordered_json out = like;
  const std::string name = fmt::format("scatter/{}/items={}/layout=rows/@cold-clean", variant.name, items);
  for (const char* key : {"name", "run_name"}) out[key] = name;
  for (const char* key : {"real_time", "cpu_time"}) out[key] = us;
  out["variant"] = variant.name;
  out["cache_state"] = "cold-clean";
  out["switches"] = ordered_json::object();
  for (const auto& [name, value] : variant.switches) out["switches"][name] = value;
  out["axes"]["items"] = std::to_string(items);
  out["input"]["hash"] = variant.input;
  ordered_json& time = out["time_us"];
  time["method"] = "events";
  time["median"] = us;
  time["min"] = time["ci95_low"] = us * 0.99;
  time["ci95_high"] = us * 1.01;
  time["samples"] = {us, us, us};
  if (variant.hit_pct > 0)
    out["counters"] = {{"set", "core"},
                       {"reason", nullptr},
                       {"values", {{"lts__t_request_hit_rate.pct", variant.hit_pct}}},
                       {"missing", ordered_json::object()},
                       {"kernels", ordered_json::array()},
                       {"coherent", true},
                       {"output", "ok"}};
  return out;
}

/// The first variant is the baseline.
inline ordered_json made_of(const std::vector<made_variant>& variants) {
  ordered_json out = made_record();
  ordered_json cases = ordered_json::array({out["benchmarks"][0], out["benchmarks"][1]});
  ordered_json like = out["benchmarks"].back();
  for (const made_variant& v : variants)
    for (const auto& [items, us] : v.medians_us) cases.push_back(made_case(like, v, items, us));
  out["benchmarks"] = cases;
  out["context"]["ablate"]["operations"]["scatter"]["baseline"] = variants.front().name;
  return out;
}

inline std::filesystem::path file_of(const ordered_json& made, const std::string& name) {
  const auto folder = test_support::directory_of_process() / "ablation" /
                      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  write_record(folder / name, made["context"], made["benchmarks"], made["unmeasured"]);
  return folder / name;
}

/// Process launches of one suite; the first is shown.
struct launched {
  std::vector<ordered_json> records;
};

/// Keeps alive what the ablation refers to.
struct ablated {
  explicit ablated(const launched& launches) {
    for (const ordered_json& made : launches.records)
      records.push_back(read_record(file_of(made, fmt::format("record{}.json", records.size()))));
    view.emplace(records.front(), "scatter");
    std::vector<const record*> more;
    for (std::size_t i = 1; i < records.size(); ++i) more.push_back(&records[i]);
    made.emplace(records.front(), *view,
                 process_launches(records.front(), more, limits_of(shipped_policy())));
  }
  explicit ablated(const std::vector<made_variant>& variants) : ablated(launched{{made_of(variants)}}) {}

  const operation_ablation* operator->() const { return &*made; }
  ablation_tables tables() const { return tables_of(*view, *made, limits_of(shipped_policy())); }

  std::vector<record> records;
  std::optional<operation_view> view;
  std::optional<operation_ablation> made;
};

}  // namespace ablate::reports::ablation_test

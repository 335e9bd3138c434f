#pragma once

#include "tests/reports/question/asked_record.h"

namespace ablate::reports {

/// A figure of two curves, one a rival's, and a table of two rows and two columns.
inline nlohmann::ordered_json made_exhibits() {
  return nlohmann::ordered_json::parse(R"([
    {"name": "activity", "title": "Activity against items", "source": "a paper, Figure 1", "operation": "scatter",
     "axes": {"layout": "rows"},
     "curves": [{"label": "as published", "variant": "direct"}, {"label": "the library", "rival": "lib_scatter"},
                {"label": "merging", "variant": "merged"}]},
    {"name": "table1", "title": "Table 1", "source": "a paper, Table 1: a GPU", "operation": "scatter",
     "axes": {"layout": "rows"},
     "rows": [{"label": "small", "variant": "direct", "axes": {"items": 1024}},
              {"label": "large", "variant": "direct", "axes": {"items": 4096}}],
     "columns": [{"label": "published"}, {"label": "merged", "variant": "merged"},
                 {"label": "library", "rival": "lib_scatter"}],
     "quantities": [
       {"label": "time", "unit": "ms", "values": "time_us.median", "scale": 0.001, "published": [0.5, null]},
       {"label": "training", "unit": "ms", "published": [7, 8], "missing": "nothing is trained here"},
       {"label": "memory", "unit": "MB", "values": ["quality.peak_bytes", "memory.bytes"], "scale": 1e-6,
        "published": [3, 4]}]}])");
}

/// Percent of the peak: with gaps and, by counters of kernels that last as long as the device is busy,
/// without. They last longer than the case's median, so the counters have a §.
struct made_activity {
  double mean, counted;
};

inline void sample(nlohmann::ordered_json& entry, made_activity sm, double cost_pct) {
  const nlohmann::ordered_json mean = {{"sm_active_pct", sm.mean}, {"tensor_pct", 5}};
  entry["sampled"] = {{"ranges", 20},
                      {"interval_us", 2},
                      {"range_us", 1000 + 10 * cost_pct},
                      {"range_sigma_us", 3},
                      {"unsampled_us", 1000},
                      {"cost_pct", cost_pct},
                      {"busy_share", 0.5},
                      {"mean", mean},
                      {"sigma", {{"sm_active_pct", 0.25}, {"tensor_pct", nullptr}}},
                      {"without_gaps", {{"sm_active_pct", 2 * sm.mean}, {"tensor_pct", 10}}}};
  entry["counters"] = {{"set", "core"},
                       {"reason", nullptr},
                       {"values",
                        {{"gpu__time_duration.sum", 500 * (1000 + 10 * cost_pct)},
                         {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", sm.counted}}},
                       {"missing", nlohmann::ordered_json::object()},
                       {"kernels", nlohmann::ordered_json::array()},
                       {"coherent", true},
                       {"output", "ok"}};
}

inline nlohmann::ordered_json exhibit_record() {
  nlohmann::ordered_json out = asked_record({{"direct", {}, "rows", 1024, 400},
                                             {"direct", {}, "rows", 4096, 900},
                                             {"merged", {}, "rows", 1024, 200},
                                             {"merged", {}, "rows", 4096, 300},
                                             {"direct", {}, "columns", 1024, 70}},
                                            nullptr);
  out["context"]["ablate"]["suite"]["report"]["question"]["exhibits"] = made_exhibits();
  for (auto& entry : out["benchmarks"]) {
    if (entry["operation"] != "scatter") continue;
    entry["input"]["points"] = std::stol(entry["axes"]["items"].get<std::string>());
    entry["quality"] = {{"launches", 7}};
  }
  const std::size_t first = out["benchmarks"].size() - 5;
  auto& all = out["benchmarks"];
  sample(all[first], {20, 41.5}, 0.5);
  sample(all[first + 1], {30, 58}, 1.75);
  sample(all[first + 2], {40, 81}, 0.25);
  all[first + 3]["sampled"] = nullptr;
  all[first + 3]["sampled_reason"] = "another program has the counters";
  all[first]["quality"]["peak_bytes"] = 2500000;
  sample(all[first + 4], {1, 2}, 99);  // in another layout: of no exhibit
  return out;
}

}  // namespace ablate::reports

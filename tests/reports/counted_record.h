#pragma once

#include <fmt/format.h>

#include <cmath>

#include "base/record/combined_counters.h"
#include "base/record/writer.h"
#include "tests/reports/made_record.h"

namespace ablate::reports {

/// Counters of a made kernel: rounded, smooth, of no machine.
inline nlohmann::ordered_json made_counters(double points, double speed, double merged) {
  const auto pct = [](double value) { return std::round(value * 100) / 100; };
  const double fill = points / (points + 60000);
  const double cycles = std::round(4000 + points / 20 / speed);
  return {{"sm__cycles_elapsed.max", cycles},
          {"sm__cycles_active.avg", std::round(cycles * 0.96 * fill)},
          {"smsp__inst_executed.sum", points * 3},
          {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", pct(96 * fill)},
          {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", pct(24 * fill * merged)},
          {"smsp__issue_active.avg.pct_of_peak_sustained_elapsed", pct(24 * fill * merged)},
          {"smsp__issue_active.avg.pct_of_peak_sustained_active", pct(25 * merged)},
          {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 0},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", pct(70 * fill / merged)},
          {"dram__bytes_read.sum", points * 16},
          {"dram__bytes_write.sum", points * 2},
          {"lts__t_requests.sum", points / 2},
          {"lts__t_request_hit_rate.pct", pct(20 + 60 * fill)},
          {"lts__t_sectors_op_red.sum", points / merged},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", nullptr}};
}

/// A case of two kernels, clear and main, with counters. `medians` grow with the points.
inline nlohmann::ordered_json counted_case(const nlohmann::ordered_json& like, const std::string& variant,
                                           long points, const std::string& layout, double speed,
                                           double merged) {
  nlohmann::ordered_json out = like;
  const std::string name = fmt::format("scatter/{}/items={}/layout={}/@cold-clean", variant, points, layout);
  const double n = static_cast<double>(points);
  const double us = std::round((4 + n / 20000 / speed) * 64) / 64;
  for (const char* key : {"name", "run_name"}) out[key] = name;
  for (const char* key : {"real_time", "cpu_time"}) out[key] = us;
  out["variant"] = variant;
  out["switches"] = nlohmann::ordered_json::object();
  if (variant == "merged") out["switches"]["merge"] = "on";
  if (variant == "sorted") out["switches"]["sort"] = "on";
  out["axes"] = {{"items", std::to_string(points)}, {"layout", layout}};
  out["time_us"]["samples"] = nlohmann::ordered_json::array();
  for (int i = 0; i < 40; ++i) out["time_us"]["samples"].push_back(us * (1 + 0.002 * ((i * 7) % 13 - 6)));
  for (const auto& [key, factor] :
       {std::pair{"median", 1.0}, {"min", 0.988}, {"ci95_low", 0.994}, {"ci95_high", 1.006}})
    out["time_us"][key] = us * factor;
  out["work"]["bytes"] = n * 16;
  out["input"] = {{"hash", "00000000000000aa"}, {"points", points}};
  out["instrumented"] = {{"points", points}, {"atomics", n / merged}, {"points_per_atomic", merged}};
  const std::string main = "void ablate::scatter::" + variant + "<int>(ablate::scatter::problem, int)";
  const std::string clear = "ablate::scatter::clear(int*, int)";
  out["kernels"] = nlohmann::ordered_json::array();
  for (const std::string& kernel : {clear, main})
    out["kernels"].push_back({{"name", kernel},
                              {"grid", {points / 256, 1, 1}},
                              {"block", {256, 1, 1}},
                              {"dynamic_shared_bytes", 0},
                              {"theoretical_occupancy", {{"sm_80", 1.0}, {"sm_90a", 0.75}}}});
  out["counters"] = {{"set", "core"},
                     {"reason", nullptr},
                     {"values", made_counters(n, speed, merged)},
                     {"missing", {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "made to be missing"}}},
                     {"kernels",
                      {{{"name", clear}, {"values", made_counters(8192, 8, 2)}},
                       {{"name", main}, {"values", made_counters(n, speed, merged)}}}},
                     {"coherent", true},
                     {"output", "ok"}};
  combine_counters(out);
  return out;
}

/// A timeline of three launches of two kernels, with a sample that could not be read.
inline nlohmann::ordered_json made_timeline() {
  nlohmann::ordered_json out = {{"interval_ns", 1000},
                                {"loops", 3},
                                {"metrics", {}},
                                {"time_us", {}},
                                {"kernels", nlohmann::ordered_json::array()}};
  for (int i = 0; i < 90; ++i) {
    const int phase = i % 30;
    const bool busy = phase >= 6 && phase < 27;
    out["time_us"].push_back(i);
    out["metrics"]["sm_active_pct"].push_back(phase < 4 ? 40 : busy ? 95 - phase / 2 : 0);
    out["metrics"]["sm_issue_pct"].push_back(busy ? 20 + phase % 5 : 2);
    out["metrics"]["tensor_pct"].push_back(0);
    out["metrics"]["dram_read_pct"].push_back(busy ? 55 + (phase * 7) % 11 : 0);
    out["metrics"]["dram_write_pct"].push_back(phase < 4 ? 70 : 5);
  }
  out["metrics"]["sm_issue_pct"][40] = nullptr;
  for (int launch = 0; launch < 3; ++launch) {
    out["kernels"].push_back({{"name", "ablate::scatter::clear(int*, int)"},
                              {"start_us", launch * 30},
                              {"end_us", launch * 30 + 4}});
    out["kernels"].push_back({{"name", "void ablate::scatter::merged<int>(ablate::scatter::problem, int)"},
                              {"start_us", launch * 30 + 6},
                              {"end_us", launch * 30 + 27}});
  }
  return out;
}

/// Made by hand like small_record.json, of the same device that does not exist: `scatter` by three variants
/// at seven sizes in two layouts, all with counters but one, one with a timeline, one not measured.
inline std::filesystem::path counted_record(const std::filesystem::path& folder) {
  nlohmann::ordered_json made = made_record();
  nlohmann::ordered_json& context = made["context"];
  context["ablate"]["record_schema"] = "1.1.0";
  context["ablate"]["evidence"][1] = {{"rung", "range_counters"}, {"available", true}};
  context["ablate"]["operations"]["scatter"]["variants"]["sorted"] = "sorts before it adds";
  const nlohmann::ordered_json like = made["benchmarks"][3];
  std::vector<nlohmann::ordered_json> cases = {made["benchmarks"][0], made["benchmarks"][1]};
  for (const char* layout : {"rows", "columns"})
    for (long points = 1 << 14; points <= 1 << 20; points *= 2) {
      const double gain = std::log2(static_cast<double>(points)) / 14;
      cases.push_back(counted_case(like, "direct", points, layout, 1, 1));
      cases.push_back(counted_case(like, "merged", points, layout, gain * gain * 1.2, 3));
      cases.push_back(counted_case(like, "sorted", points, layout, 0.8, 1.5));
    }
  cases[4]["counters"] = {
      {"set", "core"}, {"reason", "the profiler was busy"}, {"values", nlohmann::ordered_json::object()}};
  cases[15]["timeline"] = made_timeline();
  write_record(folder / "record.json", context, cases,
               nlohmann::ordered_json::array({made["unmeasured"][1]}));
  return folder / "record.json";
}

}  // namespace ablate::reports

#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/inputs/input_library.h"
#include "harness/inputs/random.h"
#include "tests/reports/made_record.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::test_support {

/// Launches of one build as a gate records them: the cases of the record that was made by hand, with times
/// that scatter within launches and between them. The same seed gives the same launches.
struct made_launches {
  std::size_t count = 40;
  std::uint64_t seed = 1;
  double sample_pct = 0.5, launch_pct = 0.2;      ///< standard deviations
  std::map<std::string, double> slower_pct = {};  ///< by case, by part of its id
  double sm_clock_mhz = 1980;
  std::vector<std::string> event_reasons = {};
  std::string status = {};                      ///< of the first case, instead of a time: wrong, failed
  std::map<std::string, double> counters = {};  ///< of every case, in two checks
  double counter_scatter_pct = 0;
};

inline const std::string made_case = "scatter/direct/items=1024/layout=rows/@cold-clean";
/// The suite that the launches say they are of.
inline const std::string made_suite = test_support::source_path("suites/quick.json");

/// A policy that is the shipped one except for its controls and its wait.
inline nlohmann::ordered_json made_policy() {
  auto policy = nlohmann::ordered_json::parse(slurp(test_support::source_path("suites/gates/default.json")));
  policy["whole_run"]["controls"] = {"dram_bytes"};
  policy["confirm"]["wait_seconds"] = 0;
  policy["launch"]["samples"] = 10;
  return policy;
}

/// The case was not measured, for a reason; with an empty status, the build has no such case.
inline void unmeasure(nlohmann::ordered_json& made, const std::string& name, const std::string& status) {
  auto& cases = made["benchmarks"];
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i]["name"] != name) continue;
    if (!status.empty())
      made["unmeasured"].push_back({{"name", name},
                                    {"operation", cases[i]["operation"]},
                                    {"variant", cases[i]["variant"]},
                                    {"axes", cases[i]["axes"]},
                                    {"cache_state", cases[i]["cache_state"]},
                                    {"status", status},
                                    {"reason", "element 17 is 3, expected 4"}});
    cases.erase(i);
    return;
  }
}

namespace detail {

inline double slower_by(const made_launches& of, const std::string& name) {
  for (const auto& [part, pct] : of.slower_pct)
    if (name.find(part) != std::string::npos) return pct;
  return 0;
}

inline void set_times(nlohmann::ordered_json& entry, const made_launches& of, random_stream& random) {
  auto& time = entry["time_us"];
  const double launch =
      (1 + slower_by(of, entry["name"]) / 100) * (1 + of.launch_pct / 100 * random.normal());
  const double us = time["median"].get<double>() * launch;
  auto samples = nlohmann::ordered_json::array();
  for (int i = 0; i < 10; ++i) samples.push_back(us * (1 + of.sample_pct / 100 * random.normal()));
  time["samples"] = samples;
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) time[key] = us;
  entry["real_time"] = entry["cpu_time"] = us;
}

inline nlohmann::ordered_json made_launch(const made_launches& of, random_stream& random, bool is_check) {
  nlohmann::ordered_json made = reports::made_record();
  made["unmeasured"] = nlohmann::ordered_json::array();
  const std::string suite = slurp(made_suite);
  made["context"]["ablate"]["suite"]["hash"] = hash_hex(suite.data(), suite.size());
  auto& cases = made["benchmarks"];
  for (auto& entry : cases) {
    set_times(entry, of, random);
    const nlohmann::ordered_json state = {
        {"sm_clock_mhz", 1980}, {"memory_clock_mhz", 2000}, {"event_reasons", of.event_reasons},
        {"temperature_c", 41},  {"power_w", 99.5},          {"other_processes", 0},
        {"ecc_errors", 0}};
    entry["device_state"] = {{"before", state}, {"after", state}, {"timed_sm_clock_mhz", of.sm_clock_mhz}};
    if (!is_check) entry["check"]["before"] = entry["check"]["after"] = "not_checked";
    if (of.counters.empty() || !is_check) continue;
    entry["counters"]["reason"] = nullptr;
    entry["counters"]["kernels"] = nlohmann::ordered_json::array();
    entry["counters"]["values"] = nlohmann::ordered_json::object();
    entry["counters"]["missing"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : of.counters)
      entry["counters"]["values"][name] = value * (1 + of.counter_scatter_pct / 100 * random.normal());
  }
  if (!of.status.empty()) unmeasure(made, made_case, of.status);
  return made;
}

inline void write_launch(const std::filesystem::path& folder, const std::string& label,
                         const nlohmann::ordered_json& made) {
  std::filesystem::create_directories(folder / label);
  std::ofstream(folder / label / "record.json") << made.dump();
}

}  // namespace detail

/// Writes the launches into a folder, with a check before and one after.
inline std::filesystem::path write_launches(const std::filesystem::path& folder, const made_launches& of) {
  random_stream random(of.seed, "made launches");
  detail::write_launch(folder, "0000-check", detail::made_launch(of, random, true));
  for (std::size_t i = 1; i <= of.count; ++i) {
    std::string number = std::to_string(i);
    number.insert(0, 4 - number.size(), '0');
    detail::write_launch(folder, number + "-launch", detail::made_launch(of, random, false));
  }
  detail::write_launch(folder, "9999-check", detail::made_launch(of, random, true));
  return folder;
}

/// One check more; its label tells its place among them.
inline void write_check(const std::filesystem::path& folder, const made_launches& of,
                        const std::string& label) {
  random_stream random(of.seed, label);
  detail::write_launch(folder, label, detail::made_launch(of, random, true));
}

/// Changes the records whose label ends so; all where it is empty.
inline void change_launches(const std::filesystem::path& folder,
                            const std::function<void(nlohmann::ordered_json&)>& change,
                            const std::string& label_end = "") {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().ends_with(label_end)) continue;
    const auto path = entry.path() / "record.json";
    auto made = nlohmann::ordered_json::parse(slurp(path));
    change(made);
    std::ofstream(path) << made.dump();
  }
}

inline nlohmann::ordered_json& entry_named(nlohmann::ordered_json& made, const std::string& name) {
  for (auto& entry : made["benchmarks"])
    if (entry["name"] == name) return entry;
  throw std::out_of_range(name);
}

}  // namespace ablate::test_support

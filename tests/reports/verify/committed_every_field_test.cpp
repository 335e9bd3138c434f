// Every field of a record is judged, or listed here with the reason why it cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/data_sheets.h"
#include "reports/verify/dates.h"
#include "tests/reports/verify/small_committed_record.h"

namespace ablate::verify::committed_every_field_test {
namespace {

using nlohmann::ordered_json;

/// Objects by names of things: one of them represents all.
const std::set<std::string> by_name = {"axes",     "switches",   "ceilings",     "buffers",
                                       "quality",  "kernels",    "instrumented", "theoretical_occupancy",
                                       "variants", "operations", "metrics"};

/// Each kind of field once, with the place of the first; `kind` has a * where names or numbers vary.
void collect(const ordered_json& value, const std::string& at, const std::string& kind,
             std::map<std::string, std::string>& to) {
  if (value.is_array() && !value.empty() && !(kind == "/benchmarks")) {
    collect(value[0], at + "/0", kind + "/*", to);
  } else if (value.is_object()) {
    const std::string last = kind.substr(kind.rfind('/') + 1);
    for (const auto& [key, child] : value.items()) {
      std::string escaped;
      for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      collect(child, at + "/" + escaped, kind + "/" + (by_name.contains(last) ? "*" : escaped), to);
      if (by_name.contains(last)) break;
    }
  } else if (!value.is_structured() && !value.is_null()) {
    to.emplace(kind, at);
  }
}

ordered_json changed(const ordered_json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_string()) return value.get<std::string>() + "0";
  if (value.is_number_float()) return value.get<double>() == 0 ? 1.0 : 2 * value.get<double>();
  return value.get<std::int64_t>() == 0 ? std::int64_t{1} : 2 * value.get<std::int64_t>();
}

/// All that is found, a refusal of the reader included.
std::string found_in(const checked_record& r) {
  try {
    std::string out;
    for (const finding& f :
         verify({r}, {}, {data_sheet_of, {}, parse_date("2026-12-24T00:00:00+00:00")}).findings)
      out += f.text() + "\n";
    return out;
  } catch (const std::exception& refused) {
    return refused.what();
  }
}

/// What cannot be judged, by the reason.
const std::vector<std::pair<std::string, std::set<std::string>>>& not_judged() {
  static const std::vector<std::pair<std::string, std::set<std::string>>> all = {
      {"words of the program and the suite, of which nothing is made",
       {"/context/ablate/command", "/context/ablate/counters/metrics/*/display",
        "/context/ablate/counters/metrics/*/unit", "/context/ablate/operations/*/axes/*",
        "/context/ablate/operations/*/description", "/context/ablate/operations/*/variants/*",
        "/context/ablate/suite/description", "/context/ablate/suite/name",
        "/context/ablate/suite/report/question/families/*/name",
        "/context/ablate/suite/report/question/families/*/variants/*",
        "/context/ablate/suite/report/question/text",
        "/context/ablate/suite/report/question/workloads/*/along",
        "/context/ablate/suite/report/question/workloads/*/by/*",
        "/context/ablate/suite/report/question/workloads/*/operations/*", "/context/executable"}},
      {"its plan tells where the suite is at hand (CommittedContradictions)",
       {"/context/ablate/shard/plan", "/context/ablate/suite/hash"}},
      {"which build it was: scripts/check_records.sh holds its sources to the history",
       {"/context/ablate/build/build_type", "/context/ablate/build/commit", "/context/ablate/build/compiler",
        "/context/ablate/build/cuda_architectures/*", "/context/ablate/build/cuda_compiler",
        "/context/ablate/build/dirty", "/context/ablate/build/source_hash", "/context/ablate/build/version"}},
      {"of the machine, and no other field is about it",
       {"/context/ablate/device/cuda_driver", "/context/ablate/device/cuda_runtime",
        "/context/ablate/device/driver", "/context/ablate/device/ecc", "/context/ablate/device/name",
        "/context/ablate/host/cpu", "/context/ablate/host/system", "/context/cpu_scaling_enabled",
        "/context/host_name", "/context/load_avg/*", "/context/mhz_per_cpu"}},
      {"a slice may be as large as its device", {"/context/ablate/device/mig"}},
      {"the compiler's word, which only the sources can tell",
       {"/context/ablate/kernels/*/sm_90a/registers", "/context/ablate/kernels/*/sm_90a/spill_load_bytes",
        "/context/ablate/kernels/*/sm_90a/spill_store_bytes", "/context/ablate/kernels/*/sm_90a/stack_bytes",
        "/context/ablate/kernels/*/sm_90a/static_shared_bytes"}},
      {"the launch as it was; nothing else depends on it but an occupancy that only the program computes",
       {"/benchmarks/*/kernels/*/block/*", "/benchmarks/*/kernels/*/dynamic_shared_bytes",
        "/benchmarks/*/kernels/*/grid/*", "/benchmarks/*/kernels/*/theoretical_occupancy/*"}},
      {"a looser or a later rule than the one that ended the samples",
       {"/context/ablate/settings/filter", "/context/ablate/settings/sampling/half_width",
        "/context/ablate/settings/sampling/maximum_samples",
        "/context/ablate/settings/sampling/maximum_seconds",
        "/context/ablate/settings/sampling/minimum_samples", "/context/ablate/settings/timeline"}},
      {"what was seen of a moment, within what it can be",
       {"/benchmarks/*/device_state/after/ecc_errors", "/benchmarks/*/device_state/after/memory_clock_mhz",
        "/benchmarks/*/device_state/after/other_processes", "/benchmarks/*/device_state/after/temperature_c",
        "/benchmarks/*/device_state/before/ecc_errors", "/benchmarks/*/device_state/before/memory_clock_mhz",
        "/benchmarks/*/device_state/before/other_processes", "/benchmarks/*/device_state/before/power_w",
        "/benchmarks/*/device_state/before/temperature_c", "/benchmarks/*/time_us/clock/dropped_samples",
        "/benchmarks/*/time_us/clock/power_w/min", "/benchmarks/*/time_us/clock/seconds",
        "/benchmarks/*/time_us/clock/steady"}},
      {"what the host did beside the samples",
       {"/benchmarks/*/counters/host_ms", "/benchmarks/*/counters/open_ms", "/benchmarks/*/phases_s/buffers",
        "/benchmarks/*/phases_s/inputs", "/benchmarks/*/phases_s/rest",
        "/benchmarks/*/time_us/warmup_launches"}},
      {"within its bounds; only a second measurement tells",
       {"/benchmarks/*/check/accepted_error", "/benchmarks/*/check/changed_share",
        "/benchmarks/*/quality/*"}},
      {"of a counter that is not in the record, within what it can be: less than the busy power, and half to "
       "twice the energy",
       {"/benchmarks/*/energy/error_pct", "/benchmarks/*/energy/idle_w", "/benchmarks/*/energy/step_j",
        "/benchmarks/*/energy/steps"}},
      {"whether passes agree is seen in passes that the record does not hold",
       {"/benchmarks/*/counters/coherent"}},
      {"which groups were asked for; with another name nothing is held to be of one pass",
       {"/benchmarks/*/counters/set", "/context/ablate/counters/groups/core/*"}},
      {"one case of each variant is left here: the variant has no other to be held against",
       {"/benchmarks/*/switches/*"}},
      {"a version in its form; newer ones only add keys",
       {"/context/ablate/record_schema", "/context/ablate/upgraded_from"}},
      {"a kind of evidence that nothing is held against", {"/context/ablate/evidence/*/rung"}},
      {"more shards than one: their cases are named in `cases`, which is absent here",
       {"/context/ablate/shard/count"}},
  };
  return all;
}

bool is_listed(const std::string& kind) {
  return std::any_of(not_judged().begin(), not_judged().end(),
                     [&](const auto& group) { return group.second.contains(kind); });
}

TEST(CommittedEveryField, IsJudgedOrListed) {
  checked_record good = small_committed_record("results/h200/selection_attention_sharing/record.json");
  plant_energy(good);
  plant_models(good);
  ASSERT_EQ(found_in(good), "");
  std::map<std::string, std::string> fields;
  collect(good.json.at("context"), "/context", "/context", fields);
  const std::size_t i = first_case(good);
  const std::string entry = "/benchmarks/" + std::to_string(i);
  collect(good.json.at("benchmarks").at(i), entry, "/benchmarks/*", fields);
  for (const auto& [kind, at] : fields) {
    checked_record forged = good;
    ordered_json& field = forged.json.at(ordered_json::json_pointer(at));
    field = changed(field);
    const bool is_found = !found_in(forged).empty();
    EXPECT_EQ(is_found, !is_listed(kind))
        << kind << (is_found ? " is judged, so it must not be listed" : " is not judged, and not listed");
  }
  for (const auto& [why, kinds] : not_judged())
    for (const std::string& kind : kinds)
      EXPECT_TRUE(fields.contains(kind)) << kind << " is listed, and no field";
}

}  // namespace
}  // namespace ablate::verify::committed_every_field_test

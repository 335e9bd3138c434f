// One contradiction planted at a time in a good record: each is one line that names the case, the field, what
// was expected and what was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/cli/data_sheets.h"
#include "harness/timing/timed.h"
#include "reports/verify/dates.h"
#include "tests/reports/verify/small_committed_record.h"

namespace ablate::verify::committed_contradictions_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

const checked_record& good() {
  static const checked_record r = [] {
    checked_record out = small_committed_record("results/h200/selection_attention_sharing/record.json");
    plant_energy(out);
    plant_models(out);
    return out;
  }();
  return r;
}

/// The plan of the small record, as its suite would give it.
std::optional<known_plan> plan_of_good(const ordered_json& facts) {
  known_plan out{facts.at("suite").at("hash").get<std::string>() + "|", {}};
  for (const ordered_json& entry : good().json.at("benchmarks"))
    if (!entry.contains("ceiling")) out.names.push_back(entry.at("name"));
  return out;
}

verification verified(const checked_record& r) {
  return verify({r}, {}, {data_sheet_of, plan_of_good, parse_date("2026-12-24T00:00:00+00:00")});
}

struct planted {
  const char* what;
  const char* pointer;  ///< within the first case; from /context on, within the record
  std::function<void(ordered_json&)> change;
  const char* found_at;  ///< part of the place
  severity weight = severity::contradiction;
};

ordered_json twice(const ordered_json& value) { return 2 * value.get<double>(); }

const std::vector<planted>& all_planted() {
  const auto doubled = [](ordered_json& at) { at = twice(at); };
  const auto halved = [](ordered_json& at) { at = at.get<double>() / 2; };
  const auto to = [](const ordered_json& value) { return [value](ordered_json& at) { at = value; }; };
  static const std::vector<planted> all = {
      {"a floor of 1 us beside that of the bytes", "/floors/bytes_us", to(1.0), "/floors/bytes_us"},
      {"half of the bytes", "/work/bytes", halved, "/floors/dram_us"},
      {"half of the bytes, as in no other case of the workload", "/work/bytes", halved, "/work/bytes"},
      {"more written than moved", "/work/written_bytes", to(1e15), "/work/written_bytes"},
      {"half of the FLOPs", "/work/flops", halved, "/floors/flops_us"},
      {"half of the exponentials", "/work/exponentials", halved, "/work/exponentials"},
      {"half of the gathered bytes", "/work/gathered_bytes", halved, "/floors/gathered_us"},
      {"half of the steps' FLOPs", "/work/steps/0/flops", halved, "/floors/steps_us"},
      {"steps that write more than they move", "/work/steps/0/written_bytes", to(1e15),
       "/work/steps/0/written_bytes"},
      {"a model that does not bind", "/floors/model_binding", to("steps"), "/floors/model_binding"},
      {"a ratio to the model", "/floors/time_over_model", halved, "/floors/time_over_model"},
      {"a model that binds as a floor", "/floors/binding", to("random"), "/floors/binding"},
      {"another pipe", "/work/flop_pipe", to("fma_f32"), "/floors/flops_us"},
      {"a floor that does not bind", "/floors/binding", to("launch"), "/floors/binding"},
      {"a ratio to the floor", "/floors/time_over_floor", halved, "/floors/time_over_floor"},
      {"milliseconds", "/time_unit", to("ms"), "/time_unit"},
      {"two threads", "/threads", to(2), "/threads"},
      {"the clock of another state", "/time_us/method", to("graph"), "/time_us/method"},
      {"a narrower stopping rule", "/context/ablate/settings/sampling/half_width", to(1e-9),
       "/time_us/stopped_by"},
      {"more samples than were taken", "/context/ablate/settings/sampling/minimum_samples", to(100'000),
       "/time_us/stopped_by"},
      {"a case that took less than its samples", "/elapsed_s", to(1e-6), "/elapsed_s"},
      {"a phase that is none of the whole", "/phases_s/checks", to(1000.0), "/elapsed_s"},
      {"half of a launch's energy", "/energy/launch_j", halved, "/energy/launch_j"},
      {"energy around a launch that is not taken off", "/energy/around_j", doubled, "/energy/launch_j"},
      {"more power than the device may take", "/energy/mean_w", to(780.0), "/energy/mean_w"},
      {"an idle device that takes more than a busy one", "/energy/idle_w", to(601.0), "/energy/idle_w"},
      {"more steps than make the energy", "/energy/steps", to(180), "/energy/steps"},
      {"steps too small to make the energy", "/energy/step_j", to(5.0), "/energy/steps"},
      {"steps over another time", "/energy/seconds", doubled, "/energy/steps"},
      {"an L2 flush that takes no energy", "/energy/around_j", to(0.0), "/energy/around_j"},
      {"an L2 flush in a hot case", "", [](ordered_json& entry) { entry["cache_state"] = "hot"; },
       "/energy/around_j"},
      {"a loop of launches shorter than the timed ones", "/energy/loop_us", to(200.0), "/energy/loop_us"},
      {"another input than the other variants'", "/input/hash", to("0000000000000000"), "/input/hash"},
      {"a clock that the chip has not", "/device_state/timed_sm_clock_mhz", to(3000.0),
       "/device_state/timed_sm_clock_mhz"},
      {"a temperature", "/device_state/before/temperature_c", to(400), "/temperature_c"},
      {"a power", "/device_state/after/power_w", to(3000.0), "/power_w"},
      {"another device", "/specimen", to("GPU-0"), "/specimen"},
      {"an occupancy above 1", "/kernels/0/theoretical_occupancy/sm_90a", to(1.5), "/theoretical_occupancy"},
      {"a block of 4096 threads", "/kernels/0/block", to({4096, 1, 1}), "/kernels/0/block"},
      {"a hit rate above 100 %", "/counters/values/lts__t_request_hit_rate.pct", to(120.0),
       "/counters/values/lts__t_request_hit_rate.pct"},
      {"a share of the peak above 100 %",
       "/counters/values/dram__throughput.avg.pct_of_peak_sustained_elapsed", to(104.0),
       "/counters/values/dram__throughput.avg.pct_of_peak_sustained_elapsed"},
      {"a count below 0", "/counters/values/dram__bytes_write.sum", to(-1.0),
       "/counters/values/dram__bytes_write.sum"},
      {"a rate that is not bytes over time", "/counters/values/dram__bytes_read.sum.per_second", halved,
       "/counters/values/dram__bytes_read.sum.per_second"},
      {"a launch that read next to nothing", "/counters/values/dram__bytes_read.sum", to(1.0),
       "/counters/values/dram__bytes_read.sum", severity::mark},
      {"a counted launch of twice the time", "/counters/values/gpu__time_duration.sum", doubled,
       "/counters/values/gpu__time_duration.sum", severity::mark},
      {"a case twice", "/context/ablate", {}, "/name"},
      {"a date that has not been", "/context/date", to("2099-01-01T00:00:00+00:00"), "/context/date"},
      {"a date before the project", "/context/date", to("2025-01-01T00:00:00+00:00"), "/context/date"},
      {"no date", "/context/date", to("yesterday"), "/context/date"},
      {"another number of processors", "/context/num_cpus", to(1), "/context/num_cpus"},
      {"another build", "/context/library_build_type", to("debug"), "/context/library_build_type"},
      {"another chip", "/context/ablate/device/chip", to("h100"), "/device/chip"},
      {"more multiprocessors", "/context/ablate/device/multiprocessors", doubled, "/device/multiprocessors"},
      {"a larger L2", "/context/ablate/device/l2_bytes", doubled, "/device/l2_bytes"},
      {"a device that is not that of the cases", "/context/ablate/specimen", to("GPU-0"), "/ablate/specimen"},
      {"an operation without its baseline", "/context/ablate/operations/selection_attention/baseline",
       to("none"), "/baseline"},
      {"counters that could not be had", "/context/ablate/evidence", {}, "/evidence"},
      {"a ceiling slower than its calibrations", "/context/ablate/ceilings/l2_bytes/rate_per_s", halved,
       "/ceiling"},
      {"another plan", "/context/ablate/shard/plan", to("0000000000000000"), "/shard/plan"},
      {"a dropped case", "/context/ablate/shard", {}, "/benchmarks"},
  };
  return all;
}

checked_record with(const planted& p) {
  checked_record r = good();
  ordered_json& entries = r.json["benchmarks"];
  const std::size_t i = first_case(r);
  if (p.what == std::string("a case twice")) {
    entries.push_back(entries[i]);
  } else if (p.what == std::string("a dropped case")) {
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
  } else if (p.what == std::string("counters that could not be had")) {
    for (ordered_json& rung : r.json["context"]["ablate"]["evidence"]) rung["available"] = false;
  } else {
    ordered_json& under = std::string_view(p.pointer).starts_with("/context") ? r.json : entries[i];
    p.change(under.at(ordered_json::json_pointer(p.pointer)));
  }
  return r;
}

TEST(CommittedContradictions, TheGoodRecordHasNone) {
  const verification found = verified(good());
  for (const finding& f : found.findings) ADD_FAILURE() << f.text();
  EXPECT_EQ(found.with_plan, good().json.at("benchmarks").size() - first_case(good()));
}

TEST(CommittedContradictions, EachIsFoundWhereItIsInOneLine) {
  for (const planted& p : all_planted()) {
    SCOPED_TRACE(p.what);
    std::vector<std::string> here;
    for (const finding& f : verified(with(p)).findings) {
      EXPECT_EQ(f.text().find('\n'), std::string::npos);
      EXPECT_THAT(f.text(), HasSubstr("expected"));
      EXPECT_THAT(f.text(), HasSubstr("found"));
      EXPECT_EQ(f.pointer.starts_with("/benchmarks/"), !f.case_name.empty());
      EXPECT_THAT(f.text(), HasSubstr(f.case_name));
      if (f.weight == p.weight) here.push_back(f.pointer);
    }
    EXPECT_THAT(here, ::testing::Contains(HasSubstr(p.found_at)));
  }
}

/// What is found of floors that the cases beat, each after `change` of their work.
std::vector<std::string> beaten_after(const std::function<void(ordered_json& work)>& change) {
  checked_record r = good();
  for (ordered_json& entry : r.json["benchmarks"])
    if (!entry.contains("ceiling")) change(entry["work"]);
  write_floors(r);
  std::vector<std::string> out;
  for (const finding& f : verified(r).findings)
    if (f.what.find("the task's floor") != std::string::npos) out.push_back(f.text());
  return out;
}

TEST(CommittedContradictions, ACaseThatBeatsItsFloorIsFoundAndOneThatBeatsAModelIsNot) {
  const auto by = [](const char* key, double factor) {
    return [key, factor](ordered_json& work) { work[key] = factor * work[key].get<double>(); };
  };
  const auto by_flops = beaten_after(by("flops", 30));
  ASSERT_GE(by_flops.size(), 1u);
  EXPECT_THAT(by_flops[0], HasSubstr("/time_us/median"));
  EXPECT_THAT(by_flops[0], HasSubstr("the task's floor by flops"));
  EXPECT_THAT(beaten_after(by("bytes", 30))[0], HasSubstr("the task's floor by bytes"));
  EXPECT_THAT(beaten_after(by("gathered_bytes", 1000)), ::testing::IsEmpty());
  EXPECT_THAT(beaten_after([](ordered_json& work) { work["steps"][0]["flops"] = 1e15; }),
              ::testing::IsEmpty());
  EXPECT_THAT(beaten_after([](ordered_json& work) { work["atomics"] = 1e12; }), ::testing::IsEmpty());
  EXPECT_THAT(beaten_after([](ordered_json&) {}), ::testing::IsEmpty());
}

/// The first case with a floor of this many times its median.
std::size_t found_at(double floor_over_median) {
  const ordered_json& entry = good().json.at("benchmarks").at(first_case(good()));
  const double factor = floor_over_median * entry.at("floors").at("time_over_floor").get<double>();
  std::size_t here = 0;
  for (const std::string& text :
       beaten_after([&](ordered_json& work) { work["flops"] = factor * work["flops"].get<double>(); }))
    here += text.find(entry.at("name").get<std::string>()) != std::string::npos;
  return here;
}

TEST(CommittedContradictions, AFloorMayBeAsFarAboveTheTimeAsCeilingsVary) {
  const ordered_json& time = good().json.at("benchmarks").at(first_case(good())).at("time_us");
  const double most = time.at("ci95_high").get<double>() / time.at("median").get<double>();
  EXPECT_EQ(found_at(most * 1.015), 0u);
  EXPECT_EQ(found_at(most * 1.025), 1u);
}

/// As a later launch of a suite has it.
void keep_blocks(ordered_json& entry) {
  ordered_json& time = entry["time_us"];
  measured_case::timing of{};
  for (const ordered_json& sample : time["samples"]) of.samples_us.push_back(sample.get<double>());
  keep_block_medians(of);
  time["samples"] = of.samples_us;
  time["samples_per_block"] = of.samples_per_block.value();
  entry["iterations"] = of.sample_count() * time["launches_per_sample"].get<long>();
}

TEST(CommittedContradictions, MediansOfBlocksAreHeldToTheMedianOfAll) {
  checked_record r = good();
  ordered_json& entry = r.json["benchmarks"][first_case(r)];
  keep_blocks(entry);
  EXPECT_EQ(verified(r).findings.size(), 0u);
  const ordered_json kept = entry;
  const auto found_at = [&](const char* pointer) {
    std::vector<std::string> here;
    for (const finding& f : verified(r).findings) here.push_back(f.pointer);
    EXPECT_THAT(here, ::testing::Contains(HasSubstr(pointer)));
    entry = kept;
  };
  entry["time_us"]["samples_per_block"] = 1000;
  found_at("/iterations");
  for (ordered_json& median : entry["time_us"]["samples"]) median = 1.01 * median.get<double>();
  found_at("/time_us/median");
  for (ordered_json& median : entry["time_us"]["samples"]) median = 0.5 * median.get<double>();
  found_at("/time_us/min");
}

TEST(CommittedContradictions, PassesThatDifferMakeAMarkOfWhatIsBeyondItsBound) {
  checked_record r = good();
  ordered_json& counters = r.json["benchmarks"][first_case(r)]["counters"];
  constexpr const char* share = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
  counters["values"][share] = counters["kernels"][0]["values"][share] = 120.0;
  counters["coherent"] = false;
  const verification found = verified(r);
  EXPECT_EQ(found.contradictions(), 0u);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_THAT(found.findings[0].text(), HasSubstr("mark: expected at most 100, found 120"));
}

TEST(CommittedContradictions, ACaseThatIsMissingIsNamed) {
  const auto findings = verified(with({"a dropped case", "", {}, ""})).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].text(),
              HasSubstr(good().json.at("benchmarks").at(first_case(good())).at("name").get<std::string>()));
}

}  // namespace
}  // namespace ablate::verify::committed_contradictions_test

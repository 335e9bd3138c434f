#include "reports/compare/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "reports/compare/devices_outputs.h"
#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/refusal.h"

namespace ablate::compare::devices_test {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *merged_2048 = "scatter/merged/items=2048/layout=rows/@cold-clean",
                     *direct_2048 = "scatter/direct/items=2048/layout=rows/@cold-clean",
                     *direct_4096 = "scatter/direct/items=4096/layout=rows/@cold-clean",
                     *hot = "scatter/direct/items=1024/layout=rows/@hot";

ordered_json& entry_of(ordered_json& json, const std::string& name) {
  for (ordered_json& entry : json["benchmarks"])
    if (entry["name"] == name) return entry;
  throw std::out_of_range(name);
}

void scale(ordered_json& entry, double by) {
  ordered_json& time = entry["time_us"];
  for (const char* key : {"median", "min", "mad", "ci95_low", "ci95_high"})
    time[key] = by * time[key].get<double>();
  for (ordered_json& sample : time["samples"]) sample = by * sample.get<double>();
}

/// Of another kind of GPU, twice as fast where memory binds: but `merged` at 2048 items, which is slower
/// there. One case was not measured, of another one the input differs.
ordered_json other_kind() {
  ordered_json out = reports::made_record();
  ordered_json& device = out["context"]["ablate"]["device"];
  device["name"] = "Other GPU";
  device["uuid"] = "GPU-other";
  scale(entry_of(out, "ceilings/copy/resource=dram/@cold-clean"), 0.5);
  scale(entry_of(out, merged_2048), 1.5);
  scale(entry_of(out, direct_2048), 0.375);
  entry_of(out, hot)["input"]["hash"] = "00000000000000cc";
  ordered_json lost = out["unmeasured"][0];
  for (const char* key : {"name", "operation", "variant", "cache_state", "axes"})
    lost[key] = entry_of(out, direct_4096)[key];
  lost["status"] = "timeout";
  lost["reason"] = "took too long";
  out["unmeasured"].push_back(lost);
  auto& all = out["benchmarks"];
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i]["name"] == direct_4096) all.erase(i);
  return out;
}

std::vector<record> side(const std::string& name, const ordered_json& json) {
  const std::filesystem::path path = reports::fresh_folder() / name;
  std::ofstream(path, std::ios::binary) << json.dump();
  return {read_record(path)};
}

struct compared {
  std::vector<record> first = side("first.json", reports::made_record()),
                      second = side("second.json", other_kind());
  device_comparison made = compare_devices(first, second);

  const device_pair& pair(const std::string& name) const {
    for (const device_pair& p : made.pairs)
      if (p.name == name) return p;
    throw std::out_of_range(name);
  }
};

TEST(TwoDevices, AreTwoKindsWhereTheProductsDiffer) {
  const std::vector<record> first = side("a.json", reports::made_record());
  ordered_json json = reports::made_record();
  json["context"]["ablate"]["device"]["uuid"] = "GPU-other";
  EXPECT_FALSE(are_two_kinds(first[0], side("b.json", json)[0])) << "two specimens of one kind";
  EXPECT_TRUE(are_two_kinds(first[0], side("c.json", other_kind())[0]));
  json = other_kind();
  json["context"]["ablate"]["device"]["kind"] = "host";
  EXPECT_FALSE(are_two_kinds(first[0], side("d.json", json)[0])) << "a host is no GPU";
}

TEST(TwoDevices, RatiosHaveTheIntervalsOfTheRecords) {
  const compared of;
  EXPECT_EQ(of.made.first_label, "Imaginary GPU");
  const device_pair& p = of.pair(direct_2048);
  EXPECT_NEAR(p.faster.ratio, 8 / 3.0, 1e-9);
  EXPECT_NEAR(p.faster.low, 7.75 / (0.375 * 8.25), 1e-9);
  EXPECT_NEAR(p.faster.high, 8.25 / (0.375 * 7.75), 1e-9);
  EXPECT_TRUE(of.pair("scatter/merged/items=1024/layout=rows/@cold-clean").faster.includes_one());
  EXPECT_TRUE(of.pair("ceilings/copy/resource=dram/@cold-clean").is_calibration);
}

TEST(TwoDevices, ChipsAreCalledByTheirNames) {
  ordered_json a = reports::made_record(), b = other_kind();
  a["context"]["ablate"]["device"]["chip"] = "h100";
  b["context"]["ablate"]["device"]["chip"] = "h200";
  const device_comparison made = compare_devices(side("a.json", a), side("b.json", b));
  EXPECT_EQ(made.first_label, "H100");
  EXPECT_EQ(made.second_label, "H200");
}

TEST(TwoDevices, VariantsThatChangePlacesAreTold) {
  const compared of;
  ASSERT_EQ(of.made.flips.size(), 1u);
  EXPECT_EQ(of.made.variant_pairs, 2u) << "of 1024 and 2048 items";
  const rank_flip& flip = of.made.flips[0];
  EXPECT_EQ(flip.faster_on_first, "merged");
  EXPECT_EQ(flip.faster_on_second, "direct");
  EXPECT_NEAR(flip.on_first, 2, 1e-9);
  EXPECT_NEAR(flip.on_second, 2, 1e-9);
  for (const device_workload& w : of.made.workloads)
    if (w.fastest_on_first != w.fastest_on_second) {
      EXPECT_NEAR(w.cost_of_first.value(), 2, 1e-9);
      EXPECT_NEAR(w.first_us / w.second_us, 4 / 3.0, 1e-9);
    } else {
      EXPECT_FALSE(w.cost_of_first);
    }
}

TEST(TwoDevices, AnOrderWithinTheIntervalsIsNoFlip) {
  ordered_json near = reports::made_record();
  near["context"]["ablate"]["device"]["name"] = "Other GPU";
  scale(entry_of(near, merged_2048), 2.02);  // 8.08, beside 8 with an interval of 7.75 to 8.25
  EXPECT_TRUE(compare_devices(side("a.json", reports::made_record()), side("b.json", near)).flips.empty());
}

TEST(TwoDevices, WhatHasNoRatioSaysWhy) {
  std::map<std::string, std::string> reasons;
  for (const uncompared_case& c : compared().made.uncompared) reasons[c.name] = c.reason;
  EXPECT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[hot], "the inputs differ");
  EXPECT_EQ(reasons[direct_4096], "not measured on the Other GPU: timeout: took too long");
}

TEST(TwoDevices, TablesAreByOperationCeilingAndWorkload) {
  const compared of;
  EXPECT_EQ(device_answer(of.made),
            "The Other GPU is faster in 1 of 4 cases, the Imaginary GPU in 1; 2 are level. In the median, "
            "times on the "
            "Imaginary GPU are 1.000× those on the Other GPU, from 0.667 to 2.667.");
  const std::string text = devices_text(of.made, of.first, of.second, false);
  EXPECT_THAT(text, AllOf(HasSubstr("nothing is judged, and the exit code is 0"), HasSubstr("By operation"),
                          HasSubstr("By binding ceiling"), HasSubstr("Measured ceilings"),
                          HasSubstr("By workload"), HasSubstr("1 of 2 pairs of variants change places"),
                          HasSubstr("differ by up to 12 %"), HasSubstr("not compared: 1: the inputs differ"),
                          Not(HasSubstr("INVALID")), Not(HasSubstr("SLOWER"))));
  std::map<std::string, std::vector<std::string>> bound;
  for (const device_table& table : device_tables(of.made))
    if (table.title == "By binding ceiling")
      for (const reports::table_line& line : table.rows.lines) bound[line.cells[0]] = line.cells;
  EXPECT_EQ(bound.at("launch")[5], "1.000");
  EXPECT_EQ(bound.at("bytes")[1], "2");
  EXPECT_EQ(bound.at("bytes")[6], "0.667 to 2.667");
  EXPECT_THAT(devices_markdown(of.made, of.first, of.second),
              AllOf(HasSubstr("# Imaginary GPU and Other GPU"), HasSubstr("## Rank flips"),
                    HasSubstr("| scatter | 4 | 1 | 1 | 2 | 1.000 | 0.667 to 2.667 |"),
                    HasSubstr("## Cases that were not compared")));
}

TEST(TwoDevices, SeveralLaunchesSpanTheirIntervals) {
  ordered_json slow = other_kind();
  slow["context"]["date"] = "2026-01-03T03:04:05+00:00";
  scale(entry_of(slow, direct_2048), 1.2);
  std::vector<record> second = side("b.json", other_kind());
  second.push_back(side("c.json", slow)[0]);
  const device_comparison made = compare_devices(side("a.json", reports::made_record()), second);
  for (const device_pair& p : made.pairs)
    if (p.name == direct_2048) {
      EXPECT_NEAR(p.second.median_us, 3.3, 1e-9);
      EXPECT_NEAR(p.faster.low, 7.75 / (0.375 * 8.25 * 1.2), 1e-9);
      EXPECT_NEAR(p.faster.high, 8.25 / (0.375 * 7.75), 1e-9);
    }
}

TEST(TwoDevices, WithoutACaseInBothTheyAreRefused) {
  ordered_json none = other_kind();
  none["benchmarks"] = ordered_json::array();
  EXPECT_THAT(test_support::refusal_from(
                  [&] { compare_devices(side("a.json", reports::made_record()), side("b.json", none)); }),
              HasSubstr("expected a case that"));
}

TEST(TwoDevices, TheJsonHoldsToItsSchema) {
  const compared of;
  const ordered_json json = devices_json(of.made, of.first, of.second);
  EXPECT_EQ(json["cases"].size(), 6u);
  EXPECT_EQ(json["flips"][0]["faster_on_second"], "direct");
  EXPECT_EQ(json["operations"][0]["level"], 2);
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const std::filesystem::path file = reports::written("devices.json", json.dump(1));
  const auto result = process::run(
      {"node", (reports::renderer_directory() / "validate.mjs").string(),
       (reports::renderer_directory() / "schema" / "two_devices.schema.json").string(), file.string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace
}  // namespace ablate::compare::devices_test

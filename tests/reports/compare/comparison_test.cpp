#include "reports/compare/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/record/identity.h"
#include "base/text/bad_input.h"
#include "reports/compare/outputs.h"
#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/refusal.h"

namespace ablate::compare::comparison_test {
namespace {

using gate::verdict;
using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* direct_4096 = "scatter/direct/items=4096/layout=rows/@cold-clean";

gate::gate_policy shipped() {
  return gate::read_policy(test_support::source_path("suites/gates/default.json"));
}

/// The made record, a thousand times as slow so that no case is short, with 30 samples a case.
ordered_json base() {
  ordered_json out = reports::made_record();
  for (ordered_json& entry : out["benchmarks"]) {
    ordered_json& time = entry["time_us"];
    const double median = 1000 * time["median"].get<double>();
    time = {{"median", median},
            {"min", 0.99 * median},
            {"mad", 0.001 * median},
            {"ci95_low", 0.999 * median},
            {"ci95_high", 1.001 * median},
            {"method", time["method"]},
            {"launches_per_sample", 1},
            {"warmup_launches", 1},
            {"stopped_by", "samples"},
            {"samples", ordered_json::array()}};
    for (int i = 0; i < 30; ++i) time["samples"].push_back(median * (0.999 + 0.002 * i / 29));
    entry["device_state"] = nullptr;
  }
  return out;
}

ordered_json& entry_of(ordered_json& json, const std::string& name) {
  for (ordered_json& entry : json["benchmarks"])
    if (entry["name"] == name) return entry;
  throw std::out_of_range(name);
}

void scale(ordered_json& entry, double by) {
  for (const char* key : {"median", "min", "mad", "ci95_low", "ci95_high"})
    entry["time_us"][key] = by * entry["time_us"][key].get<double>();
  for (ordered_json& sample : entry["time_us"]["samples"]) sample = by * sample.get<double>();
}

record read(const std::string& name, const ordered_json& json) {
  const std::filesystem::path path = reports::fresh_folder() / name;
  std::ofstream(path, std::ios::binary) << json.dump();
  return read_record(path);
}

record_comparison compared(const ordered_json& a, const ordered_json& b,
                           const std::set<agreement>& allowed = {}) {
  return compare_records({read("a.json", a)}, {read("b.json", b)}, shipped(), allowed);
}

/// What the one line says that refuses the candidate.
std::string refusal(const std::function<void(ordered_json&)>& change) {
  ordered_json b = base();
  change(b);
  return test_support::refusal_from([&] { compared(base(), b); });
}

const compared_case& case_named(const record_comparison& made, const std::string& name) {
  return *std::find_if(made.cases.begin(), made.cases.end(),
                       [&](const compared_case& c) { return c.decision.name == name; });
}

TEST(Compare, ARecordIsTheSameAsItself) {
  const record_comparison made = compared(base(), base());
  ASSERT_EQ(made.cases.size(), 8u);
  for (const compared_case& c : made.cases) {
    EXPECT_EQ(c.decision.word, verdict::same) << c.decision.name;
    EXPECT_NEAR(c.decision.ratio.estimate, 0, 1e-12);
    EXPECT_EQ(c.baseline_values, 30u);
  }
  EXPECT_TRUE(made.one_launch);
  EXPECT_EQ(gate::missing_cases(made.unmatched), 3u) << "what neither measured is told";
  EXPECT_THAT(made.notes, ElementsAre("Both sides were built from the same sources."));
}

TEST(Compare, CasesAreSortedByEffectAndJudgedByWhatOneLaunchCanTell) {
  ordered_json b = base();
  scale(entry_of(b, direct_4096), 1.10);
  scale(entry_of(b, "scatter/direct/items=2048/layout=rows/@cold-clean"), 0.90);
  scale(entry_of(b, "scatter/merged/items=2048/layout=rows/@cold-clean"), 1.03);
  const record_comparison made = compared(base(), b);
  EXPECT_EQ(made.cases.front().decision.name, direct_4096);
  EXPECT_EQ(made.cases.front().decision.word, verdict::slower);
  EXPECT_NEAR(gate::percent_of_log(made.cases.front().decision.ratio.estimate), 10, 1e-6);
  EXPECT_EQ(made.cases[1].decision.word, verdict::inconclusive);
  EXPECT_EQ(made.cases[1].decision.reason, "within what single launches may differ by");
  EXPECT_EQ(made.cases.back().decision.word, verdict::faster);
}

TEST(Compare, ShortCasesNeedMoreOnOneLaunch) {
  ordered_json a = base(), b = base();
  for (ordered_json* json : {&a, &b}) scale(entry_of(*json, direct_4096), 1e-3);
  scale(entry_of(b, direct_4096), 1.2);
  EXPECT_EQ(case_named(compared(a, b), direct_4096).decision.word, verdict::inconclusive);
  scale(entry_of(b, direct_4096), 1.2);
  EXPECT_EQ(case_named(compared(a, b), direct_4096).decision.word, verdict::slower);
}

TEST(Compare, TheExitCodeIsTheGates) {
  EXPECT_EQ(exit_code_of(compared(base(), base()), true), 3) << "the made record has a wrong case";
  ordered_json right = base();
  right["unmeasured"].erase(0);
  EXPECT_EQ(exit_code_of(compared(base(), right), false), 4) << "a case of the baseline is gone";
  EXPECT_EQ(exit_code_of(compared(base(), right), true), 4) << "two cases were never measured";
  right["unmeasured"] = ordered_json::array();
  EXPECT_EQ(exit_code_of(compared(right, right), true), 0);
  ordered_json b = right;
  scale(entry_of(b, direct_4096), 1.10);
  EXPECT_EQ(exit_code_of(compared(right, b), false), 1);
  b = right;
  scale(entry_of(b, direct_4096), 1.03);
  EXPECT_EQ(exit_code_of(compared(right, b), false), 0);
  EXPECT_EQ(exit_code_of(compared(right, b), true), 4);
}

TEST(Compare, WhereNothingCouldBeJudgedTheExitCodeIsFour) {
  ordered_json a = base();
  a["unmeasured"] = ordered_json::array();
  const ordered_json cases = a["benchmarks"];
  a["benchmarks"] = ordered_json::array();
  for (const ordered_json& entry : cases)
    if (entry.contains("ceiling")) a["benchmarks"].push_back(entry);
  EXPECT_EQ(exit_code_of(compared(a, a), false), 4) << "calibrations are no cases";
}

TEST(Compare, WhatVanishedIsCountedAndNeverPasses) {
  ordered_json a = base();
  a["unmeasured"] = ordered_json::array();
  ordered_json b = a;
  for (int i = 0; i < 30; ++i) {
    ordered_json entry = entry_of(a, direct_4096);
    entry["name"] = entry["run_name"] =
        fmt::format("scatter/direct/items={}/layout=rows/@cold-clean", 5000 + i);
    a["benchmarks"].push_back(entry);
  }
  const record_comparison made = compared(a, b);
  EXPECT_EQ(gate::missing_cases(made.unmatched), 30u);
  EXPECT_THAT(comparison_text(made, false),
              HasSubstr("GONE: 27 more, for the same reason; --all lists them"));
  EXPECT_THAT(comparison_text(made, true), HasSubstr("GONE: scatter/direct/items=5029"));
  EXPECT_EQ(exit_code_of(made, false), 4);
  EXPECT_THAT(comparison_text(made, false),
              HasSubstr("INCONCLUSIVE: 30 cases of the baseline are no longer compared"));
  EXPECT_EQ(exit_code_of(made, true), 4);
  const record_comparison other_way = compared(b, a);
  EXPECT_EQ(gate::missing_cases(other_way.unmatched), 0u);
  EXPECT_THAT(comparison_text(other_way, false),
              HasSubstr("NEW: 27 more, for the same reason; --all lists them"));
  EXPECT_EQ(exit_code_of(other_way, true), 0);
}

TEST(Compare, OfAHostItSaysThatItIsNoGpu) {
  ordered_json host = base();
  host["context"]["ablate"]["device"]["kind"] = "host";
  EXPECT_THAT(compared(host, host).notes, ::testing::Contains(HasSubstr("host references")));
}

TEST(Compare, WhatTheCandidateDidNotRunIsListedFirstAndFails) {
  ordered_json b = base();
  b["unmeasured"].erase(0);
  for (auto entry = b["benchmarks"].begin(); entry != b["benchmarks"].end();) {
    const std::string name = (*entry)["name"];
    const bool goes = name == direct_4096 || name == "scatter/direct/items=1024/layout=rows/@cold-clean";
    entry = goes ? b["benchmarks"].erase(entry) : entry + 1;
  }
  ordered_json failed = b["unmeasured"][0];
  failed["name"] = direct_4096;
  failed["status"] = "timeout";
  failed["reason"] = "no end in 60 s";
  b["unmeasured"].push_back(failed);
  const record_comparison made = compared(base(), b);
  ASSERT_EQ(made.unmatched.size(), 5u);
  EXPECT_EQ(made.unmatched[0].reason, "the candidate: no such case");
  EXPECT_EQ(made.unmatched[1].name, direct_4096);
  EXPECT_EQ(made.unmatched[1].reason, "the candidate: timeout: no end in 60 s");
  EXPECT_EQ(made.unmatched[3].kind, gate::mismatch::unmeasured);
  EXPECT_EQ(exit_code_of(made, false), 75);
}

TEST(Compare, RecordsThatDifferInKindAreRefusedInOneLine) {
  EXPECT_THAT(refusal([](ordered_json& b) { b["context"]["ablate"]["device"]["name"] = "Other GPU"; }),
              HasSubstr("b.json: expected a record like the baseline's, but the devices differ in name: "
                        "Imaginary GPU and Other GPU (--allow device)"));
  EXPECT_THAT(refusal([](ordered_json& b) { b["context"]["ablate"]["device"]["uuid"] = "GPU-2"; }),
              HasSubstr("two specimens of the device: GPU-none and GPU-2 (--allow specimen)"));
  EXPECT_THAT(refusal([](ordered_json& b) { b["context"]["ablate"]["seed"] = 8; }),
              HasSubstr("the seeds are 7 and 8 (--allow seed)"));
  EXPECT_THAT(
      refusal([](ordered_json& b) { entry_of(b, direct_4096)["time_us"]["method"] = "graph"; }),
      HasSubstr("the sampling methods of scatter/direct/items=4096/layout=rows/@cold-clean are events "
                "and graph (--allow method)"));
  EXPECT_THAT(
      refusal([](ordered_json& b) { entry_of(b, direct_4096)["input"]["hash"] = "00000000000000bb"; }),
      HasSubstr("are 00000000000000aa and 00000000000000bb (--allow workload)"));
  const std::string both = refusal([](ordered_json& b) {
    b["context"]["ablate"]["device"]["uuid"] = "GPU-2";
    for (ordered_json& entry : b["benchmarks"]) entry["input"]["hash"] = "00000000000000bb";
  });
  EXPECT_THAT(both, HasSubstr("(--allow specimen); the inputs of"));
  EXPECT_THAT(both, HasSubstr("and 7 more like it (--allow workload)"));
  EXPECT_THAT(both, Not(HasSubstr("\n")));
}

TEST(Compare, CasesOfMergedRecordsMeetOnOneSpecimen) {
  const auto merged = [](const char* of_one_case) {
    ordered_json r = base();
    r["context"]["ablate"]["device"]["uuid"] = nullptr;
    r["context"]["ablate"]["parts"] = ordered_json::array();
    for (const char* specimen : {"GPU-1", "GPU-2"})
      r["context"]["ablate"]["parts"].push_back({{"specimen", specimen},
                                                 {"host_name", "h"},
                                                 {"date", "d"},
                                                 {"calibrations", ordered_json::object()}});
    for (ordered_json& entry : r["benchmarks"]) entry["specimen"] = "GPU-1";
    entry_of(r, direct_4096)["specimen"] = of_one_case;
    return r;
  };
  EXPECT_EQ(exit_code_of(compared(merged("GPU-2"), merged("GPU-2")), false), 3)
      << "the made record has a wrong case, which is all that is found";
  try {
    compared(merged("GPU-1"), merged("GPU-2"));
    FAIL() << "one case met on two GPUs";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr(std::string("two specimens of the device measured ") + direct_4096 +
                                    ": GPU-1 and GPU-2 (--allow specimen)"));
  }
}

TEST(Compare, WhatIsAllowedIsNoted) {
  ordered_json b = base();
  b["context"]["ablate"]["device"]["uuid"] = "GPU-2";
  const record_comparison made = compared(base(), b, {agreement::specimen});
  EXPECT_THAT(made.notes.back(), HasSubstr("Allowed: these are two specimens"));
}

TEST(Compare, AnotherSeedIsAnotherInputByIntention) {
  ordered_json b = base();
  b["context"]["ablate"]["seed"] = 8;
  for (ordered_json& entry : b["benchmarks"]) entry["input"]["hash"] = "00000000000000bb";
  EXPECT_EQ(compared(base(), b, {agreement::seed}).cases.size(), 8u);
}

TEST(Compare, CacheStatesMeetOnlyWhereAllowed) {
  const std::string hot = "scatter/direct/items=1024/layout=rows/@hot";
  ordered_json b = base();
  ordered_json& moved = entry_of(b, direct_4096);
  const std::string name = "scatter/direct/items=4096/layout=rows/@hot";
  moved["name"] = moved["run_name"] = name;
  moved["cache_state"] = "hot";
  try {
    compared(base(), b);
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("(--allow cache-state)"));
  }
  const record_comparison made = compared(base(), b, {agreement::cache_state});
  EXPECT_EQ(case_named(made, direct_4096).candidate_name, name);
  EXPECT_EQ(case_named(made, hot).candidate_name, hot) << "a state that both have is not mixed";
}

TEST(Compare, NothingInCommonIsRefused) {
  EXPECT_THAT(
      refusal([](ordered_json& b) { b["benchmarks"] = ordered_json::array(); }),
      HasSubstr("b.json: /benchmarks: expected a case that the baseline has too, found none of its 8"));
}

TEST(Compare, AControlThatChangesOrCasesThatAllDoAreTheEnvironment) {
  ordered_json b = base();
  scale(entry_of(b, "ceilings/copy/resource=dram/@cold-clean"), 1.2);
  record_comparison made = compared(base(), b);
  ASSERT_TRUE(made.invalid_run);
  EXPECT_THAT(*made.invalid_run, HasSubstr("ceilings/copy/resource=dram/@cold-clean changed by +20.00 %"));
  EXPECT_FALSE(compared(base(), b, {agreement::environment}).invalid_run);
  b = base();
  for (ordered_json& entry : b["benchmarks"])
    if (!entry.contains("ceiling")) scale(entry, 1.06);
  made = compared(base(), b);
  ASSERT_TRUE(made.invalid_run);
  EXPECT_THAT(*made.invalid_run, HasSubstr("6 of 6 cases are slower by more than 5 %"));
}

TEST(Compare, AClockThatWasHeldDownMakesACaseInvalid) {
  ordered_json b = base();
  entry_of(b, direct_4096)["device_state"] = {
      {"before", nullptr},
      {"after", {{"sm_clock_mhz", 900}, {"memory_clock_mhz", 2000}, {"event_reasons", {"hw_slowdown"}}}}};
  const compared_case c = case_named(compared(base(), b), direct_4096);
  EXPECT_EQ(c.decision.word, verdict::invalid);
  EXPECT_THAT(c.decision.reason, HasSubstr("hw_slowdown"));
}

/// So many launches, each slower by a step more than the one before it.
std::vector<record> launches(const char* side, std::size_t count, double by, double step = 0.001) {
  std::vector<record> out;
  for (std::size_t i = 0; i < count; ++i) {
    ordered_json json = base();
    for (ordered_json& entry : json["benchmarks"]) scale(entry, 1 + step * static_cast<double>(i));
    scale(entry_of(json, direct_4096), by);
    out.push_back(read(side + std::to_string(i) + ".json", json));
  }
  return out;
}

TEST(Compare, SeveralRecordsASideTellSmallEffects) {
  const record_comparison made = compare_records(launches("a", 5, 1), launches("b", 5, 1.03), shipped(), {});
  EXPECT_FALSE(made.one_launch);
  const compared_case& slower = made.cases.front();
  EXPECT_EQ(slower.decision.name, direct_4096);
  EXPECT_EQ(slower.decision.word, verdict::slower);
  EXPECT_EQ(slower.decision.limit.delta_pct, 2);
  EXPECT_EQ(slower.baseline_values, 5u);
  EXPECT_EQ(made.cases.back().decision.word, verdict::same);
}

TEST(Compare, ACaseThatSomeLaunchesDidNotMeasureIsToldAndFails) {
  std::vector<record> a = launches("a", 5, 1), b = launches("b", 5, 1);
  for (std::vector<record>* side : {&a, &b})
    for (record& r : *side) r.unmeasured.clear();
  std::erase_if(b[3].cases, [](const measured_case& c) { return c.name == direct_4096; });
  const auto compared_launches = [&] { return compare_records(a, b, shipped(), {}); };
  record_comparison made = compared_launches();
  ASSERT_EQ(made.unmatched.size(), 1u);
  EXPECT_EQ(made.unmatched[0].kind, gate::mismatch::gone);
  EXPECT_EQ(made.unmatched[0].reason, "4 of 5 launches of the candidate measured it: no such case");
  EXPECT_EQ(exit_code_of(made, true), 4);
  b[3].unmeasured.push_back(
      {direct_4096, "scatter", "direct", "cold-clean", "timeout", "no end in 60 s", {}});
  made = compared_launches();
  EXPECT_EQ(exit_code_of(made, false), 75);
  EXPECT_EQ(made.unmatched[0].reason,
            "4 of 5 launches of the candidate measured it: timeout: no end in 60 s");
}

TEST(Compare, AFloorRaisesDelta) {
  gate::noise_floors floors;
  floors.fingerprint = history::device_fingerprint(read("a.json", base()));
  floors.runs = floors.pairs = 20;
  std::vector<record> a, b;
  ordered_json slower = base();
  scale(entry_of(slower, direct_4096), 1.04);
  for (int i = 0; i < 6; ++i) {
    a.push_back(read("a.json", base()));
    b.push_back(read("b.json", slower));
  }
  const auto word = [&](double floor_pct) {
    floors.cases[direct_4096] = {floor_pct, 1, {}};
    const record_comparison made = compare_records(a, b, shipped(), {}, &floors);
    EXPECT_THAT(made.notes, ::testing::Contains(HasSubstr("7 of 8 cases have no noise floor")));
    return case_named(made, direct_4096).decision.word;
  };
  EXPECT_EQ(word(1), verdict::slower);
  EXPECT_EQ(word(4.5), verdict::same);
  EXPECT_EQ(word(6), verdict::inconclusive);
  const record_comparison noisy = compare_records(a, b, shipped(), {}, &floors);
  EXPECT_FALSE(case_named(noisy, direct_4096).decision.can_fail());
  EXPECT_THAT(case_named(noisy, direct_4096).decision.reason, HasSubstr("too noisy"));

  floors.fingerprint = "kind=gpu, name=Another GPU";
  EXPECT_THROW(compare_records(a, b, shipped(), {}, &floors), bad_input);
}

TEST(Compare, TwoRecordsASideBoundNothing) {
  const record_comparison made = compare_records(launches("a", 2, 1), launches("b", 2, 1.03), shipped(), {});
  EXPECT_EQ(made.cases.front().decision.word, verdict::inconclusive);
  EXPECT_THAT(made.cases.front().decision.reason, HasSubstr("2 launches a side are too few"));
}

TEST(Compare, ASideIsOneBuild) {
  std::vector<record> side = launches("a", 2, 1);
  side[1].build.source_hash = std::string(64, '1');
  EXPECT_THROW(compare_records(side, launches("b", 2, 1), shipped(), {}), bad_input);
  EXPECT_THROW(compare_records(launches("a", 1, 1), launches("b", 2, 1), shipped(), {}), bad_input);
  EXPECT_THROW(compare_records({}, launches("b", 1, 1), shipped(), {}), bad_input);
}

TEST(Compare, TheTextFoldsWhatIsTheSame) {
  ordered_json b = base();
  scale(entry_of(b, direct_4096), 1.10);
  const record_comparison made = compared(base(), b);
  const std::string text = comparison_text(made, false);
  EXPECT_THAT(text, HasSubstr("SLOWER   +10.00 %  1.1000"));
  EXPECT_THAT(
      text, HasSubstr("8 cases: 1 SLOWER, 0 FASTER, 7 SAME, 0 INCONCLUSIVE, 0 INVALID; 3 missing; 1 wrong"));
  EXPECT_THAT(text, Not(HasSubstr("items=2048/layout=rows")));
  EXPECT_THAT(comparison_text(made, true), HasSubstr("items=2048/layout=rows"));
  const std::string markdown = comparison_markdown(made);
  EXPECT_THAT(markdown,
              HasSubstr(std::string("| ") + direct_4096 + " | SLOWER |  | 16000 | 17600 | 1.1000 |"));
  EXPECT_THAT(markdown, HasSubstr("<details><summary>7 cases are SAME</summary>"));
}

TEST(Compare, TheJsonHoldsToItsSchema) {
  std::vector<std::filesystem::path> files;
  ordered_json b = base();
  scale(entry_of(b, direct_4096), 1.10);
  b["benchmarks"].erase(2);
  const std::filesystem::path folder = reports::fresh_folder();
  const auto add = [&](const char* name, const record_comparison& made) {
    files.push_back(folder / name);
    std::ofstream(files.back(), std::ios::binary) << comparison_json(made, false).dump(1);
  };
  const record_comparison one = compared(base(), b);
  const record_comparison two = compare_records(launches("a", 2, 1), launches("b", 2, 1.03), shipped(), {});
  add("one.json", one);
  add("two.json", two);
  const ordered_json json = comparison_json(one, false);
  EXPECT_EQ(json["cases"][0]["verdict"], "SLOWER");
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_TRUE(comparison_json(two, false)["cases"][0]["ratio_low"].is_null()) << "never an infinity";
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const std::string schema = (reports::renderer_directory() / "schema" / "comparison.schema.json").string();
  for (const auto& file : files) {
    const auto result = process::run(
        {"node", (reports::renderer_directory() / "validate.mjs").string(), schema, file.string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
}

TEST(Compare, OfDevicesWithoutAUuidIsWrittenToo) {
  ordered_json made = base();
  made["context"]["ablate"]["device"]["uuid"] = nullptr;
  const record_comparison nulls = compared(made, made);
  EXPECT_TRUE(comparison_json(nulls, false)["baseline"][0]["uuid"].is_null());
  made["context"]["ablate"]["device"].erase("uuid");
  EXPECT_TRUE(comparison_json(compared(made, made), false)["candidate"][0]["uuid"].is_null());
}

TEST(Compare, WordsOfAgreementAreKnown) {
  for (const std::string& name : agreement_names()) EXPECT_EQ(name_of(agreement_named(name)), name);
  try {
    agreement_named("devise");
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("no kind of difference 'devise' (did you mean 'device'?)"));
  }
}

}  // namespace
}  // namespace ablate::compare::comparison_test

// scripts/rivals/attention_torch.py on a made record and made measurements: neither PyTorch nor a GPU takes
// part.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/record/record.h"
#include "tests/reports/made_record.h"
#include "tests/scripts/rivals_test.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"

namespace ablate::attention_torch_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The made record's first workload as attention: 8 windows of 4096 tokens, `offset` as it is where no rival
/// looks.
ordered_json attention_case(const std::string& operation, const std::string& offset, double median_us) {
  ordered_json entry = reports::made_record()["benchmarks"][2];
  entry["operation"] = operation;
  entry["variant"] = "hopper_online";
  entry["switches"] = {{"core", "hopper"}};
  entry["axes"] = {{"tokens", "16384"}, {"window", "4096"}, {"heads", "8"},
                   {"width", "64"},     {"batches", "2"},   {"offset", offset}};
  entry["name"] = entry["run_name"] = operation +
                                      "/hopper_online/tokens=16384/window=4096/heads=8/width=64/batches=2/"
                                      "offset=" +
                                      offset + "/@cold-clean";
  entry["input"] = {{"hash", "00000000000000aa"}, {"score_spread", 1.0}};
  entry["time_us"]["samples"] = {median_us};
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) entry["time_us"][key] = median_us;
  return entry;
}

ordered_json attention_record() {
  ordered_json made = reports::made_record();
  ordered_json benchmarks = {made["benchmarks"][0], made["benchmarks"][1]};
  benchmarks.push_back(attention_case("window_attention", "0", 100));
  benchmarks.push_back(attention_case("window_attention", "1", 101));
  benchmarks.push_back(attention_case("window_attention_backward", "0", 300));
  made["benchmarks"] = benchmarks;
  made["unmeasured"] = ordered_json::array();
  made["context"]["ablate"]["operations"] = {{"window_attention",
                                              {{"description", "attention"},
                                               {"baseline", "hopper_online"},
                                               {"axes", ordered_json::object()},
                                               {"variants", {{"hopper_online", "T3"}}}}}};
  return made;
}

ordered_json measurement(const std::string& operation, const std::string& variant) {
  return {{"operation", operation},
          {"variant", variant},
          {"shape", {{"sequences", 8}, {"heads", 8}, {"window", 4096}, {"width", 64}, {"score_spread", 1.0}}},
          {"status", "ok"},
          {"samples_us", {130.0, 120.0, 125.0004}},
          {"warmup_launches", 11},
          {"stopped_by", "samples"},
          {"max_error", 0.002}};
}

ordered_json turn(double us, double mhz) {
  return {{"median_us", us},
          {"sm_mhz", mhz},
          {"power_w", 650},
          {"event_reasons", {"sw_power_cap"}},
          {"steady", true}};
}

/// FlashAttention-2 took turns with ours on the workload of offset 0: 1.05 times as long, at a higher clock.
ordered_json with_turns(ordered_json measured) {
  measured["measurements"][0]["clock"] = {{"steady", true},
                                          {"sm_mhz", {{"median", 1900}, {"min", 1890}, {"max", 1910}}},
                                          {"power_w", nullptr},
                                          {"power_cap_w", 700},
                                          {"event_reasons", {"sw_power_cap"}},
                                          {"seconds", 1.5},
                                          {"dropped_samples", 12}};
  const ordered_json round = {{"flash_attention_2", turn(105, 1900)}, {"hopper_online", turn(100, 1800)}};
  measured["in_turns"] = {{{"name",
                            "window_attention/flash_attention_2/tokens=16384/window=4096/heads=8/width=64/"
                            "batches=2/offset=0/@cold-clean"},
                           {"rounds", {round, round, round}}}};
  return measured;
}

/// FlashAttention-2 was fast, cuDNN wrong.
ordered_json made_measurements() {
  ordered_json wrong = measurement("window_attention", "cudnn");
  for (const char* key : {"samples_us", "warmup_launches", "stopped_by", "max_error"}) wrong.erase(key);
  wrong["status"] = "wrong";
  wrong["reason"] = "before timing: relative error 3.00e-01";
  return {{"software", {{"torch", "2.11.0"}, {"cudnn", "9.19.0"}, {"cuda", "13.0"}}},
          {"device", {{"name", "Imaginary GPU"}, {"uuid", "none"}}},
          {"date", "2026-11-20T12:00:00+00:00"},
          {"measurements", {measurement("window_attention", "flash_attention_2"), wrong}}};
}

class AttentionTorch : public test_support::rivals_test {
 protected:
  AttentionTorch() : rivals_test("attention_torch.py") {}
};

std::vector<std::string> names_of(const ordered_json& entries) {
  std::vector<std::string> out;
  for (const ordered_json& entry : entries) {
    const auto name = entry["name"].get<std::string>();
    const auto offset = name.find("offset=");
    out.push_back(entry["operation"].get<std::string>() + " " + entry["variant"].get<std::string>() +
                  (offset == std::string::npos ? "" : " " + name.substr(offset + 7, 1)));
  }
  return out;
}

TEST_F(AttentionTorch, RivalsStandBehindEveryWorkloadOfTheirShape) {
  const auto result = add(attention_record(), made_measurements());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const ordered_json record = added();
  EXPECT_THAT(
      names_of(record["benchmarks"]),
      ElementsAre("ceilings copy", "ceilings empty", "window_attention hopper_online 0",
                  "window_attention flash_attention_2 0", "window_attention hopper_online 1",
                  "window_attention flash_attention_2 1", "window_attention_backward hopper_online 0"));
  EXPECT_THAT(names_of(record["unmeasured"]),
              ElementsAre("window_attention cudnn 0", "window_attention cudnn 1"));
  EXPECT_EQ(record["unmeasured"][0]["status"], "wrong");

  const ordered_json& rival = record["benchmarks"][3];
  const ordered_json& own = record["benchmarks"][2];
  EXPECT_EQ(rival["time_us"]["median"], 125.0);
  EXPECT_EQ(rival["time_us"]["min"], 120.0);
  EXPECT_EQ(rival["time_us"]["mad"], 5.0);
  EXPECT_EQ(rival["time_us"]["ci95_low"], 120.0);
  EXPECT_EQ(rival["time_us"]["ci95_high"], 130.0);
  EXPECT_EQ(rival["time_us"]["samples"], ordered_json({130.0, 120.0, 125.0}));
  EXPECT_EQ(rival["switches"], ordered_json({{"core", "flash_attention_2"}, {"rows", "contiguous"}}));
  EXPECT_EQ(rival["work"], own["work"]);
  EXPECT_EQ(rival["floors"]["binding"], "launch");
  EXPECT_DOUBLE_EQ(rival["floors"]["time_over_floor"].get<double>(), 62.5);
  EXPECT_EQ(rival["counters"]["set"], "none");
}

TEST_F(AttentionTorch, TheCommandIsThatOfTheMeasurement) {
  ordered_json measured = made_measurements();
  measured["arguments"] = {"out/x", "--in-turns", "ablate"};
  ASSERT_EQ(add(attention_record(), measured).exit_code, 0);
  EXPECT_THAT(added()["context"]["ablate"]["command"].get<std::string>(),
              ::testing::EndsWith("&& scripts/rivals/attention_torch.py out/x --in-turns ablate"));
}

TEST_F(AttentionTorch, WhereRowsLieScatteredNobodyIsCompared) {
  ordered_json made = attention_record();
  made["benchmarks"][2]["axes"]["rows"] = "random";
  made["benchmarks"][3]["axes"]["rows"] = "contiguous";
  ASSERT_EQ(add(made, made_measurements()).exit_code, 0);
  EXPECT_THAT(names_of(added()["benchmarks"]),
              ElementsAre("ceilings copy", "ceilings empty", "window_attention hopper_online 0",
                          "window_attention hopper_online 1", "window_attention flash_attention_2 1",
                          "window_attention_backward hopper_online 0"));
}

TEST_F(AttentionTorch, TheRecordSaysWhoWasAdded) {
  ASSERT_EQ(add(attention_record(), made_measurements()).exit_code, 0);
  const record r = read_record(folder_ / "record.json");
  ASSERT_EQ(r.rivals.size(), 1u);
  EXPECT_EQ(r.rivals[0].script, "scripts/rivals/attention_torch.py");
  EXPECT_EQ(*find_word(r.rivals[0].software, "cudnn"), "9.19.0");
  EXPECT_THAT(r.rivals[0].variants, ElementsAre("flash_attention_2", "cudnn"));
  EXPECT_THAT(r.command,
              HasSubstr("ablate run suites/made_by_hand.json && scripts/rivals/attention_torch.py "));
  EXPECT_THAT(r.suite_description, HasSubstr("Rivals were added after the run: flash_attention_2, cudnn."));
  EXPECT_NE(find_word(r.operations[0].variants, "cudnn"), nullptr);
}

TEST_F(AttentionTorch, BackwardIsAddedWhenAskedFor) {
  ordered_json measured = made_measurements();
  measured["measurements"].push_back(measurement("window_attention_backward", "cudnn"));
  const auto result = add(attention_record(), measured, {"--backward"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(names_of(added()["benchmarks"]).back(), "window_attention_backward cudnn 0");
  EXPECT_THAT(result.error, HasSubstr("1 cases have no rival: nothing of their shape was measured"));
}

TEST_F(AttentionTorch, ASecondCallReplacesTheFirst) {
  ASSERT_EQ(add(attention_record(), made_measurements()).exit_code, 0);
  const ordered_json once = added();
  ASSERT_EQ(add(once, made_measurements()).exit_code, 0);
  EXPECT_EQ(added(), once);
}

TEST_F(AttentionTorch, TurnsStandWithTheRivalThatTookThem) {
  ASSERT_EQ(add(attention_record(), with_turns(made_measurements())).exit_code, 0);
  const record r = read_record(folder_ / "record.json");
  for (const measured_case& c : r.cases) {
    const bool took = c.variant == "flash_attention_2" && *find_word(c.axes, "offset") == "0";
    EXPECT_EQ(c.in_turns.size(), took ? 3u : 0u) << c.name;
    if (took) {
      EXPECT_EQ(c.in_turns[0].at("hopper_online").sm_mhz, 1800);
    }
    if (c.variant == "flash_attention_2") {
      ASSERT_TRUE(c.time.clock);
      EXPECT_EQ(c.time.clock->sm_mhz, 1900);
      EXPECT_TRUE(c.time.clock->steady);
    }
  }
}

TEST_F(AttentionTorch, TheSchemaHolds) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  ASSERT_EQ(add(attention_record(), with_turns(made_measurements())).exit_code, 0);
  const auto result =
      process::run({"node", (reports::renderer_directory() / "validate.mjs").string(),
                    (reports::renderer_directory() / "schema" / "record.schema.json").string(),
                    (folder_ / "record.json").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(AttentionTorch, TheReportShowsRivalsAsVariants) {
  ASSERT_EQ(add(attention_record(), made_measurements()).exit_code, 0);
  const auto result = test_support::run_ablate(
      {"report", (folder_ / "record.json").string(), "--out", (folder_ / "report").string()});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const std::string summary = reports::text_of(folder_ / "report" / "summary.md");
  EXPECT_THAT(summary, HasSubstr("flash_attention_2"));
  EXPECT_THAT(summary, HasSubstr("added by `scripts/rivals/attention_torch.py` on 2026-11-20T12:00:00+00:00 "
                                 "(torch 2.11.0, cudnn 9.19.0, cuda 13.0)"));
  const std::string speedups = reports::text_of(folder_ / "report" / "speedup.csv");
  EXPECT_THAT(speedups, HasSubstr("flash_attention_2"));
}

TEST_F(AttentionTorch, AClaimComparesWithRivals) {
  ASSERT_EQ(add(attention_record(), made_measurements()).exit_code, 0);
  const auto claims = [&](const std::string& rival) {
    return put("claims.json", {{"name", "n"},
                               {"description", "d"},
                               {"claims",
                                {{{"id", "c"},
                                  {"source", {{"document", "d"}, {"section", "s"}}},
                                  {"registered", "2026-01-01"},
                                  {"statement", "t"},
                                  {"quantity",
                                   {{"value", "time_us.median"},
                                    {"of", {{"operation", "window_attention"}, {"rivals", rival}}},
                                    {"over", {{"variants", "hopper_online"}}}}},
                                  {"expectation", {{"at_least", 1.15}}},
                                  {"holds_for", "every"}}}}})
        .string();
  };
  const std::string record = (folder_ / "record.json").string();
  const auto judged = test_support::run_ablate({"claims", record, "--claims", claims("flash_attention_2")});
  EXPECT_EQ(judged.exit_code, 0) << judged.error;
  EXPECT_THAT(judged.out, HasSubstr("1 reproduced"));
  ASSERT_EQ(add(attention_record(), with_turns(made_measurements())).exit_code, 0);
  const auto in_turns = test_support::run_ablate({"claims", record, "--claims", claims("flash_attention_2")});
  EXPECT_THAT(in_turns.out, HasSubstr("1 refuted")) << "1.25 by times that were taken apart, 1.05 in turns";
  const auto misspelt = test_support::run_ablate({"claims", record, "--claims", claims("cudn")});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.error,
              HasSubstr("/claims/0/quantity/of/rivals: no rival of 'window_attention' 'cudn' (did "
                        "you mean 'cudnn'?)"));
}

TEST_F(AttentionTorch, ARateOverARivalsIsOfTheTurnsToo) {
  const std::string record = (folder_ / "record.json").string();
  const auto judged = [&](const ordered_json& measured) {
    EXPECT_EQ(add(attention_record(), measured).exit_code, 0);
    const ordered_json of = {{"operation", "window_attention"}, {"rivals", "flash_attention_2"}};
    const ordered_json ours = {{"variants", "hopper_online"}};
    const auto claim = [](const char* id, const ordered_json& quantity, const ordered_json& expectation) {
      return ordered_json{{"id", id},
                          {"source", {{"document", "d"}, {"section", "s"}}},
                          {"registered", "2026-01-01"},
                          {"statement", "t"},
                          {"quantity", quantity},
                          {"expectation", expectation},
                          {"holds_for", "some"}};
    };
    ordered_json rate = {{"value", "work.bytes"}, {"per", "time_us.median"}, {"of", of}, {"over", ours}};
    const ordered_json rivals_over_ours = claim("a", rate, {{"at_least", 0.9}, {"at_most", 1.01}});
    std::swap(rate["of"], rate["over"]);
    rate["of"]["operation"] = "window_attention";
    rate["over"].erase("operation");
    const ordered_json ours_over_rivals = claim("b", rate, {{"at_least", 0.99}, {"at_most", 1.11}});
    const auto path =
        put("claims.json",
            {{"name", "n"}, {"description", "d"}, {"claims", {rivals_over_ours, ours_over_rivals}}});
    return test_support::run_ablate({"claims", record, "--claims", path.string()}).out;
  };
  EXPECT_THAT(judged(made_measurements()), HasSubstr("2 refuted")) << "0.8 and 1.25 by times taken apart";
  EXPECT_THAT(judged(with_turns(made_measurements())), HasSubstr("2 reproduced"))
      << "0.952 and 1.05 in turns";
}

TEST_F(AttentionTorch, WhatCannotBeIsRefusedInOneLine) {
  const auto refused = [&](const ordered_json& made, const ordered_json& measured,
                           const std::string& saying) {
    const auto result = add(made, measured);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.error, HasSubstr(saying));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_EQ(added(), made) << "the record was touched";
  };
  refused(reports::made_record(), made_measurements(), "/benchmarks: expected cases of window_attention");
  ordered_json other = made_measurements();
  other["device"]["uuid"] = "0123";
  refused(attention_record(), other, "/context/ablate/device/uuid: expected a record of this GPU, 0123");
  other["device"]["name"] = "Another GPU";
  refused(attention_record(), other,
          "/context/ablate/device/name: expected a record of this GPU, 'Another GPU'");
  refused(attention_record(), ordered_json::object(), "expected what --keep writes");
  ordered_json old = attention_record();
  old["context"]["ablate"]["record_schema"] = "3.0.0";
  refused(
      old, made_measurements(),
      "/context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's schema, found '3.0.0'");
}

}  // namespace
}  // namespace ablate::attention_torch_test

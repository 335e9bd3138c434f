#include "base/record/record.h"

#include <functional>

#include "base/text/bad_input.h"
#include "reports/explain/explanation.h"
#include "reports/explain/outputs.h"
#include "reports/views/record_tables.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::record_test {
namespace {

using nlohmann::ordered_json;

/// The made record with kernels that came from files, have a stack, and so no known spills.
record without_spills() {
  ordered_json made = made_record();
  for (auto& [name, builds] : made["context"]["ablate"]["kernels"].items())
    for (auto& [architecture, facts] : builds.items()) {
      facts["stack_bytes"] = 16;
      facts["spill_store_bytes"] = facts["spill_load_bytes"] = nullptr;
    }
  return read_record(written("record.json", made.dump()));
}

/// What reading says of the file, without the file's name; empty when it is read.
std::string refusal(const std::string& text) {
  const auto path = written("record.json", text);
  try {
    read_record(path);
    return "";
  } catch (const bad_input& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(path.string() + ": ")) << what;
    return what.substr(path.string().size() + 2);
  }
}

std::string refusal_after(const std::function<void(ordered_json&)>& change) {
  ordered_json made = made_record();
  change(made);
  return refusal(made.dump());
}

TEST(Record, KnowsNoSpillsOfKernelsFromFiles) {
  const record r = without_spills();
  const compiled_kernel& facts = r.kernels[1].second[1].second;
  EXPECT_EQ(facts.registers, 40);
  EXPECT_EQ(facts.stack_bytes, 16);
  EXPECT_FALSE(facts.spill_store_bytes);
  std::string cells;
  for (const auto& line : kernel_table(r, operation_views(r).front()).lines)
    for (const std::string& cell : line.cells) cells += cell + "|";
  EXPECT_NE(cells.find("|40|unknown|1024|"), std::string::npos) << cells;
  const std::string name = "scatter/merged/items=1024/layout=rows/@cold-clean";
  EXPECT_NE(explain::explanation_text(explain::explain_case(r, name, {}), true)
                .find("40 registers, spills unknown, shared 1024 B static"),
            std::string::npos);
  EXPECT_TRUE(explain::explanation_json(explain::explain_case(r, name, {}))
                  .at("kernels")
                  .at(0)
                  .at("compiled")
                  .at("spill_load_bytes")
                  .is_null());
}

TEST(Record, ReadsEveryPart) {
  const record r = read_record(made_record_path());
  EXPECT_EQ(r.suite_name, "made_by_hand");
  EXPECT_EQ(r.seed, 7u);
  EXPECT_TRUE(r.on_gpu);
  EXPECT_EQ(r.device_name, "Imaginary GPU");
  EXPECT_EQ(r.evidence.size(), 2u);
  EXPECT_EQ(r.evidence[1].reason, "no counters were requested");
  EXPECT_DOUBLE_EQ(r.ceilings.at("dram_bytes").rate_per_s, 1e12);
  EXPECT_DOUBLE_EQ(r.ceilings.at("launch").us, 2);
  ASSERT_EQ(r.kernels.size(), 2u);
  EXPECT_EQ(r.kernels[1].second[1].first, "sm_90a");
  EXPECT_EQ(r.kernels[1].second[1].second.registers, 40);
  ASSERT_EQ(r.operations.size(), 1u);
  EXPECT_EQ(r.operations[0].baseline, "direct");
  ASSERT_EQ(r.cases.size(), 8u);
  EXPECT_EQ(r.cases[0].ceiling, "dram_bytes");
  const measured_case& merged = r.cases[2];
  EXPECT_EQ(merged.variant, "merged");
  EXPECT_EQ(merged.axes, (named_words{{"items", "1024"}, {"layout", "rows"}}));
  EXPECT_EQ(merged.switches, (named_words{{"merge", "on"}}));
  EXPECT_DOUBLE_EQ(merged.time.median_us, 5);
  EXPECT_DOUBLE_EQ(merged.time.half_width_us(), 0.125);
  EXPECT_EQ(merged.time.samples_us, (std::vector<double>{4.875, 5, 5.125}));
  EXPECT_EQ(merged.floors->binding, "launch");
  EXPECT_EQ(merged.items(), 1024);
  EXPECT_EQ(merged.points_per_atomic(), 4);
  EXPECT_EQ(merged.kernels[0].block, (std::array<long, 3>{256, 1, 1}));
  EXPECT_FALSE(r.cases[3].points_per_atomic());
  ASSERT_EQ(r.unmeasured.size(), 3u);
  EXPECT_EQ(r.unmeasured[0].status, "wrong");
}

TEST(Record, ReadsAccessesAtRandom) {
  const record r = read_record(made_record_path());
  EXPECT_TRUE(r.cases[2].work.random.empty());
  EXPECT_EQ(r.cases[2].floors->random_us, 0);
  const measured_case& direct = r.cases[6];
  ASSERT_EQ(direct.work.random.size(), 1u);
  EXPECT_EQ(direct.work.random[0].resource, "random_cas");
  EXPECT_EQ(direct.work.random[0].footprint_bytes, 1 << 20);
  EXPECT_EQ(direct.work.random_accesses(), 1000);
  EXPECT_FALSE(direct.floors->random_us);
}

TEST(Record, ReadsThePipeOfFlopsWhereThereIsOne) {
  ordered_json made = made_record();
  made["benchmarks"][6]["work"]["flop_pipe"] = "fma_f32";
  const record r = read_record(written("record.json", made.dump()));
  EXPECT_EQ(r.cases[6].work.flop_pipe, "fma_f32");
  EXPECT_EQ(r.cases[5].work.flop_pipe, "");
  EXPECT_NE(refusal_after([](ordered_json& j) { j["benchmarks"][6]["work"]["flop_pipe"] = 3; }), "");
}

TEST(Record, RefusesBrokenAccessesAtRandom) {
  EXPECT_EQ(refusal_after([](ordered_json& j) {
              j["benchmarks"][6]["work"]["random"][0]["count"] = -1;
            }).substr(0, 35),
            "/benchmarks/6/work/random/0/count: ");
  EXPECT_NE(refusal_after([](ordered_json& j) { j["benchmarks"][6]["work"]["random"][0].erase("resource"); }),
            "");
  EXPECT_NE(refusal_after([](ordered_json& j) { j["benchmarks"][6]["work"]["random"] = 3; }), "");
  EXPECT_NE(refusal_after([](ordered_json& j) { j["benchmarks"][2]["floors"]["random_us"] = -1; }), "");
}

TEST(Record, ReadsRecordsFromBeforeAccessesAtRandom) {
  ordered_json made = made_record();
  made["context"]["ablate"]["record_schema"] = "1.0.0";
  for (ordered_json& entry : made["benchmarks"]) {
    entry.erase("quality");
    entry["work"].erase("random");
    entry["floors"].erase("random_us");
  }
  const record r = read_record(written("record.json", made.dump()));
  ASSERT_EQ(r.cases.size(), 8u);
  EXPECT_TRUE(r.cases[6].work.random.empty());
  EXPECT_FALSE(r.cases[6].floors->random_us);
}

TEST(Record, ReadsTheMemoryOfBuffersAndRecordsFromBefore) {
  EXPECT_FALSE(read_record(made_record_path()).cases[2].memory);
  ordered_json made = made_record();
  made["benchmarks"][2]["memory"] = {{"bytes", 96}, {"buffers", {{"points", 64}, {"grid", 32}}}};
  const record r = read_record(written("record.json", made.dump()));
  ASSERT_TRUE(r.cases[2].memory);
  EXPECT_EQ(r.cases[2].memory->bytes, 96);
  EXPECT_EQ(r.cases[2].memory->by_buffer[1], (std::pair<std::string, double>("grid", 32)));

  const auto refused = [&](const char* key, const ordered_json& value) {
    ordered_json broken = made;
    broken["benchmarks"][2]["memory"][key] = value;
    return refusal(broken.dump());
  };
  EXPECT_EQ(refused("bytes", 97), "/benchmarks/2/memory: expected buffers of 97 bytes together, found 96");
  EXPECT_EQ(refused("bytes", -1), "/benchmarks/2/memory/bytes: expected a number of at least 0, found -1");
  EXPECT_NE(refused("buffers", 96), "");
  EXPECT_NE(refused("buffers", {{"points", "64"}}), "");
}

TEST(Record, KnowsWhoseClockTookTheTime) {
  const auto with_method = [](const char* method) {
    return refusal_after([&](ordered_json& j) { j["benchmarks"][2]["time_us"]["method"] = method; });
  };
  EXPECT_EQ(with_method("host_clock_graph"), "");
  EXPECT_EQ(
      with_method("sundial"),
      "/benchmarks/2/time_us/method: expected one of events, graph, host_clock, host_clock_graph, found "
      "'sundial'");
}

TEST(Record, ReadsTheComparisonsOfItsSuite) {
  EXPECT_TRUE(read_record(made_record_path()).report.comparisons.empty());
  ordered_json made = made_record();
  made["context"]["ablate"]["suite"]["report"]["comparisons"] =
      ordered_json::array({{{"operations", {"scatter"}}, {"across", {"layout"}}, {"draw", {"counters"}}}});
  const record r = read_record(written("record.json", made.dump()));
  ASSERT_EQ(r.report.comparisons.size(), 1u);
  EXPECT_EQ(r.report.comparisons[0].across, std::vector<std::string>{"layout"});
  EXPECT_EQ(
      refusal_after([](ordered_json& j) {
        j["context"]["ablate"]["suite"]["report"]["comparisons"] = ordered_json::array({{{"operations", 3}}});
      }),
      "/context/ablate/suite/report/comparisons/0/operations: expected a string, found 3");
}

TEST(Record, ACheckTellsTheAcceptedErrorSince18) {
  ordered_json made = made_record();
  EXPECT_FALSE(read_record(made_record_path()).cases[0].check.accepted_error.has_value());
  made["benchmarks"][0]["check"]["timed"] = "accumulated";
  made["benchmarks"][0]["check"]["accepted_error"] = 0.5;
  EXPECT_EQ(read_record(written("record.json", made.dump())).cases[0].check.accepted_error, 0.5);
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][0]["check"]["timed"] = "perhaps"; }),
            "/benchmarks/0/check/timed: expected one of ok, accumulated, not_checked, found 'perhaps'");
}

TEST(Record, KeysOfALaterMinorVersionAreNoHindrance) {
  EXPECT_EQ(refusal_after([](ordered_json& j) {
              j["context"]["ablate"]["record_schema"] = "1.9.0";
              j["benchmarks"][2]["color"] = "green";
            }),
            "");
}

TEST(Record, RefusesAnotherMajorVersion) {
  EXPECT_EQ(
      refusal_after([](ordered_json& j) { j["context"]["ablate"]["record_schema"] = "3.0.0"; }),
      "/context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's schema, found '3.0.0'");
  EXPECT_EQ(
      refusal_after([](ordered_json& j) { j["context"]["ablate"]["record_schema"] = "10.0.0"; }),
      "/context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's schema, found '10.0.0'");
}

TEST(Record, RefusesATruncatedFileWithItsPlace) {
  const std::string whole = text_of(made_record_path());
  const std::size_t third = whole.find("\"median\":5.0");
  ASSERT_NE(third, std::string::npos);
  const std::string said = refusal(whole.substr(0, third + 11));
  EXPECT_NE(said.find("/benchmarks/2/time_us/median: expected more: the file ends before its JSON does"),
            std::string::npos)
      << said;
  EXPECT_EQ(refusal(""), "line 1, /: expected more: the file ends before its JSON does");
}

TEST(Record, NoTruncationIsEverRead) {
  const std::string whole = text_of(made_record_path());
  for (std::size_t length = 0; length + 2 < whole.size(); length += 997)
    EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
}

TEST(Record, RefusesNaNWithItsPlace) {
  std::string text = made_record().dump(1);
  const std::size_t at = text.find("\"mad\": 2.0");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "\"mad\": NaN");
  const std::string said = refusal(text);
  EXPECT_NE(
      said.find(", /benchmarks/0/time_us/mad: expected JSON (numbers are finite: neither NaN nor Infinity)"),
      std::string::npos)
      << said;
}

TEST(Record, RefusesNumbersBeyondDoubles) {
  std::string text = made_record().dump();
  const std::size_t at = text.find("\"mad\":2.0");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(refusal(text.replace(at, 9, "\"mad\":1e999")).find("/benchmarks/0/time_us/mad"),
            std::string::npos);
}

TEST(Record, RefusesAMissingKey) {
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][4]["time_us"].erase("median"); }),
            "/benchmarks/4/time_us: expected a key 'median', found none");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j.erase("unmeasured"); }),
            "/: expected a key 'unmeasured', found none");
  EXPECT_EQ(refusal("{}"), "/: expected a key 'context', found none");
}

TEST(Record, RefusesAWrongType) {
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][1]["axes"]["resource"] = 7; }),
            "/benchmarks/1/axes/resource: expected a string, found 7");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][1]["time_us"]["min"] = "2"; }),
            "/benchmarks/1/time_us/min: expected a number, found \"2\"");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"] = nullptr; }),
            "/benchmarks: expected an array, found null");
  EXPECT_EQ(refusal_after([](ordered_json& j) {
              j["benchmarks"][2]["kernels"][0]["grid"] = {1, 2};
            }),
            "/benchmarks/2/kernels/0/grid: expected three counts, found 2");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][2]["input"]["points"] = -1; }),
            "/benchmarks/2/input/points: expected a number of at least 0, found -1");
  EXPECT_EQ(refusal("[1]"), "/: expected an object, found an array");
}

TEST(Record, RefusesTimesThatCannotBe) {
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][0]["time_us"]["median"] = 0; }),
            "/benchmarks/0/time_us/median: expected a number above 0, found 0");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][0]["time_us"]["ci95_low"] = 3000; }),
            "/benchmarks/0/time_us: expected ci95_low <= median <= ci95_high, found 3000, 2000, 2004");
}

TEST(Record, RefusesCeilingsInOtherThanNumbers) {
  EXPECT_EQ(refusal_after(
                [](ordered_json& j) { j["context"]["ablate"]["ceilings"]["launch"]["rate_per_s"] = "fast"; }),
            "/context/ablate/ceilings/launch/rate_per_s: expected a number, found \"fast\"");
  EXPECT_EQ(refusal_after(
                [](ordered_json& j) { j["context"]["ablate"]["ceilings"]["dram_bytes"]["us"] = nullptr; }),
            "/context/ablate/ceilings/dram_bytes/us: expected a number, found null");
}

TEST(Record, RefusesFactsOfTheDeviceAndTheInputInOtherThanWords) {
  for (const char* fact : {"chip", "silicon", "uuid", "driver", "cuda_driver", "cuda_runtime"}) {
    const auto with = [&](const ordered_json& value) {
      return refusal_after([&](ordered_json& j) { j["context"]["ablate"]["device"][fact] = value; });
    };
    EXPECT_EQ(with(nullptr), "") << "not known";
    EXPECT_EQ(with(7), std::string("/context/ablate/device/") + fact + ": expected a string, found 7");
  }
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["context"]["ablate"]["device"]["architecture"] = 90; }),
            "/context/ablate/device/architecture: expected a string, found 90");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][2]["input"]["hash"] = 7; }),
            "/benchmarks/2/input/hash: expected a string, found 7");
}

TEST(Record, RefusesHashesThatAreNone) {
  for (const char* hash : {"commit", "source_hash"}) {
    const auto with = [&](const char* text) {
      return refusal_after([&](ordered_json& j) { j["context"]["ablate"]["build"][hash] = text; });
    };
    EXPECT_EQ(with(""), "") << "not known";
    EXPECT_EQ(with("caf\u00e9"), std::string("/context/ablate/build/") + hash +
                                     ": expected hexadecimal digits, found 'caf\u00e9'");
  }
}

TEST(Record, RefusesASeedThatNoSuiteHas) {
  const auto with_seed = [](const ordered_json& seed) {
    return refusal_after([&](ordered_json& j) { j["context"]["ablate"]["seed"] = seed; });
  };
  EXPECT_EQ(with_seed(18446744073709551615u), "");
  for (const ordered_json& none :
       {ordered_json(-1), ordered_json(1.5), ordered_json(1e300), ordered_json("7")})
    EXPECT_EQ(with_seed(none), "/context/ablate/seed: expected an integer from 0 to 18446744073709551615");
}

TEST(Record, RefusesWhatNestsDeeperThanAnyRecord) {
  const std::string opened(200000, '[');
  EXPECT_TRUE(refusal(opened).ends_with(": expected at most 64 levels of arrays and objects"));
  EXPECT_EQ(refusal_after([](ordered_json& j) {
              ordered_json deep;
              for (int i = 0; i < 62; ++i) deep = ordered_json::object({{"a", std::move(deep)}});
              j["benchmarks"] = std::move(deep);
            }),
            "/benchmarks: expected an array, found an object");
}

TEST(Record, AWrongCaseShowsNoTime) {
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["benchmarks"][0]["status"] = "wrong"; }),
            "/benchmarks/0/status: expected one of ok, found 'wrong'");
  EXPECT_EQ(refusal_after([](ordered_json& j) { j["unmeasured"][0]["status"] = "ok"; }),
            "/unmeasured/0/status: expected one of wrong, failed, out_of_memory, timeout, not_applicable, "
            "input_missing, "
            "interrupted, found 'ok'");
}

TEST(Record, RefusesACaseNameThatStandsTwice) {
  const ordered_json name = made_record()["benchmarks"][2]["name"];
  const std::string expected =
      "/name: expected a case of its own, found '" + name.get<std::string>() + "' of /benchmarks/2 again";
  EXPECT_EQ(refusal_after([&](ordered_json& j) { j["benchmarks"][4]["name"] = name; }),
            "/benchmarks/4" + expected);
  EXPECT_EQ(refusal_after([&](ordered_json& j) { j["unmeasured"][1]["name"] = name; }),
            "/unmeasured/1" + expected);
}

TEST(Record, SaysWhenThereIsNoFile) {
  const auto path = fresh_folder() / "none.json";
  try {
    read_record(path);
    FAIL() << "read a file that is not there";
  } catch (const bad_input& error) {
    EXPECT_EQ(std::string(error.what()), path.string() + ": expected a readable file");
  }
}

}  // namespace
}  // namespace ablate::reports::record_test

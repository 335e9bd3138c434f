#include "base/record/upgrade.h"

#include <functional>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/record/suite_report.h"
#include "base/record/writer.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::reports::upgrade_test {
namespace {

using nlohmann::ordered_json;

/// A record of 1.18.0: two cases, of four launches in all that differ; the second has counters by name.
ordered_json older() {
  return ordered_json::parse(R"({
    "context": {"ablate": {
      "record_schema": "1.18.0", "seed": 7,
      "kernel_names": ["add<int>", "gemm", "norm<int>"],
      "launches": [{"kernel": 1, "grid": [1, 1, 1]}, {"kernel": 1, "grid": [2, 1, 1]},
                   {"kernel": 2, "grid": [4, 1, 1]}, {"kernel": 2, "grid": [8, 1, 1]}],
      "counter_columns": [["x.sum"], ["a.sum", "b.ratio"]]}},
    "benchmarks": [
      {"name": "a", "kernels": [2, 1, 2], "time_us": {"median": 6, "samples": {"tick_ns": 32, "deltas": [186, 2, -1]}},
       "counters": {"set": "core", "columns": 1, "values": [4, 0.5],
                    "kernels": [[1, 0.5], [1, null], [2, 15922199999.999998]], "coherent": true}},
      {"name": "b", "kernels": [3], "time_us": {"samples": {"values": [5.952, 6.016], "order": [1, 0, 1]}},
       "counters": {"columns": 0, "values": [15], "by_name": [[2, 2, 7], [0, 1, 8]], "output": "ok"}}],
    "unmeasured": []})");
}

ordered_json upgraded(ordered_json record) {
  upgrade(record, "record.json");
  return record;
}

TEST(Upgrade, GivesPlainListsAndObjects) {
  const ordered_json now = upgraded(older());
  EXPECT_EQ(now["context"].dump(),
            R"({"ablate":{"record_schema":"2.2.0","seed":7,"upgraded_from":"1.18.0"}})");
  const ordered_json &first = now["benchmarks"][0], &second = now["benchmarks"][1];
  EXPECT_EQ(first["kernels"].dump(), R"([{"name":"norm<int>","grid":[4,1,1]},{"name":"gemm","grid":[2,1,1]},)"
                                     R"({"name":"norm<int>","grid":[4,1,1]}])");
  EXPECT_EQ(first["counters"].dump(),
            R"({"set":"core","values":{"a.sum":4,"b.ratio":0.5},"kernels":[)"
            R"({"name":"norm<int>","values":{"a.sum":1,"b.ratio":0.5}},)"
            R"({"name":"gemm","values":{"a.sum":1,"b.ratio":null}},)"
            R"({"name":"norm<int>","values":{"a.sum":2,"b.ratio":15922200000}}],"coherent":true})");
  EXPECT_EQ(second["counters"].dump(),
            R"({"values":{"x.sum":15},"kernels":[{"name":"norm<int>","launches":2,"values":{"x.sum":7}},)"
            R"({"name":"add<int>","launches":1,"values":{"x.sum":8}}],"output":"ok"})");
}

TEST(Upgrade, SortsSamplesWhichComeBackBitForBit) {
  const ordered_json now = upgraded(older());
  EXPECT_EQ(now["benchmarks"][0]["time_us"].dump(), R"({"median":6,"samples":[5.952,5.984,6.016]})");
  EXPECT_EQ(now["benchmarks"][1]["time_us"]["samples"].dump(), "[5.952,6.016,6.016]");
}

TEST(Upgrade, OfTheFirstFormsLeavesObjects) {
  ordered_json first = older();
  first["context"]["ablate"] = {{"record_schema", "1.0.0"}};
  first["benchmarks"] = {ordered_json::parse(
      R"({"kernels": [{"name": "k"}], "time_us": {"samples": [2, 1]},
          "counters": {"values": {"a.sum": 4}, "kernels": [{"name": "k", "values": {"a.sum": 4}}]}})")};
  ordered_json expected = first;
  expected["context"]["ablate"] = {{"record_schema", "2.2.0"}, {"upgraded_from", "1.0.0"}};
  expected["benchmarks"][0]["time_us"]["samples"] = {1, 2};
  EXPECT_EQ(upgraded(first).dump(), expected.dump());
  // Rows since 1.3.0 are under the names of `values`; of by_name there were objects until 1.17.0.
  first["benchmarks"][0]["counters"]["kernels"] = {{4}};
  EXPECT_EQ(upgraded(first)["benchmarks"][0]["counters"]["kernels"].dump(),
            R"([{"name":"k","values":{"a.sum":4}}])");
  first["benchmarks"][0]["counters"]["by_name"] = {{{"name", "k"}, {"launches", 65}, {"values", {4}}}};
  EXPECT_EQ(upgraded(first)["benchmarks"][0]["counters"]["kernels"].dump(),
            R"([{"name":"k","launches":65,"values":{"a.sum":4}}])");
}

TEST(Upgrade, GathersWhatTheSuiteSaysToReports) {
  const auto facts_of = [](const char* facts) {
    return upgraded({{"context", {{"ablate", ordered_json::parse(facts)}}},
                     {"benchmarks", ordered_json::array()}})["context"]["ablate"]
        .dump();
  };
  EXPECT_EQ(
      facts_of(
          R"({"record_schema": "2.0.0", "suite": {"name": "s", "comparisons": [], "overrides": {"n": ["1"]},
                         "question": {"text": "t"}, "ladder": {"title": "l"}, "exhibits": [1]}, "seed": 7})"),
      R"({"record_schema":"2.2.0","suite":{"name":"s","overrides":{"n":["1"]},"report":{"comparisons":[],)"
      R"("question":{"text":"t","ladder":{"title":"l"},"exhibits":[1]}}},"seed":7,"upgraded_from":"2.0.0"})");
  EXPECT_EQ(
      facts_of(R"({"record_schema": "2.0.0", "suite": {"ladder": {}}, "upgraded_from": "1.15.0"})"),
      R"({"record_schema":"2.2.0","suite":{"report":{"question":{"ladder":{}}}},"upgraded_from":"1.15.0"})");
  EXPECT_EQ(facts_of(R"({"record_schema": "2.0.0", "suite": {"name": "s"}})"),
            R"({"record_schema":"2.2.0","suite":{"name":"s"},"upgraded_from":"2.0.0"})");
  EXPECT_EQ(facts_of(R"({"record_schema": "2.0.0", "suite": 7})"),
            R"({"record_schema":"2.2.0","suite":7,"upgraded_from":"2.0.0"})");
  for (const char* today : {R"({"record_schema":"2.1.0","suite":{"report":{"question":{},"later":[1]}}})",
                            R"({"record_schema":"2.2.0","suite":{"question":{}}})"})
    EXPECT_EQ(facts_of(today), today);
}

/// What has a value in its new place already, or a place that is no object, stays for the reader to refuse.
TEST(Upgrade, GathersNothingOverWhatIsThere) {
  for (const char* suite : {R"({"report":{"question":1},"question":2})", R"({"report":7,"ladder":{}})",
                            R"({"report":{"question":3},"exhibits":[]})"}) {
    ordered_json kept = ordered_json::parse(suite);
    EXPECT_TRUE(gather_report(kept).empty()) << suite;
    EXPECT_EQ(kept.dump(), suite);
  }
}

TEST(Upgrade, LeavesNewRecordsAndWhatIsNone) {
  ordered_json now = upgraded(older());
  now["benchmarks"][0]["time_us"]["samples"] = {3, 1, 2};  // in the order of time
  EXPECT_EQ(upgraded(now).dump(), now.dump());
  for (const char* none :
       {"null", "7", R"({"context":7})", R"({"benchmarks":[null,{"time_us":7}]})",
        R"({"context":{"ablate":{"record_schema":"1.2.0"}},"benchmarks":7})",
        R"({"context":{"ablate":{"record_schema":"3.0.0","launches":7}},"benchmarks":[]})"})
    EXPECT_EQ(upgraded(ordered_json::parse(none)).dump(), none);
}

TEST(Upgrade, LeavesToTheReaderWhatFitsNoForm) {
  for (const auto& [pointer, odd] : std::vector<std::pair<const char*, const char*>>{
           {"/benchmarks/0/counters/values", "[4]"},
           {"/benchmarks/0/counters/columns", "2"},
           {"/benchmarks/0/counters/kernels/1", "[1]"},
           {"/benchmarks/0/counters/kernels", "7"},
           {"/benchmarks/1/counters/by_name/0", "7"},
           {"/benchmarks/0/time_us/samples", "{}"},
           {"/benchmarks/0/time_us/samples", "[1, \"2\", 0]"},
           {"/benchmarks/0/time_us/samples", "{\"values\": [1]}"},
           {"/benchmarks/0/time_us", "7"},
           {"/benchmarks/0/counters", "null"},
           {"/benchmarks/0", "null"}}) {
    ordered_json made = older();
    made[ordered_json::json_pointer(pointer)] = ordered_json::parse(odd);
    EXPECT_EQ(test_support::refusal_from([&] { upgrade(made, "record.json"); }), "accepted") << pointer;
  }
}

TEST(Upgrade, RefusesNumbersThatReferToNothingWithTheirPlace) {
  const auto refusal = [](const std::string& pointer, const char* value) {
    ordered_json made = older();
    made[ordered_json::json_pointer(pointer)] = ordered_json::parse(value);
    const std::string said = test_support::refusal_from([&] { upgrade(made, "record.json"); });
    const std::string place = "record.json: " + pointer;
    return said.starts_with(place) ? said.substr(place.size()) : said;
  };
  EXPECT_EQ(refusal("/benchmarks/1/kernels/0", "3"), "accepted");
  for (const std::string none : {"4", "-1", "1.5", "1e+300"})
    EXPECT_EQ(refusal("/benchmarks/1/kernels/0", none.c_str()),
              ": expected the number of one of 4 launches in /context/ablate/launches, found " + none);
  EXPECT_EQ(refusal("/benchmarks/1/counters/by_name/1/0", "3"),
            ": expected the number of one of 3 names in /context/ablate/kernel_names, found 3");
  EXPECT_EQ(refusal("/benchmarks/1/counters/by_name/1", "[0]"),
            ": expected the number of a name, launches and values, found fewer");
  EXPECT_EQ(refusal("/context/ablate/launches/1/kernel", "99"),
            ": expected the number of one of 3 names in /context/ablate/kernel_names, found 99");
  EXPECT_EQ(refusal("/context/ablate/kernel_names", "{}"), ": expected an array, found an empty object");
  const std::string samples = "/benchmarks/0/time_us/samples";
  EXPECT_EQ(refusal(samples, R"({"deltas": [186]})"), ": expected a key 'tick_ns', found none");
  EXPECT_EQ(refusal(samples, R"({"tick_ns": 0, "deltas": [186]})"),
            "/tick_ns: expected an integer from 1 to 9007199254740992, found 0");
  EXPECT_EQ(refusal(samples, R"({"tick_ns": 32, "deltas": [186, 0.5]})"),
            "/deltas/1: expected an integer from -9007199254740992 to 9007199254740992, found 0.5");
  EXPECT_EQ(refusal(samples, R"({"tick_ns": 32, "deltas": [186, -186]})"),
            "/deltas/1: expected a sum of deltas from 1 to 281474976710656, found 0");
  EXPECT_EQ(refusal(samples, R"({"values": [1.5, 2.5], "order": [0, 2]})"),
            "/order/1: expected an integer from 0 to 1, found 2");
  EXPECT_EQ(refusal(samples, R"({"order": [0]})"), ": expected a key 'values', found none");
}

TEST(Upgrade, WritesWhatReadersSeeOfTheOlderFile) {
  for (const char* seed : {"first_schema", "host", "launches_told_once", "whole"}) {
    const std::filesystem::path path =
        test_support::source_path(std::string("tests/fuzz/seeds/record/") + seed + ".json");
    const auto out = fresh_folder() / "record.json";
    rewrite_record(path, out);
    const ordered_json written = ordered_json::parse(text_of(out));
    EXPECT_EQ(written["context"]["ablate"]["record_schema"], "2.2.0");
    EXPECT_EQ(written["context"]["ablate"]["upgraded_from"],
              ordered_json::parse(text_of(path))["context"]["ablate"]["record_schema"]);
    ordered_json seen = parse_record_as_written(path);
    seen["context"]["ablate"]["kernels"] = written["context"]["ablate"]["kernels"];  // of launched ones alone
    EXPECT_EQ(written.dump(), seen.dump());
  }
}

}  // namespace
}  // namespace ablate::reports::upgrade_test

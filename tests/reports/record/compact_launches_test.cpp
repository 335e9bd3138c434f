#include "reports/record/compact_launches.h"

#include <algorithm>

#include "reports/record/compact_counters.h"
#include "reports/record/record.h"
#include "reports/record/writer.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::reports::compact_launches_test {
namespace {

using nlohmann::ordered_json;

ordered_json launch(const char* name, int blocks) {
  return {{"name", name},
          {"grid", {blocks, 1, 1}},
          {"block", {128, 1, 1}},
          {"dynamic_shared_bytes", 0},
          {"theoretical_occupancy", {{"sm_90a", 0.5}}}};
}

/// Two cases of three kernels, with four distinct launches in all; the second has counters by name, of a
/// kernel, too, of which nobody knows the launches.
std::vector<ordered_json> entries() {
  const ordered_json by_name = {{{"name", "norm(int)"}, {"launches", 2}, {"values", {7}}},
                                {{"name", "add(int)"}, {"launches", 1}, {"values", {8}}}};
  return {{{"name", "a"}, {"kernels", {launch("norm(int)", 4), launch("gemm", 2), launch("norm(int)", 4)}}},
          {{"name", "b"},
           {"kernels", {launch("norm(int)", 8), launch("gemm", 2), launch("gemm", 1)}},
           {"counters", {{"values", {15}}, {"by_name", by_name}}}}};
}

ordered_json record_of(std::vector<ordered_json> benchmarks) {
  ordered_json facts = {{"kernels", ordered_json::object()}};
  compact_launches(benchmarks, facts);
  return {{"context", {{"ablate", std::move(facts)}}}, {"benchmarks", std::move(benchmarks)}};
}

TEST(CompactLaunches, AreToldOnceAndComeBackAsTheyWere) {
  ordered_json record = record_of(entries());
  const ordered_json& facts = record["context"]["ablate"];
  EXPECT_EQ(facts["kernel_names"], ordered_json({"add(int)", "gemm", "norm(int)"}));
  ASSERT_EQ(facts["launches"].size(), 4u);
  EXPECT_EQ(facts["launches"][3].dump(),
            R"({"kernel":2,"grid":[8,1,1],"block":[128,1,1],"dynamic_shared_bytes":0,)"
            R"("theoretical_occupancy":{"sm_90a":0.5}})");
  EXPECT_EQ(record["benchmarks"][0]["kernels"].dump(), "[2,1,2]");
  EXPECT_EQ(record["benchmarks"][1]["kernels"].dump(), "[3,1,0]");
  EXPECT_EQ(record["benchmarks"][1]["counters"]["by_name"].dump(), "[[2,2,7],[0,1,8]]");
  expand_launches(record, "record.json");
  EXPECT_EQ(record["benchmarks"].dump(), ordered_json(entries()).dump());
  EXPECT_EQ(record["context"]["ablate"].dump(), R"({"kernels":{}})") << "the tables are gone";
}

TEST(CompactLaunches, TablesAreTheSameInWhateverOrderOfCases) {
  std::vector<ordered_json> reversed = entries();
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(record_of(reversed)["context"].dump(), record_of(entries())["context"].dump());
}

TEST(CompactLaunches, OfOlderRecordsAndOfNoneStayAsTheyAre) {
  for (ordered_json record :
       {ordered_json{{"context", {{"ablate", ordered_json::object()}}}, {"benchmarks", entries()}},
        ordered_json{{"benchmarks", {nullptr, {{"kernels", "none"}}, {{"counters", nullptr}}}}},
        ordered_json{{"context", 7}}, ordered_json(nullptr)}) {
    const std::string before = record.dump();
    expand_launches(record, "record.json");
    EXPECT_EQ(record.dump(), before);
  }
  EXPECT_EQ(record_of({{{"name", "a"}, {"kernels", ordered_json::array()}}})["context"].dump(),
            R"({"ablate":{"kernels":{}}})")
      << "no empty tables";
}

/// What is said of the record with another value at a place; "accepted" if it is read.
std::string refusal_with(const std::string& pointer, const ordered_json& value) {
  ordered_json record = record_of(entries());
  record[ordered_json::json_pointer(pointer)] = value;
  record = ordered_json::parse(record.dump());
  return test_support::refusal_from([&] { expand_launches(record, "record.json"); });
}

TEST(CompactLaunches, ThatReferToNothingAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal_with("/benchmarks/1/kernels/2", 3), "accepted");
  for (const char* none : {"4", "-1", "1.5", "1e300"})
    EXPECT_EQ(refusal_with("/benchmarks/1/kernels/2", ordered_json::parse(none)),
              "record.json: /benchmarks/1/kernels/2: expected the number of one of 4 launches in "
              "/context/ablate/launches, found " +
                  ordered_json::parse(none).dump());
  EXPECT_EQ(refusal_with("/benchmarks/1/counters/by_name/1/0", 3),
            "record.json: /benchmarks/1/counters/by_name/1/0: expected the number of one of 3 names in "
            "/context/ablate/kernel_names, found 3");
  EXPECT_EQ(refusal_with("/benchmarks/1/counters/by_name/1", ordered_json::array({0})),
            "record.json: /benchmarks/1/counters/by_name/1: expected the number of a name, launches and "
            "values, found fewer");
  EXPECT_EQ(refusal_with("/context/ablate/launches/1/kernel", 99),
            "record.json: /context/ablate/launches/1/kernel: expected the number of one of 3 names in "
            "/context/ablate/kernel_names, found 99");
  EXPECT_EQ(refusal_with("/context/ablate/launches", ordered_json::array()),
            "record.json: /benchmarks/0/kernels/0: expected the number of one of 0 launches in "
            "/context/ablate/launches, found 2");
}

TEST(CompactLaunches, TablesOfSomethingElseAreRefused) {
  EXPECT_EQ(refusal_with("/context/ablate/kernel_names/0", 7),
            "record.json: /context/ablate/kernel_names/0: expected a string, found 7");
  EXPECT_EQ(refusal_with("/context/ablate/launches", "many"),
            "record.json: /context/ablate/launches: expected an array, found \"many\"");
  EXPECT_EQ(refusal_with("/context/ablate/launches/0", 7),
            "record.json: /context/ablate/launches/0: expected an object, found 7");
  EXPECT_EQ(refusal_with("/context/ablate/launches/0", ordered_json::object()),
            "record.json: /context/ablate/launches/0: expected a key 'kernel', found none");
}

TEST(CompactLaunches, OfARecordAreThoseThatTheOlderFormTells) {
  const auto path = written("record.json", made_record().dump());
  const auto before = read_record(path);
  rewrite_record(path, path);
  const ordered_json form = ordered_json::parse(text_of(path));
  EXPECT_TRUE(form["benchmarks"][2]["kernels"][0].is_number());
  const auto after = read_record(path);
  ASSERT_EQ(after.cases.size(), before.cases.size());
  std::size_t launches = 0;
  for (std::size_t i = 0; i < before.cases.size(); ++i) {
    ASSERT_EQ(after.cases[i].kernels.size(), before.cases[i].kernels.size());
    for (std::size_t k = 0; k < before.cases[i].kernels.size(); ++k, ++launches) {
      EXPECT_EQ(after.cases[i].kernels[k].name, before.cases[i].kernels[k].name);
      EXPECT_EQ(after.cases[i].kernels[k].grid, before.cases[i].kernels[k].grid);
    }
  }
  EXPECT_GT(launches, form["context"]["ablate"]["launches"].size());
}

}  // namespace
}  // namespace ablate::reports::compact_launches_test

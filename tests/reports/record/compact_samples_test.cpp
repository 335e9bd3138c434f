#include "reports/record/compact_samples.h"

#include <cmath>
#include <utility>

#include "reports/record/record.h"
#include "reports/record/writer.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::reports::compact_samples_test {
namespace {

using nlohmann::ordered_json;

/// An entry of `count` samples, each a few `tick_ns` beyond 186 of them.
ordered_json entry(int count, int tick_ns = 32) {
  ordered_json samples = ordered_json::array();
  for (int i = 0; i < count; ++i) samples.push_back((186 + i * 11 % 7) * tick_ns / 1000.0);
  return {{"name", "a"}, {"time_us", {{"median", 6.016}, {"samples", samples}}}};
}

ordered_json compact(ordered_json of) {
  compact_samples(of);
  return of["time_us"]["samples"];
}

ordered_json with_samples(ordered_json samples) {
  return {{"name", "a"}, {"time_us", {{"samples", std::move(samples)}}}};
}

/// The samples that a reader sees of these.
ordered_json expanded(ordered_json samples) {
  ordered_json record = {{"benchmarks", {entry(3), with_samples(std::move(samples))}}};
  expand_samples(record, "record.json");
  return record["benchmarks"][1]["time_us"]["samples"];
}

TEST(CompactSamples, AreDifferencesInTicks) {
  const ordered_json samples = compact(entry(65));
  EXPECT_EQ(samples["tick_ns"], 32);
  EXPECT_EQ(samples["deltas"].size(), 65u);
  EXPECT_EQ(samples["deltas"][0], 186);
  EXPECT_EQ(samples["deltas"][1], 4);
  EXPECT_EQ(samples["deltas"][2], -3);
  EXPECT_EQ(samples.size(), 2u);
  EXPECT_LT(compact(entry(300)).dump().size(), entry(300)["time_us"]["samples"].dump().size() / 2);
}

TEST(CompactSamples, ComeBackBitForBitWhateverTheTick) {
  for (const int tick_ns : {1, 2, 3, 8, 32, 125, 1000, 1024, 999'983}) {
    const ordered_json plain = entry(300, tick_ns)["time_us"]["samples"],
                       samples = compact(entry(300, tick_ns));
    EXPECT_EQ(samples["tick_ns"], tick_ns);
    EXPECT_EQ(expanded(ordered_json::parse(samples.dump())).dump(), plain.dump());
  }
}

TEST(CompactSamples, StayPlainWhereTheyAreFew) {
  for (const ordered_json& made :
       {entry(64), ordered_json{{"name", "b"}}, ordered_json{{"time_us", nullptr}}}) {
    ordered_json after = made;
    compact_samples(after);
    EXPECT_EQ(after.dump(), made.dump());
  }
}

TEST(CompactSamples, StayPlainWhereOneWouldNotComeBackBitForBit) {
  const double least_beyond = std::nextafter(5.952, 6);
  for (const ordered_json& odd : {ordered_json(5.9525), ordered_json(least_beyond), ordered_json(1e-4),
                                  ordered_json(0.0), ordered_json(-5.952), ordered_json(1e13),
                                  ordered_json(1e300), ordered_json(6), ordered_json("6"), ordered_json()}) {
    ordered_json made = entry(300);
    made["time_us"]["samples"][299] = odd;
    EXPECT_EQ(compact(made).dump(), made["time_us"]["samples"].dump()) << odd;
  }
}

TEST(CompactSamples, StayPlainWhereDifferencesAreLonger) {
  ordered_json samples = ordered_json::array();
  for (int i = 0; i < 300; ++i) samples.push_back(i % 2 ? 1e9 : 0.001);
  EXPECT_EQ(compact(with_samples(samples)), samples);
}

TEST(CompactSamples, AreReadInTheOlderFormAndPlain) {
  EXPECT_EQ(expanded(ordered_json::parse(R"({"values": [5.952, 6.016], "order": [1, 0, 1]})")).dump(),
            "[6.016,5.952,6.016]");
  EXPECT_EQ(expanded(ordered_json::parse("[6.016, 5.952]")).dump(), "[6.016,5.952]");
}

TEST(CompactSamples, OfNeitherFormAreLeftToWhoReadsThem) {
  for (const char* neither : {"{}", R"({"values": [1]})", R"({"tick_ns": 32})", "7", "null"})
    EXPECT_EQ(expanded(ordered_json::parse(neither)), ordered_json::parse(neither));
  for (ordered_json record : {ordered_json{{"benchmarks", {nullptr, {{"time_us", 7}}}}},
                              ordered_json{{"benchmarks", 7}}, ordered_json(nullptr)}) {
    const std::string before = record.dump();
    expand_samples(record, "record.json");
    EXPECT_EQ(record.dump(), before);
  }
}

TEST(CompactSamples, ThatCannotBeResolvedAreRefusedWithTheirPlace) {
  const auto refusal = [](const char* samples) {
    const std::string said = test_support::refusal_from([&] { expanded(ordered_json::parse(samples)); });
    const std::string place = "record.json: /benchmarks/1/time_us/samples";
    return said.starts_with(place) ? said.substr(place.size()) : said;
  };
  EXPECT_EQ(refusal(R"({"tick_ns": 32, "deltas": [186, 2, -1]})"), "accepted");
  EXPECT_EQ(refusal(R"({"deltas": [186]})"), ": expected a key 'tick_ns', found none");
  EXPECT_EQ(refusal(R"({"tick_ns": 31.25, "deltas": [186]})"),
            "/tick_ns: expected an integer from 1 to 9007199254740992, found 31.25");
  EXPECT_EQ(refusal(R"({"tick_ns": 0, "deltas": [186]})"),
            "/tick_ns: expected an integer from 1 to 9007199254740992, found 0");
  EXPECT_EQ(refusal(R"({"tick_ns": 32, "deltas": 186})"), "/deltas: expected an array, found 186");
  for (const char* odd : {"0.5", "18446744073709551615", "\"1\"", "null"})
    EXPECT_EQ(refusal((R"({"tick_ns": 32, "deltas": [186, )" + std::string(odd) + "]}").c_str()),
              "/deltas/1: expected an integer from -9007199254740992 to 9007199254740992, found " +
                  std::string(odd));
  EXPECT_EQ(refusal(R"({"tick_ns": 32, "deltas": [186, -186]})"),
            "/deltas/1: expected a sum of deltas from 1 to 281474976710656, found 0");
  EXPECT_EQ(refusal(R"({"tick_ns": 32, "deltas": [1, 281474976710656]})"),
            "/deltas/1: expected a sum of deltas from 1 to 281474976710656, found 281474976710657");
  EXPECT_EQ(refusal(R"({"order": [0]})"), ": expected a key 'values', found none");
  EXPECT_EQ(refusal(R"({"values": 1, "order": [0]})"), "/values: expected an array, found 1");
  for (const char* none : {"2", "-1", "0.0"})
    EXPECT_EQ(refusal((R"({"values": [1.5, 2.5], "order": [0, )" + std::string(none) + "]}").c_str()),
              "/order/1: expected an integer from 0 to 1, found " + std::string(none));
}

TEST(CompactSamples, OfAnOlderRecordAreRewrittenAndReadTheSame) {
  ordered_json made = made_record(), order = ordered_json::array();
  for (int i = 0; i < 300; ++i) order.push_back(i * 11 % 3);
  made["benchmarks"][2]["time_us"]["samples"] = {{"values", {5.952, 5.984, 6.048}}, {"order", order}};
  const auto path = written("record.json", made.dump());
  const auto before = read_record(path).cases[2].time.samples_us;
  EXPECT_EQ(before.size(), 300u);
  rewrite_record(path, path);
  EXPECT_EQ(ordered_json::parse(text_of(path))["benchmarks"][2]["time_us"]["samples"]["tick_ns"], 32);
  EXPECT_EQ(read_record(path).cases[2].time.samples_us, before);
}

}  // namespace
}  // namespace ablate::reports::compact_samples_test

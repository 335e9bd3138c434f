#include "harness/counters/sample_for_another.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "harness/counters/sampled_ranges.h"

namespace ablate::sample_for_another_test {
namespace {

using nlohmann::ordered_json;

/// Its clock is 1000 ns behind the device's; busy from 10 to 14 ms and from 20 to 24 ms.
class made_sampler final : public device_sampler {
 public:
  std::vector<std::uint64_t> intervals = {};
  bool is_lost = false;

  const std::vector<std::string>& keys() const override { return keys_; }

  clocked_samples sample(std::uint64_t interval_ns, const std::function<void()>& work) override {
    intervals.push_back(interval_ns);
    if (is_lost) throw counters_unavailable("another program has the counters");
    work();
    clocked_samples out{{}, -1000};
    constexpr std::uint64_t ms = 1'000'000;
    for (std::uint64_t at = 5 * ms; at < 30 * ms; at += interval_ns) {
      const bool is_busy = (at >= 10 * ms && at < 14 * ms) || (at >= 20 * ms && at < 24 * ms);
      out.samples.push_back(
          {at - 1000, at + interval_ns - 1000, {is_busy ? 60.0 : 0.0, is_busy ? 100.0 : 0.0}});
    }
    return out;
  }

 private:
  std::vector<std::string> keys_ = {"sm_active_pct", busy_key};
};

std::vector<ordered_json> answers(made_sampler& sampler, const std::vector<std::string>& requests) {
  std::stringstream asked, said;
  for (const std::string& request : requests) asked << request << "\n";
  sample_for_another(sampler, asked, said);
  std::vector<ordered_json> out;
  for (std::string line; std::getline(said, line);) out.push_back(ordered_json::parse(line));
  return out;
}

constexpr const char* begin = R"({"begin": {"range_us": 4000}})";
constexpr const char* end = R"({"end": {"ranges": [[10000000, 14000000], [20000000, 28000000]]}})";
constexpr const char* finish = R"({"finish": {"unsampled": [[0, 5900000]]}})";

TEST(SampleForAnother, SaysWhatTheDeviceDidInTheRangesOfAnotherProgram) {
  made_sampler sampler;
  const auto said = answers(sampler, {begin, end, finish});
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], ordered_json({{"status", "sampling"}}));
  EXPECT_EQ(said[1], ordered_json({{"status", "ok"}, {"ranges", 2}}));
  EXPECT_EQ(sampler.intervals, std::vector<std::uint64_t>{20000});
  const ordered_json& sampled = said[2].at("sampled");
  EXPECT_EQ(sampled.at("ranges"), 2);
  EXPECT_DOUBLE_EQ(sampled.at("interval_us"), 20);
  EXPECT_DOUBLE_EQ(sampled.at("range_us"), 6000);
  EXPECT_DOUBLE_EQ(sampled.at("unsampled_us"), 5900);
  EXPECT_NEAR(sampled.at("mean").at("sm_active_pct").get<double>(), 45, 1e-9);  // 60 and 30
  EXPECT_NEAR(sampled.at("sigma").at("sm_active_pct").get<double>(), 15, 1e-9);
  EXPECT_NEAR(sampled.at("busy_share").get<double>(), 0.75, 1e-9);
  EXPECT_NEAR(sampled.at("without_gaps").at("sm_active_pct").get<double>(), 60, 1e-9);
}

TEST(SampleForAnother, RoundsAddUpUntilTheyAreFinished) {
  made_sampler sampler;
  const auto said = answers(sampler, {begin, end, begin, end, finish, begin, end});
  ASSERT_EQ(said.size(), 7u);
  EXPECT_EQ(said[3].at("ranges"), 4);
  EXPECT_EQ(said[4].at("sampled").at("ranges"), 4);
  EXPECT_EQ(said[6].at("ranges"), 2);
}

TEST(SampleForAnother, EveryRequestHasOneAnswer) {
  made_sampler sampler;
  const auto said = answers(
      sampler, {"not JSON", R"({"end": {"ranges": []}})", R"({"begin": {"range_us": 0}})", finish, begin,
                R"({"end": {"ranges": [[5, 5]]}})", begin, R"({"end": {"ranges": [[1, 2, 3]]}})", begin,
                begin, begin, R"({"end": {"ranges": [[90000000, 95000000]]}})", begin, end});
  ASSERT_EQ(said.size(), 14u);
  for (const std::size_t i : {0u, 1u, 2u, 5u, 7u, 9u})
    EXPECT_EQ(said[i].at("status"), "refused") << i << ": " << said[i];
  EXPECT_EQ(said[3].at("status"), "unavailable") << "no range was sampled";
  EXPECT_EQ(said[11].at("status"), "unavailable") << "no sample covers it: " << said[11];
  EXPECT_EQ(said[13].at("status"), "ok");
  EXPECT_EQ(said[13].at("ranges"), 2) << "what was refused is not kept";
}

TEST(SampleForAnother, SaysWhyNothingCanBeSampled) {
  made_sampler sampler;
  sampler.is_lost = true;
  const auto said = answers(sampler, {begin, begin});
  ASSERT_EQ(said.size(), 2u);
  for (const auto& answer : said)
    EXPECT_EQ(answer,
              ordered_json({{"status", "unavailable"}, {"reason", "another program has the counters"}}));
}

TEST(SampleForAnother, EndsWithTheOtherProgram) {
  made_sampler sampler;
  EXPECT_EQ(answers(sampler, {begin}).size(), 1u);
  EXPECT_TRUE(answers(sampler, {}).empty());
}

}  // namespace
}  // namespace ablate::sample_for_another_test

// The operation hash_avalanche on the host: axes, inputs, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/registry/registry.h"
#include "kernels/hash_avalanche/hash_avalanche.h"
#include "tests/support/solved_workload.h"

namespace ablate::hash_avalanche_test {
namespace {

using hash_avalanche::result_counts;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& avalanche() { return *find_operation("hash_avalanche"); }

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given) : solved_workload(avalanche(), given) {}
};

TEST(HashAvalanche, IsRightForEveryHashAndKey) {
  for (const std::string& hash : avalanche().axes[0].words)
    for (const char* keys : {"random", "lattice_16", "lidar_10cm", "room", "adversarial"}) {
      const solved_case c({{"hash", hash}, {"keys", keys}, {"samples", "300"}});
      EXPECT_TRUE(c.check().ok) << hash << ", " << keys << ": " << c.check().message;
      EXPECT_EQ(c.work.contents[0].size(), 16u * 300);
    }
}

TEST(HashAvalanche, TakesOneKey) {
  const solved_case c({{"samples", "1"}});
  EXPECT_TRUE(c.check().ok);
  EXPECT_EQ(c.quality().at("flip_share_max"), 1.0);
}

TEST(HashAvalanche, FindsOutAWrongCount) {
  solved_case c({{"samples", "100"}});
  for (const std::size_t place : {std::size_t{0}, std::size_t{62 * 32 + 31}, result_counts - 1}) {
    ++c.output<std::uint64_t>("flips")[place];
    EXPECT_THAT(c.check().message, HasSubstr("key bit " + std::to_string(place / 32) + ", output bit " +
                                             std::to_string(place % 32)));
    --c.output<std::uint64_t>("flips")[place];
  }
  EXPECT_TRUE(c.check().ok);
}

TEST(HashAvalanche, TellsWhatAHashIsWorth) {
  const auto good = solved_case({{"samples", "50000"}, {"keys", "lattice_16"}}).quality();
  EXPECT_LT(good.at("worst_deviation").get<double>(), 0.02);
  EXPECT_GT(good.at("flip_share_min").get<double>(), 0.48);
  EXPECT_LT(good.at("flip_share_max").get<double>(), 0.52);
  EXPECT_NEAR(good.at("flip_share_mean").get<double>(), 0.5, 0.001);
  const auto none = solved_case({{"samples", "1000"}, {"hash", "identity"}}).quality();
  EXPECT_EQ(none.at("worst_deviation"), 0.5);
}

TEST(HashAvalanche, DeclaresCompulsoryWork) {
  EXPECT_EQ(solved_case({{"samples", "1000"}}).work.work.bytes, 16.0 * 1000 + 8 * 64 * 32);
}

}  // namespace
}  // namespace ablate::hash_avalanche_test

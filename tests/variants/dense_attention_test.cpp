// The operation dense_attention on the host: what it refuses, the check, the work and the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracles/dense_attention/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"

namespace ablate::dense_attention {
namespace {

using test_support::differing_switches;
using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& layer() { return *find_operation("dense_attention"); }

std::string refused(const axis_values& given) { return refusal_of(layer(), given); }

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(layer(), one, other);
}

const axis_values small = {{"images", "1"}, {"heads", "2"}};

TEST(DenseAttentionLayer, HasNoCaseThatItRefuses) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"rows", "one_in_32"}, {"scores", "ascending"}}), "");
  EXPECT_EQ(refused({{"geometry", "vggt"}, {"images", "5"}}), "");
}

TEST(DenseAttentionLayer, ItsReferencePassesItsCheck) {
  for (const char* rows : {"all", "one_in_32"})
    for (const char* geometry : {"s3r", "vggt"}) {
      const solved_workload solved(layer(),
                                   {{"images", "4"}, {"heads", "2"}, {"rows", rows}, {"geometry", geometry}});
      EXPECT_TRUE(solved.check().ok) << rows << " " << geometry << ": " << solved.check().message;
    }
}

TEST(DenseAttentionLayer, TheCheckFindsOneElement) {
  solved_workload solved(layer(), small);
  solved.output<float>("sampled_out")[3 * 64 + 5] += 0.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
  solved_workload uncompared(layer(), small);
  uncompared.output<findings>("found")[0].of.out.rows -= 1;
  EXPECT_THAT(uncompared.check().message, HasSubstr("were compared"));
}

TEST(DenseAttentionLayer, PlacesOfAComparedPartAreThoseOfAllRows) {
  solved_workload solved(layer(), {{"images", "64"}, {"heads", "1"}, {"rows", "one_in_32"}});
  const checked_problem p = [] {
    checked_problem of;
    of.tokens = 64512;
    of.queries = 2048;
    of.first_query = 31232;
    return of;
  }();
  EXPECT_EQ(checked_attention_of(p).compared_stride(), 1);
  findings& found = solved.output<findings>("found")[0];
  EXPECT_EQ(found.of.out.rows, 2048u);
  found.of.out.worst = {0.5f, 0, 100, 0, 7, 1, 2};
  EXPECT_THAT(solved.check().message, HasSubstr("row 31332, head 0"));
}

TEST(DenseAttentionLayer, CountsTheWorkOfAllRowsAndOfAPart) {
  const double tokens = 4032;
  const solved_workload all(layer(), {{"images", "4"}, {"heads", "3"}});
  EXPECT_EQ(all.work.work.flops, 4 * 64 * 3 * tokens * tokens);
  EXPECT_EQ(all.work.input.at("attending_rows"), 3 * 4032);
  const solved_workload part(layer(), {{"images", "4"}, {"heads", "3"}, {"rows", "one_in_32"}});
  EXPECT_EQ(part.work.input.at("attending_rows"), 3 * 128);
  EXPECT_EQ(part.work.work.flops, 4 * 64 * 3 * tokens * 128);
}

TEST(DenseAttentionLayer, CountsSpecialTokens) {
  const solved_workload solved(layer(), {{"images", "3"}, {"heads", "2"}, {"geometry", "vggt"}});
  EXPECT_EQ(solved.work.input.at("attending_rows"), 2 * 3 * 1041);
}

TEST(DenseAttentionLayer, CoresAreOneSwitch) {
  EXPECT_THAT(differences("mma", "hopper"), ElementsAre("core"));
}

}  // namespace
}  // namespace ablate::dense_attention

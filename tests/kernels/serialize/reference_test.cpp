// The oracle's orders, inverses and padding; what the check finds; how far apart neighbors in an order are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/serialize/quality.h"
#include "tests/kernels/serialize/host_problem.h"

namespace ablate::serialize::reference_test {
namespace {

using test_support::host_problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SerializedPoints, AreRightForEverySizePatchAndIndex) {
  const std::vector<std::vector<std::int64_t>> batches = {{0}, {1}, {31}, {33}, {1000}, {0, 7, 0, 64, 65, 0}};
  for (const auto& sizes : batches)
    for (const std::int64_t patch : {0, 1, 16, 64})
      for (const int index_bytes : {4, 8})
        for (const int depth : {0, 3, 16}) {
          const host_problem solved(sizes, patch, index_bytes, depth);
          EXPECT_EQ(solved.violation(), "") << sizes.size() << " instances, patch " << patch;
        }
}

TEST(SerializedPoints, OfAnInstanceStandTogether) {
  const host_problem solved({5, 0, 20, 3}, 0);
  for (int c = 0; c < curve_count; ++c)
    for (std::int64_t i = 0; i < 28; ++i) {
      const std::int64_t point = index_at(solved.p, solved.p.order, 28 * c + i);
      EXPECT_EQ(point < 5, i < 5);
      EXPECT_EQ(point < 25, i < 25);
    }
}

TEST(Padding, RepeatsThePatchBeforeInTheEmptySlotsOfTheLast) {
  const host_problem solved({10}, 4);
  EXPECT_THAT(solved.indices(solved.p.pad, 12), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 6, 7));
  EXPECT_THAT(solved.indices(solved.p.unpad, 10), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(solved.cu_seqlens, ElementsAre(0, 4, 8, 12));
}

TEST(Padding, LeavesInstancesThatFitAPatchAsTheyAre) {
  const host_problem solved({3, 0, 5, 4}, 4);
  EXPECT_THAT(solved.indices(solved.p.pad, 15), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 8, 9, 10, 11));
  EXPECT_THAT(solved.indices(solved.p.unpad, 12), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14));
  EXPECT_THAT(solved.cu_seqlens, ElementsAre(0, 3, 7, 11, 15));
}

TEST(Padding, OfNoPointsIsNoSequence) {
  const host_problem solved({0, 0}, 4);
  EXPECT_THAT(solved.cu_seqlens, ElementsAre(0));
}

TEST(CheckOfSerializedPoints, FindsAWrongKey) {
  host_problem solved({40}, 16);
  solved.keys[47] ^= 1;
  EXPECT_THAT(solved.violation(), HasSubstr("keys[1][7]: expected 0x"));
}

TEST(CheckOfSerializedPoints, FindsPointsThatAreNotThereTwiceOrOutOfOrder) {
  for (const std::int64_t wrong : {-1, 40, 1 << 30}) {
    host_problem solved({40}, 16);
    set_index(solved.p, solved.p.order, 3, wrong);
    EXPECT_THAT(solved.violation(), HasSubstr("order[0][3]: expected a point below 40"));
  }
  host_problem twice({40}, 16), exchanged({40}, 16);
  set_index(twice.p, twice.p.order, 44, index_at(twice.p, twice.p.order, 43));
  EXPECT_THAT(twice.violation(), HasSubstr("order[1][4]: expected a point after"));
  const std::int64_t first = index_at(exchanged.p, exchanged.p.order, 0);
  set_index(exchanged.p, exchanged.p.order, 0, index_at(exchanged.p, exchanged.p.order, 1));
  set_index(exchanged.p, exchanged.p.order, 1, first);
  EXPECT_THAT(exchanged.violation(), HasSubstr("order[0][1]: expected a point after"));
}

TEST(CheckOfSerializedPoints, FindsEqualKeysThatAreNotInTheirOwnOrder) {
  host_problem solved({6}, 0, 8, 0);  // all of one cell
  EXPECT_THAT(solved.indices(solved.p.order, 6), ElementsAre(0, 1, 2, 3, 4, 5));
  set_index(solved.p, solved.p.order, 2, 3);
  set_index(solved.p, solved.p.order, 3, 2);
  EXPECT_THAT(solved.violation(), HasSubstr("order[0][3]: expected a point after 3 of key 0x0, found 2"));
}

TEST(CheckOfSerializedPoints, FindsAWrongInverse) {
  host_problem solved({40}, 0);
  const std::int64_t point = index_at(solved.p, solved.p.order, 80);
  set_index(solved.p, solved.p.inverse, 80 + point, 5);
  EXPECT_THAT(solved.violation(), HasSubstr("inverse[2]"));
}

TEST(CheckOfSerializedPoints, FindsWrongPadding) {
  host_problem pad({40}, 16), unpad({40}, 16), lengths({40}, 16);
  set_index(pad.p, pad.p.pad, 47, 39);
  EXPECT_EQ(pad.violation(), "pad[47]: expected 31, found 39");
  set_index(unpad.p, unpad.p.unpad, 39, 47);
  EXPECT_EQ(unpad.violation(), "unpad[39]: expected 39, found 47");
  lengths.cu_seqlens[3] = 40;
  EXPECT_EQ(lengths.violation(), "cu_seqlens[3]: expected 48, found 40");
}

TEST(CheckOfSerializedPoints, LooksAtWhatTheRegionWrites) {
  host_problem solved({40}, 16);
  solved.cu_seqlens[3] = 40;
  set_index(solved.p, solved.p.order, 3, -1);
  solved.p.last = phase::keys;
  EXPECT_EQ(solved.violation(), "");
  solved.p.last = phase::sort;
  EXPECT_THAT(solved.violation(), HasSubstr("order"));
}

TEST(LocalityOfSerializedPoints, IsTheRmsDistanceToTheCenterOfASlice) {
  host_problem solved({2, 2}, 0, 8, 3);
  EXPECT_EQ(locality_rms_of(solved.p), std::nullopt);  // its one slice has points of two instances
  host_problem pair({2}, 0, 8, 3);
  const std::vector<std::int32_t> apart = {0, 0, 0, 0, 6, 0};
  pair.p.grid = apart.data();
  reference(pair.p);
  EXPECT_EQ(locality_rms_of(pair.p), 3.0);
  pair.p.last = phase::keys;
  EXPECT_EQ(locality_rms_of(pair.p), std::nullopt);
}

}  // namespace
}  // namespace ablate::serialize::reference_test

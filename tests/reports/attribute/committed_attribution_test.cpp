// Shares by committed records, held to the definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reports/attribute/share_section.h"
#include "tests/support/paths.h"

namespace ablate::attribute {
namespace {

struct committed {
  explicit committed(const std::string& folder, const std::string& operation)
      : of(read_checked_record(test_support::source_path("results/" + folder + "/record.json.xz"))),
        view(of, operation),
        launches(of, {}) {}

  attribution between(const complete_points& points) const {
    return attribution_of(of, view, points.rows, points.from, points.to, nullptr, launches,
                          reports::limits_of(reports::shipped_policy()));
  }

  record of;
  reports::operation_view view;
  reports::case_launches launches;
};

TEST(CommittedAttribution, VoxelizationSharesASquareOfMergeAndWord) {
  const committed voxelization("h200/voxelization", "voxelize");
  const auto points = most_complete_points(voxelization.of, voxelization.view);
  ASSERT_TRUE(points);
  EXPECT_EQ(points->from, "global_atomic");
  const attribution found = voxelization.between(*points);
  ASSERT_FALSE(found.workloads.empty());
  for (const workload_shares& w : found.workloads) {
    ASSERT_EQ(w.rests_on, evidence::exact);
    ASSERT_EQ(w.shares.size(), 2u);
    const auto us = [&](coalition s) { return w.between.points[s].measured->time.median_us; };
    // Of two switches: the geometric mean of the step before the other and the step after it.
    EXPECT_NEAR(w.shares[0].share->factor(), std::sqrt(us(0) / us(1) * us(2) / us(3)), 1e-9);
    EXPECT_NEAR(w.shares[0].share->factor() * w.shares[1].share->factor(), us(0) / us(3), 1e-9);
    EXPECT_NEAR(w.pairs.at(0).interaction.factor(), us(1) * us(2) / us(0) / us(3), 1e-9);
    EXPECT_FALSE(w.shares[0].moved.empty()) << "counters were read";
  }
}

TEST(CommittedAttribution, ARecordWithoutALatticeHasNoSection) {
  const committed gates("h200/psh_quick", "psh_bucket");
  const auto points = most_complete_points(gates.of, gates.view);
  const auto section =
      share_section_of(gates.of, gates.view, gates.launches, reports::limits_of(reports::shipped_policy()));
  EXPECT_EQ(section.has_value(), points.has_value());
}

}  // namespace
}  // namespace ablate::attribute

// The operation pooled_key_attention on the host: what it refuses, the check, the work and the figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "oracles/pooled_key_attention/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"

namespace ablate::pooled_key_attention {
namespace {

using test_support::differing_switches;
using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& layer() { return *find_operation("pooled_key_attention"); }

std::string refused(const axis_values& given) { return refusal_of(layer(), given); }

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(layer(), one, other);
}

const axis_values small = {{"images", "3"}, {"heads", "2"}};

TEST(PooledKeyLayer, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({{"block", "64"}, {"images", "4"}, {"scores", "plane"}}), "");
  EXPECT_EQ(refused({{"geometry", "vggt"}, {"lists", "given"}}), "");
  EXPECT_EQ(refused({{"region", "ahead"}}), "");
  EXPECT_THAT(refused({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
  EXPECT_THAT(refused({{"geometry", "vggt"}, {"block", "32"}}), HasSubstr("whole or cut"));
  EXPECT_THAT(refused({{"region", "ahead"}, {"lists", "given"}}), HasSubstr("is given"));
}

TEST(PooledKeyLayer, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "plane", "unit", "integers", "ascending", "equal"})
    for (const char* geometry : {"s3r", "vggt"}) {
      const solved_workload solved(layer(), with(small, {{"scores", scores}, {"geometry", geometry}}));
      EXPECT_TRUE(solved.check().ok) << scores << " " << geometry << ": " << solved.check().message;
    }
}

TEST(PooledKeyLayer, TellsItsWork) {
  const solved_workload solved(layer(), small), special(layer(), with(small, {{"geometry", "vggt"}}));
  EXPECT_EQ(solved.work.input.at("rows_of_keys"), 189);
  EXPECT_EQ(special.work.input.at("rows_of_keys"), 3 * (70 + 5));
  EXPECT_DOUBLE_EQ(solved.quality().at("sparsity_flops"), 1 - 1.0 / 16);
  EXPECT_DOUBLE_EQ(solved.work.work.flops, 4 * 64 * 2 * 3024.0 * 189);
  EXPECT_GT(solved.quality().at("distance_from_dense"), 0.01);
  const solved_workload ahead(layer(), with(small, {{"region", "ahead"}}));
  EXPECT_DOUBLE_EQ(ahead.work.work.bytes, 2 * 2 * 128 * (3024.0 + 189));
}

TEST(PooledKeyLayer, TheCheckFindsAFaultInEachPart) {
  const axis_values at = with(small, {{"geometry", "vggt"}});
  const auto message = [&](auto spoil) { return message_once_spoiled(layer(), at, spoil); };
  const auto with_findings = [&](auto spoil) {
    return message([&](solved_workload& of) { spoil(of.output<findings>("found")[0]); });
  };
  EXPECT_THAT(with_findings([](findings& f) { f.means[0].judged -= 1; }),
              HasSubstr("means of k: 419 of 420"));
  EXPECT_THAT(with_findings([](findings& f) {
                f.means[3].wrong = 1;
                f.means[3].first_wrong = 15 + 4;
              }),
              HasSubstr("special tokens of v: 1 of 30 are wrong; the first, block 4, head 1"));
  EXPECT_THAT(with_findings([](findings& f) { f.attention.of.out.rows = 0; }), HasSubstr("were compared"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_out")[15 * 64 + 63] += 0.5f; }),
              HasSubstr("O, batch 0, row 3122"));
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_lse")[0] += 0.5f; }),
              HasSubstr("log-sum-exp, batch 0, row 0"));
}

TEST(PooledKeyLayer, CoresAreOneSwitch) { EXPECT_THAT(differences("mma", "hopper"), ElementsAre("core")); }

}  // namespace
}  // namespace ablate::pooled_key_attention

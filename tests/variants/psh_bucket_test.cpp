// The operation psh_bucket on the host: axes, regions, inputs, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text/bad_input.h"
#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/point_files.h"
#include "tests/support/solved_workload.h"

namespace ablate::psh_bucket_test {
namespace {

using test_support::expect_inputs_filled;
using test_support::point_files;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& psh_operation() { return *find_operation("psh_bucket"); }

axis_values at(const axis_values& given) { return values_of(psh_operation(), given); }

/// Small enough for a test of everything.
axis_values small(const axis_values& given) {
  return at(with({{"points", "3000"}, {"capacity", "64"}}, given));
}

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& axes, const input_library& inputs = input_library(1, {}, {}))
      : solved_workload(psh_operation(), axes, inputs) {}
  std::size_t bytes_of(const std::string& name) const {
    for (const buffer& b : buffers)
      if (b.name == name) return b.bytes;
    throw std::out_of_range(name);
  }
};

constexpr const char* regions[] = {"pipeline",  "kernels",          "insert", "search",
                                   "rebalance", "insert_rebalance", "drain",  "scatter"};

TEST(PshOperation, IsRightInEveryRegionAndMode) {
  for (const char* mode : {"strict", "published", "described"})
    for (const char* region : regions) {
      const solved_case c(small({{"mode", mode}, {"region", region}}));
      const check_result result = c.check();
      EXPECT_TRUE(result.ok) << mode << ", " << region << ": " << result.message;
    }
}

TEST(PshOperation, IsRightForEveryDistributionOrderAndSize) {
  for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
    for (const char* order : {"natural", "shuffled", "morton"})
      for (const char* sizes : {"equal", "ragged"}) {
        const solved_case c(
            small({{"distribution", distribution}, {"order", order}, {"sizes", sizes}, {"batch", "4"}}));
        EXPECT_TRUE(c.check().ok) << distribution << ", " << order << ", " << sizes;
      }
}

TEST(PshOperation, IsRightWithFeaturesStridesAndOneEmptyInstance) {
  EXPECT_TRUE(solved_case(small({{"layout", "strided"}, {"channels", "32"}, {"batch", "2"}})).check().ok);
  EXPECT_TRUE(solved_case(small({{"quantization", "isotropic"}, {"channels", "8"}})).check().ok);
  EXPECT_TRUE(solved_case(small({{"sizes", "ragged"}})).check().ok);
}

TEST(PshOperation, FindsOutAWrongOutput) {
  solved_case c(small({}));
  c.output<std::uint16_t>("bucket_id")[7] = 999;
  EXPECT_FALSE(c.check().ok);
  EXPECT_THAT(c.check().message, HasSubstr("P1: instance 0, point 7"));
}

TEST(PshOperation, HasNoRowsWhereTheRegionEndsBeforeThem) {
  for (const char* region : regions) {
    const solved_case c(small({{"region", region}, {"channels", "8"}}));
    const bool scatters = std::string(region) == "pipeline" || std::string(region) == "kernels" ||
                          std::string(region) == "scatter";
    for (const char* name : {"features", "scattered", "source", "scattered_features"})
      EXPECT_EQ(c.bytes_of(name) > 0, scatters) << region << ", " << name;
    const bool fills_places = std::string(region) == "drain";
    EXPECT_EQ(c.bytes_of("bucket_end") > 0, scatters || fills_places) << region;
    EXPECT_EQ(c.bytes_of("bucket_id"), 2u * 3000);
  }
  const solved_case bin(small({{"region", "drain"}, {"mode", "published"}}));
  EXPECT_EQ(bin.bytes_of("bucket_end"), 0u) << "emptying the bin sums nothing";
}

TEST(PshOperation, FillsEveryInputToItsSize) {
  const solved_case c(small({{"batch", "3"}, {"sizes", "ragged"}, {"channels", "8"}}));
  expect_inputs_filled(c.work, c.buffers);
}

TEST(PshOperation, MakesBatchesOfTurnedCopies) {
  const auto coordinates = [](const axis_values& axes) {
    const workload w = psh_operation().prepare(axes, input_library(1, {}, {}));
    std::vector<std::uint16_t> halves(w.contents[0].size() / 2);
    std::memcpy(halves.data(), w.contents[0].data(), w.contents[0].size());
    return halves;
  };
  const auto ends = [](const axis_values& axes) {
    const workload w = psh_operation().prepare(axes, input_library(1, {}, {}));
    std::vector<std::uint32_t> all(w.contents[1].size() / 4);
    std::memcpy(all.data(), w.contents[1].data(), w.contents[1].size());
    return all;
  };
  const auto one = coordinates(small({}));
  const auto two = coordinates(small({{"batch", "2"}}));
  ASSERT_EQ(two.size(), 2 * one.size());
  EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin()));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), two.begin() + static_cast<std::ptrdiff_t>(one.size())));
  EXPECT_EQ(ends(small({{"batch", "3"}})), (std::vector<std::uint32_t>{3000, 6000, 9000}));
  const axis_values ragged = small({{"batch", "5"}, {"sizes", "ragged"}, {"points", "3001"}});
  EXPECT_EQ(ends(ragged), (std::vector<std::uint32_t>{0, 1500, 4501, 4501, 6001}));
  EXPECT_EQ(solved_case(ragged).work.input.at("largest_instance"), 3001);
}

TEST(PshOperation, SizesItsBucketsByTheLargestInstance) {
  const auto facts = [](const axis_values& axes) {
    return psh_operation().prepare(axes, input_library(1, {}, {})).input;
  };
  const auto standard = facts(at({}));
  EXPECT_EQ(standard.at("buckets"), 256);
  EXPECT_EQ(standard.at("points"), 124087);
  EXPECT_NEAR(standard.at("load").get<double>(), 124087 / 131072.0, 1e-12);
  EXPECT_EQ(facts(small({{"buckets", "128"}})).at("buckets"), 128);
  EXPECT_EQ(facts(small({{"points", "2049"}})).at("buckets"), 64);
  EXPECT_EQ(facts(small({})).at("hash"), facts(small({{"hash", "xor_div"}, {"capacity", "128"}})).at("hash"));
  EXPECT_NE(facts(small({})).at("hash"), facts(small({{"order", "shuffled"}})).at("hash"));
}

TEST(PshOperation, KnowsWhatIsDoneAheadOfARegion) {
  const input_library inputs(1, {}, {});
  for (const char* region : regions)
    EXPECT_EQ(psh_operation().has_ahead(small({{"region", region}}), inputs),
              std::string(region) != "pipeline")
        << region;
}

TEST(PshOperation, DeclaresCompulsoryBytes) {
  const auto bytes = [](const axis_values& given) { return solved_case(small(given)).work.work.bytes; };
  const double points = 3000, rows = 3008, counters = 4 * 64;
  EXPECT_EQ(bytes({}), 12 * points + 10 * rows + 2 * counters);
  EXPECT_EQ(bytes({{"region", "kernels"}}), bytes({}));
  EXPECT_EQ(bytes({{"channels", "8"}}), bytes({}) + 16 * (points + rows));
  EXPECT_EQ(bytes({{"region", "insert"}}), 12 * points + counters);
  EXPECT_EQ(bytes({{"region", "insert_rebalance"}}), 12 * points + counters);
  for (const char* region : {"search", "rebalance"})
    EXPECT_EQ(bytes({{"region", region}}), 4 * points + counters);
  EXPECT_EQ(bytes({{"region", "drain"}}), 2 * points + counters) << "bucket_id tells what is in the bin";
  EXPECT_EQ(bytes({{"region", "scatter"}}), 12 * points + 10 * rows + 2 * counters);
  EXPECT_EQ(bytes({{"layout", "strided"}}), 12 * points + 10 * 64 * 64 + 2 * counters);
}

TEST(PshOperation, TellsTheQualityOfAnOutput) {
  const solved_case whole(small({{"mode", "published"}, {"hash", "z_div"}}));
  const auto quality = whole.quality();
  std::vector<std::string> names;
  for (const auto& [name, value] : quality.items()) {
    names.push_back(name);
    EXPECT_TRUE(value.is_number()) << name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"locality_rms_m", "purity", "at_home_share", "largest_bucket",
                                             "buckets_over_capacity", "bin_share"}));
  const solved_case inserted(small({{"region", "insert"}}));
  const auto early = inserted.quality();
  EXPECT_TRUE(early.at("locality_rms_m").is_null());
  EXPECT_EQ(early.at("at_home_share"), 1.0);
  EXPECT_TRUE(early.at("bin_share").is_null());
}

TEST(PshOperation, DrawsAPicture) {
  const solved_case c(small({{"points", "9000"}, {"batch", "2"}}));
  const auto picture = c.work.picture(c.outputs());
  EXPECT_EQ(picture.at("panels").size(), 4u);
  EXPECT_EQ(picture.at("panels")[0].at("kind"), "category");
  EXPECT_EQ(picture.at("panels")[3].at("title"), "strided");
  EXPECT_EQ(picture.at("panels")[3].at("kind"), "members");
  EXPECT_EQ(picture.at("points").size(), 3000u);
  for (const auto& point : picture.at("points")) {
    ASSERT_EQ(point.size(), 6u);
    for (std::size_t panel = 3; panel < 6; ++panel) {
      ASSERT_TRUE(point[panel].is_number_integer());
      ASSERT_TRUE(point[panel] == 0 || point[panel] == 1);
    }
  }
  const solved_case nothing(small({{"sizes", "ragged"}}));
  EXPECT_EQ(nothing.work.picture(nothing.outputs()).at("points").size(), 0u);
}

TEST(PshOperation, NamesWhatTheInstrumentedFormCounted) {
  const workload w = psh_operation().prepare(small({}), input_library(1, {}, {}));
  const std::vector<std::uint64_t> counts = {1000, 100, 250, 90, 10, 20, 5, 77, 88};
  const auto figures = w.read_instruments(counts);
  EXPECT_EQ(figures.at("overflow_share"), 0.1);
  EXPECT_EQ(figures.at("probes_per_overflow"), 2.5);
  EXPECT_EQ(figures.at("leftover_share"), 0.02);
  EXPECT_EQ(figures.at("shared_atomics"), 88);
  EXPECT_TRUE(w.read_instruments(std::vector<std::uint64_t>(9, 0)).is_null());
}

TEST(PshOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(psh_operation(), given); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"points", "0"}}), HasSubstr("point files only"));
  EXPECT_EQ(reason({{"points", "0"}, {"distribution", "street"}}), "");
  EXPECT_THAT(reason({{"capacity", "100"}}), HasSubstr("multiple of 16"));
  EXPECT_THAT(reason({{"channels", "12"}}), HasSubstr("multiple of 8"));
  EXPECT_THAT(reason({{"buckets", "300"}}), HasSubstr("power of two"));
  EXPECT_THAT(reason({{"buckets", "16"}}), HasSubstr("power of two"));
  EXPECT_THAT(reason({{"layout", "strided"}, {"mode", "published"}}), HasSubstr("needs mode=strict"));
  EXPECT_THAT(reason({{"region", "search"}, {"probes", "0"}}), HasSubstr("needs probes"));
  EXPECT_THAT(reason({{"buckets", "128"}}), HasSubstr("needs at least 256 buckets of 512"));
  EXPECT_EQ(reason({{"buckets", "128"}, {"mode", "published"}}), "");
  EXPECT_THAT(reason({{"points", "4194304"}, {"capacity", "16"}}), HasSubstr("262144 buckets: at most"));
  EXPECT_THAT(reason({{"points", "4194304"}, {"batch", "600"}}), HasSubstr("points together"));
}

class PshPointFile : public ::testing::Test {
 protected:
  input_library with_points(const std::vector<float>& xyz) { return files_.library_of("street", xyz); }

 private:
  point_files files_;
};

TEST_F(PshPointFile, GivesAllItsPoints) {
  const input_library inputs = with_points({1, 2, 3, 4, 5, 6});
  const solved_case c(at({{"distribution", "street"}, {"points", "0"}}), inputs);
  EXPECT_EQ(c.work.input.at("points"), 2);
  EXPECT_TRUE(c.check().ok) << c.check().message;
}

TEST_F(PshPointFile, IsRefusedWithAPointThatFp16CannotHold) {
  const axis_values axes = at({{"distribution", "street"}, {"points", "0"}});
  for (const float far : {65520.0f, -1e9f, std::numeric_limits<float>::quiet_NaN()}) {
    const input_library inputs = with_points({1, 2, 3, 4, far, 6});
    try {
      psh_operation().prepare(axes, inputs);
      ADD_FAILURE() << far;
    } catch (const bad_input& refused) {
      EXPECT_THAT(refused.what(), HasSubstr(": point 1: expected coordinates that are finite as fp16"));
    }
  }
}

TEST_F(PshPointFile, IsRefusedWhereTheBucketsCannotHoldIt) {
  const input_library inputs = with_points(std::vector<float>(3 * 600, 1));
  const axis_values axes =
      at({{"distribution", "street"}, {"points", "0"}, {"capacity", "16"}, {"buckets", "32"}});
  EXPECT_THROW(psh_operation().buffers(axes, inputs), bad_input);
}

}  // namespace
}  // namespace ablate::psh_bucket_test

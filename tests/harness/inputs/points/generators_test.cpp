#include "harness/inputs/points/generators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/harness/inputs/points/cloud_helpers.h"

namespace ablate::generators_test {
namespace {

double share_inside(const std::vector<float>& xyz, const box& domain) {
  std::size_t inside = 0;
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    bool all = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float distance = xyz[i + axis] - domain.origin[axis];
      all = all && distance >= 0 && distance < domain.size[axis];
    }
    inside += all;
  }
  return static_cast<double>(inside) / (static_cast<double>(xyz.size()) / 3);
}

TEST(Generators, GiveExactlyTheRequestedNumberOfFinitePoints) {
  for (const std::int64_t points : {0, 1, 2, 63, 64, 65, 1000, 131072, 131073, 200000, 262145}) {
    for (const auto& xyz :
         {uniform_points(points, unit_box, 1), clustered_points(points, unit_box, 1),
          surface_points(points, unit_box, 1), lidar_points(points, 1, ray_order::ring_major),
          lidar_points(points, 1, ray_order::azimuth_major)}) {
      ASSERT_EQ(xyz.size(), static_cast<std::size_t>(points) * 3);
      for (const float value : xyz) ASSERT_TRUE(std::isfinite(value)) << points;
    }
  }
}

TEST(Generators, AnotherSeedGivesAnotherCloud) {
  EXPECT_NE(uniform_points(100, unit_box, 1), uniform_points(100, unit_box, 2));
  EXPECT_NE(clustered_points(100, unit_box, 1), clustered_points(100, unit_box, 2));
  EXPECT_NE(surface_points(100, unit_box, 1), surface_points(100, unit_box, 2));
  EXPECT_NE(lidar_points(100, 1, ray_order::ring_major), lidar_points(100, 2, ray_order::ring_major));
}

TEST(Uniform, EveryPointIsInsideTheHalfOpenBox) {
  for (const box& domain : {unit_box, vehicle_box, box{{1000, -1, 0.64f}, {0.001f, 2, 1.28f}}})
    EXPECT_EQ(share_inside(uniform_points(200000, domain, 1), domain), 1);
}

TEST(Uniform, FillsEveryOctantEqually) {
  std::array<int, 8> octants{};
  const auto xyz = uniform_points(80000, unit_box, 1);
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    ++octants[(xyz[i] < 0.5f) + 2 * (xyz[i + 1] < 0.5f) + 4 * (xyz[i + 2] < 0.5f)];
  for (const int points : octants) EXPECT_NEAR(points, 10000, 500);
}

TEST(Clustered, NoPointLeavesTheBox) {
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_EQ(share_inside(clustered_points(100000, vehicle_box, seed), vehicle_box), 1);
}

TEST(Surface, EveryPointIsInsideAndTheSceneSpansMostOfTheBox) {
  const auto xyz = surface_points(100000, vehicle_box, 1);
  EXPECT_EQ(share_inside(xyz, vehicle_box), 1);
  constexpr std::array spans = {0.9f, 0.6f, 0.7f};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float low = xyz[axis], high = xyz[axis];
    for (std::size_t i = axis; i < xyz.size(); i += 3) {
      low = std::min(low, xyz[i]);
      high = std::max(high, xyz[i]);
    }
    EXPECT_GT(high - low, spans[axis] * vehicle_box.size[axis]) << axis;
  }
}

TEST(Lidar, AScanSeesTheGroundAndTheCylindersFromTheOrigin) {
  const auto xyz = lidar_points(131072, 1, ray_order::ring_major);
  EXPECT_GT(share_inside(xyz, vehicle_box), 0.9);
  std::size_t ground = 0;
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    ASSERT_GT(xyz[i + 2], -1.746f - 0.06f);  // below the ground by no more than the noise
    ASSERT_GT(std::hypot(xyz[i], xyz[i + 1]), 3);
    ground += xyz[i + 2] < -1.69f;
  }
  EXPECT_NEAR(static_cast<double>(ground) / 131072, 0.78, 0.05);
}

TEST(Lidar, RingMajorTurnsOnceARing) {
  const auto xyz = lidar_points(131072, 1, ray_order::ring_major);
  for (const std::size_t ring : {0, 31, 63})
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      const float* point = &xyz[(ring * 2048 + quarter * 512 + 256) * 3];
      EXPECT_EQ(point[0] > 0, quarter == 0 || quarter == 3);
      EXPECT_EQ(point[1] > 0, quarter < 2);
    }
}

TEST(Lidar, AzimuthMajorGoesDownTheRingsAtOneAzimuth) {
  const auto xyz = lidar_points(131072, 1, ray_order::azimuth_major);
  for (std::size_t azimuth = 100; azimuth < 2048; azimuth += 500)
    for (std::size_t ring = 0; ring < 64; ++ring) {
      const float* point = &xyz[(azimuth * 64 + ring) * 3];
      const double elevation = std::atan2(point[2], std::hypot(point[0], point[1])) * 180 / 3.141592653589793;
      EXPECT_NEAR(elevation, 2.0 - 26.8 * static_cast<double>(ring) / 63, 1e-3);
    }
}

TEST(Lidar, BothRayOrdersHoldTheSamePoints) {
  for (const std::int64_t points : {1, 64, 65, 1000, 131072, 131073, 300001}) {
    const auto rings = lidar_points(points, 5, ray_order::ring_major);
    const auto azimuths = lidar_points(points, 5, ray_order::azimuth_major);
    EXPECT_EQ(multiset_of(rings), multiset_of(azimuths)) << points;
    EXPECT_EQ(rings != azimuths, points > 64) << points;
  }
}

TEST(Lidar, FurtherScansAreSeenFromOtherPoses) {
  const auto both = lidar_points(262144, 1, ray_order::ring_major);
  const auto one = lidar_points(131072, 1, ray_order::ring_major);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), both.begin()));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), both.begin() + one.size()));
  EXPECT_GT(share_inside(both, vehicle_box), 0.9);
}

struct golden_cloud {
  const char* distribution;
  const char* order;
  std::uint64_t seed;
  const char* hash;
};

TEST(Generators, BitsOfEveryCloudAreTheSameOnEveryMachine) {
  const golden_cloud golden[] = {
      {"uniform", "natural", 1, "881f8bd98b6d9ef5"},    {"uniform", "natural", 2, "5702aa1efa7452ac"},
      {"uniform", "shuffled", 1, "cf4f879e1565299d"},   {"uniform", "shuffled", 2, "35b9dc545f741300"},
      {"uniform", "morton", 1, "65e13eacd3596565"},     {"uniform", "morton", 2, "31670f6e3f258adc"},
      {"surface", "natural", 1, "36a1a3340b3767a7"},    {"surface", "natural", 2, "f3630eac6297f75c"},
      {"surface", "shuffled", 1, "20f8435fce737d5b"},   {"surface", "shuffled", 2, "1b67cf87882cf3c8"},
      {"surface", "morton", 1, "b8c490203983c613"},     {"surface", "morton", 2, "dad6a19f286a1348"},
      {"lidar", "natural", 1, "f63509f468f58b3c"},      {"lidar", "natural", 2, "5cd627ee91755af1"},
      {"lidar", "azimuth", 1, "8e11a9f162aaa964"},      {"lidar", "azimuth", 2, "ed38cfda724996bd"},
      {"lidar", "shuffled", 1, "addc3d4f5761b870"},     {"lidar", "shuffled", 2, "cba33f6db2cf8af1"},
      {"lidar", "morton", 1, "f84419fe13394038"},       {"lidar", "morton", 2, "0e8155e976ded239"},
      {"clustered", "natural", 1, "5790ecfa0e9596d6"},  {"clustered", "natural", 2, "0f481e928be5cc32"},
      {"clustered", "shuffled", 1, "72f6fdc080590e1a"}, {"clustered", "shuffled", 2, "88a3481a63faa0de"},
      {"clustered", "morton", 1, "0feaca7b16f40e0a"},   {"clustered", "morton", 2, "fcb5bf84da0f6f0a"},
  };
  for (const auto& [distribution, order, seed, hash] : golden) {
    const input_library library(seed, {}, {});
    const auto cloud = library.cloud({distribution, order, 140000, vehicle_box});
    EXPECT_EQ(hash_of(cloud.xyz), hash) << distribution << ' ' << order << ' ' << seed;
  }
}

}  // namespace
}  // namespace ablate::generators_test

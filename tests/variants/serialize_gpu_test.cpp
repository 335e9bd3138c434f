// Every variant of serialize against the oracle: curves, regions, patches, indices, sizes, batches, depths,
// orders.
#include "tests/support/axis_values.h"
#include "tests/support/gpu.cuh"
#include "tests/support/point_files.h"
#include "tests/support/variant_run.cuh"

namespace ablate::serialize_gpu_test {
namespace {

using test_support::text_of, test_support::values_of, test_support::variant_run, test_support::with;

const operation& serialize() { return *find_operation("serialize"); }

const char* const curves[] = {"all", "z", "z_transposed", "hilbert", "hilbert_transposed"};
const char* const regions[] = {"all", "keys", "keys_sort"};

class SerializeOnGpu : public test_support::gpu_test {
 protected:
  void expect_right(const axis_values& at) { expect_right(at, inputs_); }

  void expect_right(const axis_values& at, const input_library& inputs) {
    ASSERT_EQ(serialize().refuses(values_of(serialize(), at)), std::nullopt) << text_of(at);
    variant_run run(serialize(), at, inputs);
    for (const variant_facts& v : serialize().variants) {
      if (!run.applies(v)) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << text_of(at) << ": " << result.message;
    }
  }

  /// On all curves, in all regions.
  void expect_all_right(const axis_values& at) {
    for (const char* curve : curves)
      for (const char* region : regions) expect_right(with(at, {{"curve", curve}, {"region", region}}));
  }

  const input_library inputs_{3, {}, {}};
  test_support::point_files files_;
};

// Small enough for the race detector.
TEST_F(SerializeOnGpu, EveryKernelOnFewRows) {
  for (const char* index : {"int64", "int32"})
    expect_all_right(
        {{"points", "600"}, {"batch", "3"}, {"sizes", "ragged"}, {"patch", "64"}, {"index", index}});
}

TEST_F(SerializeOnGpu, EverySize) {
  for (const char* points : {"1", "2", "31", "32", "33", "255", "256", "257", "1000", "100000"})
    for (const char* index : {"int64", "int32"}) expect_all_right({{"points", points}, {"index", index}});
}

// The first ragged instance has no points, and half of one point is none.
TEST_F(SerializeOnGpu, NoPoints) {
  for (const char* patch : {"0", "1024"})
    for (const char* batch : {"1", "4"}) {
      expect_all_right({{"points", "1"}, {"sizes", "ragged"}, {"batch", batch}, {"patch", patch}});
      expect_all_right({{"points", "100"}, {"sizes", "ragged"}, {"patch", patch}});
    }
}

TEST_F(SerializeOnGpu, EveryPatch) {
  for (const char* patch : {"0", "1", "16", "1000", "1023", "1024", "4096", "16384"})
    for (const char* points : {"1000", "1024", "4097", "20000"})
      for (const char* index : {"int64", "int32"})
        expect_right({{"points", points}, {"patch", patch}, {"curve", "hilbert"}, {"index", index}});
}

TEST_F(SerializeOnGpu, BatchesOfEqualAndRaggedInstances) {
  for (const char* sizes : {"equal", "ragged"})
    for (const char* batch : {"2", "3", "255", "256", "257", "600", "4096"})
      for (const char* patch : {"0", "16", "1024"})
        expect_right({{"points", "50"}, {"sizes", sizes}, {"batch", batch}, {"patch", patch}});
  for (const char* sizes : {"equal", "ragged"})
    expect_all_right({{"points", "20000"}, {"sizes", sizes}, {"batch", "7"}});
}

TEST_F(SerializeOnGpu, EveryDepth) {
  for (const char* grid_mm : {"2", "4", "10", "50", "200", "1000", "5000", "10000"})
    expect_all_right({{"points", "10000"}, {"distribution", "uniform"}, {"grid_mm", grid_mm}});
}

// Sizes at which a packed word is full, and at which numbers no longer fit.
TEST_F(SerializeOnGpu, WordsThatAreFull) {
  for (const char* points : {"16384", "16385", "65536", "65537"})
    expect_all_right({{"points", points}, {"distribution", "uniform"}, {"grid_mm", "2"}});
}

TEST_F(SerializeOnGpu, AllPointsInOneCell) {
  const input_library inputs = files_.library_of("same", std::vector<float>(3 * 3000, 7.5f));
  for (const char* curve : curves)
    for (const char* batch : {"1", "3"})
      expect_right({{"distribution", "same"}, {"points", "0"}, {"curve", curve}, {"batch", batch}}, inputs);
}

TEST_F(SerializeOnGpu, EveryDistributionAndOrder) {
  for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
    for (const char* order : {"natural", "shuffled", "morton"})
      expect_right({{"points", "124087"}, {"distribution", distribution}, {"order", order}});
}

// Many tiles in every sort pass.
TEST_F(SerializeOnGpu, AFullSize) {
  for (const char* index : {"int64", "int32"}) expect_right({{"points", "2000000"}, {"index", index}});
}

}  // namespace
}  // namespace ablate::serialize_gpu_test

// Every variant of voxel_pipeline against the oracle, bit for bit: every kind of cloud, grids of one brick
// or more, filters that keep all, some or none.
#include "tests/support/every_variant.cuh"

namespace ablate::voxel_pipeline_gpu_test {
namespace {

class VoxelPipelineOnGpu : public test_support::every_variant_test {
 protected:
  VoxelPipelineOnGpu() : every_variant_test("voxel_pipeline") {}
};

TEST_F(VoxelPipelineOnGpu, EverySizeAndGrid) {
  for (const char* grid : {"8", "16", "24", "64"})
    for (const char* points : {"1", "2", "31", "32", "33", "255", "256", "257", "10000"})
      expect_right({{"points", points}, {"grid", grid}, {"minimum", "1"}});
}

TEST_F(VoxelPipelineOnGpu, EveryCloud) {
  for (const char* distribution : {"uniform", "surface", "clustered"})
    expect_right({{"points", "200000"}, {"distribution", distribution}});
  // Much of it is outside.
  for (const char* points : {"50000", "131072"})
    expect_right({{"points", points}, {"distribution", "lidar"}, {"frame", "vehicle"}});
}

TEST_F(VoxelPipelineOnGpu, EveryFilter) {
  for (const char* minimum : {"1", "2", "5", "100", "1000000"})
    expect_right({{"points", "100000"}, {"grid", "32"}, {"minimum", minimum}, {"distribution", "surface"}});
}

// What a launch left in device memory must not reach the next one.
TEST_F(VoxelPipelineOnGpu, ASecondLaunchStartsAnew) {
  expect_right({{"points", "20000"}, {"grid", "32"}},
               [](const variant_facts& v, test_support::variant_run& run) {
                 run.launch(v);
                 const check_result again = run.work().check(run.download());
                 EXPECT_TRUE(again.ok) << v.name << ": " << again.message;
               });
}

}  // namespace
}  // namespace ablate::voxel_pipeline_gpu_test

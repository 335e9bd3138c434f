#include "tests/support/gpu.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate {
namespace {

class CeilingsOnGpu : public testing::gpu_test {};

TEST_F(CeilingsOnGpu, EveryProbeComputesWhatItClaims) {
  const operation& op = *find_operation("ceilings");
  const input_library inputs(3, {}, {});
  for (const calibration& c : op.calibrations) {
    testing::variant_run run(op, c.axes, inputs);
    int tried = 0;
    for (const variant_facts& v : op.variants) {
      if (!run.applies(v)) continue;
      ++tried;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    }
    EXPECT_GT(tried, 0) << c.ceiling;
  }
}

}  // namespace
}  // namespace ablate

#include "harness/device/gpu_names.h"

#include <gtest/gtest.h>

#include "harness/cli/devices_option.h"
#include "harness/device/chip.h"
#include "tests/support/refusal.h"

namespace ablate {
namespace {

constexpr char bytes[16] = {'\x12', '\x34', '\x56', '\x78', '\x9a', '\xbc', '\xde', '\xf0',
                            '\x00', '\x01', '\x02', '\x03', '\x04', '\x05', '\x06', '\x07'};
// As CUDA and NVML name a whole GPU and a slice of one.
const std::string whole = "NVIDIA H100 80GB HBM3", slice = "NVIDIA H100 80GB HBM3 MIG 1g.10gb";

TEST(GpuNames, ASliceHasAUuidOfItsOwnKind) {
  EXPECT_EQ(uuid_text(bytes, whole), "GPU-12345678-9abc-def0-0001-020304050607");
  EXPECT_EQ(uuid_text(bytes, slice), "MIG-12345678-9abc-def0-0001-020304050607");
}

TEST(GpuNames, ASliceIsChosenByIt) {
  const std::vector<gpu_summary> gpus = {{.index = 0, .name = slice, .uuid = uuid_text(bytes, slice)}};
  EXPECT_EQ(devices_of("MIG-1234", gpus, "").gpus, std::vector<int>{0});
  EXPECT_EQ(test_support::refusal_from([&] {
              devices_of("GPU-1234", gpus, "");
            }).starts_with("--devices: there is no GPU GPU-1234"),
            true);
}

TEST(GpuNames, ASliceIsNotJudgedAsItsWholeChip) {
  ASSERT_NE(chip_of_product(whole), nullptr);
  EXPECT_EQ(chip_of_product(whole)->name, "h100");
  EXPECT_EQ(chip_of_product(slice), nullptr);
}

}  // namespace
}  // namespace ablate

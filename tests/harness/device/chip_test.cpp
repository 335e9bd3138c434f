#include "harness/device/chip.h"

#include <gtest/gtest.h>

namespace ablate::chip_test {
namespace {

TEST(Chip, TheThreeChipsAreKnownByName) {
  ASSERT_EQ(chips().size(), 3u);
  EXPECT_EQ(find_chip("a100")->architecture, "sm_80");
  EXPECT_EQ(find_chip("a100")->multiprocessors, 108);
  EXPECT_EQ(find_chip("h100")->architecture, "sm_90a");
  EXPECT_EQ(find_chip("h200")->l2_bytes, 62914560u);
  EXPECT_EQ(find_chip("h200")->limits().multiprocessors, 132);
  EXPECT_EQ(find_chip("h200")->limits().shared_bytes_per_block, 227u * 1024);
  EXPECT_EQ(find_chip("a100")->limits().shared_bytes_per_block, 163u * 1024);
  EXPECT_EQ(find_chip("H200"), nullptr);
  EXPECT_EQ(find_chip(""), nullptr);
}

TEST(Chip, TheReserveAndTheLargestBlockFillAMultiprocessor) {
  for (const std::vector<chip>* all : {&chips(), &other_boards()})
    for (const chip& c : *all)
      EXPECT_EQ(c.shared_bytes_per_block + c.shared_bytes_reserved_per_block,
                c.shared_bytes_per_multiprocessor)
          << c.name;
}

TEST(Chip, OtherBoardsOfTheSiliconDifferInWhatTheirDataSheetsSay) {
  EXPECT_EQ(find_chip("h100_pcie")->multiprocessors, 114);
  EXPECT_EQ(find_chip("h100_pcie")->dram_bytes_per_s, 2.0e12);
  EXPECT_EQ(find_chip("a100_40gb")->memory_bytes, 40'000'000'000u);
  EXPECT_EQ(find_chip("a100_40gb")->dram_bytes_per_s, 1.555e12);
  EXPECT_EQ(find_chip("a100_pcie")->multiprocessors, 108);
}

TEST(Chip, TheSiliconFollowsFromTheComputeCapability) {
  EXPECT_EQ(silicon_of(80), "GA100");
  EXPECT_EQ(silicon_of(90), "GH100");
  EXPECT_EQ(silicon_of(100), std::nullopt);
  EXPECT_EQ(architecture_of(80), "sm_80");
  EXPECT_EQ(architecture_of(90), "sm_90a");
  EXPECT_EQ(architecture_of(100), "sm_100") << "a record names the architecture, known or not";
}

TEST(Chip, AProductIsAChipOnlyWhenItIsTheSameBoard) {
  EXPECT_EQ(chip_of_product("NVIDIA H200"), find_chip("h200"));
  EXPECT_EQ(chip_of_product("NVIDIA H100 80GB HBM3"), find_chip("h100"));
  EXPECT_EQ(chip_of_product("NVIDIA A100-SXM4-80GB"), find_chip("a100"));
  EXPECT_EQ(chip_of_product("NVIDIA H100 PCIe"), find_chip("h100_pcie"));
  EXPECT_EQ(chip_of_product("NVIDIA A100-PCIE-40GB"), find_chip("a100_40gb"));
  EXPECT_EQ(chip_of_product("NVIDIA A100 80GB PCIe"), find_chip("a100_pcie"));
  EXPECT_EQ(chip_of_product("NVIDIA H100 NVL"), nullptr);
  EXPECT_EQ(chip_of_product("NVIDIA B200"), nullptr);
  EXPECT_EQ(chip_of_product("NVIDIA H200 NVL"), nullptr);
  EXPECT_EQ(chip_of_product("NVIDIA GH200 480GB"), nullptr);
  EXPECT_EQ(chip_of_product("NVIDIA A100-SXM4-40GB"), find_chip("a100_40gb"));
  EXPECT_EQ(chip_of_product(""), nullptr);
}

}  // namespace
}  // namespace ablate::chip_test

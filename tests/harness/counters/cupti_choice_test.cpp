#include "harness/counters/cupti_choice.h"

#include <gtest/gtest.h>

#include "harness/counters/counter_support.h"

namespace ablate {
namespace {

const std::vector<found_cupti> both = {{"libcupti.so.13", 130001},
                                       {"/usr/local/cuda/lib64/libcupti.so.12", 28}};

TEST(CuptiChoice, ReadsTheDriversVersion) {
  EXPECT_EQ(cuda_major_of_driver("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue Jan 1\n"),
            13);
  EXPECT_EQ(
      cuda_major_of_driver("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release\n"),
      12);
  EXPECT_EQ(cuda_major_of_driver("NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.57.02  x"), 11);
  EXPECT_EQ(cuda_major_of_driver("Linux version 6.18 (builder)  no driver"), std::nullopt);
  EXPECT_EQ(cuda_major_of_driver(""), std::nullopt);
}

TEST(CuptiChoice, ReadsCuptisVersion) {
  EXPECT_EQ(cuda_major_of_cupti(130001), 13);
  EXPECT_EQ(cuda_major_of_cupti(140000), 14);
  EXPECT_EQ(cuda_major_of_cupti(28), 12);
  EXPECT_EQ(cuda_major_of_cupti(18), 11);
}

TEST(CuptiChoice, TakesNoneThatTheDriverCannotStartWhereThereIsAnother) {
  EXPECT_EQ(chosen_cupti(both, 12), 1u);
  EXPECT_EQ(chosen_cupti(both, 13), 0u);
  EXPECT_EQ(chosen_cupti(both, std::nullopt), 0u);
  EXPECT_EQ(chosen_cupti({both[0]}, 12), 0u);
  EXPECT_EQ(chosen_cupti({{"libcupti.so", 0}, both[1]}, 12), 0u) << "one that does not say is tried";
}

TEST(CounterSupport, NamesTheFirstAnswerThatForbidsCounters) {
  using enum support_level;
  const auto why = [](support_level wsl, support_level sku, support_level whole) {
    const support_answer answers[] = {{supported, "on this architecture"},
                                      {wsl, "under WSL2"},
                                      {sku, "on this product"},
                                      {whole, "on this GPU"}};
    return why_no_counters(answers).value_or("");
  };
  EXPECT_EQ(why(supported, supported, supported), "");
  EXPECT_EQ(why(supported, unknown, supported), "");
  EXPECT_EQ(why(unsupported, supported, unsupported), "CUPTI reads no counters under WSL2");
  EXPECT_EQ(why(supported, disabled, unsupported), "CUPTI reads no counters on this product");
  EXPECT_EQ(why(supported, supported, unsupported), "CUPTI reads no counters on this GPU");
}

}  // namespace
}  // namespace ablate

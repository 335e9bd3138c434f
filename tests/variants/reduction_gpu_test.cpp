// Every variant of reduction against the oracle: sizes around a vector, a warp, a block and a grid. Integers
// are exact, so an element left out or added twice is found.
#include "tests/support/every_variant.cuh"

namespace ablate::reduction_gpu_test {
namespace {

class ReductionOnGpu : public test_support::every_variant_test {
 protected:
  ReductionOnGpu() : every_variant_test("reduction") {}
};

TEST_F(ReductionOnGpu, EverySizeExactly) {
  for (const char* elements :
       {"1",      "2",       "3",       "4",       "5",       "31",       "32",      "33",
        "255",    "256",     "257",     "1023",    "1024",    "1025",     "4095",    "65536",
        "100003", "1081343", "1081344", "1081345", "4325377", "16777217", "67108864"})
    expect_right({{"elements", elements}, {"values", "integers"}});
}

TEST_F(ReductionOnGpu, RealNumbers) {
  for (const char* elements : {"1", "1000", "1048576", "16777216", "67108864"})
    expect_right({{"elements", elements}});
}

TEST_F(ReductionOnGpu, RepeatableOnesGiveTheSameBitsEachTime) {
  const auto sum = [](test_support::variant_run& run) { return run.contents<std::uint32_t>("out"); };
  expect_right({{"elements", "3000001"}}, [&](const variant_facts& v, test_support::variant_run& run) {
    if (v.switches.word("repeatable") != "yes") return;
    const auto first = sum(run);
    for (int i = 0; i < 20; ++i) {
      run.launch(v);
      ASSERT_EQ(sum(run), first) << v.name;
    }
  });
}

// What a launch left behind must not reach the next one.
TEST_F(ReductionOnGpu, ASecondLaunchStartsAnew) {
  expect_right({{"elements", "5000"}, {"values", "integers"}},
               [&](const variant_facts& v, test_support::variant_run& run) {
                 const auto first = run.contents<float>("out");
                 run.launch(v);
                 EXPECT_EQ(run.contents<float>("out"), first) << v.name;
               });
}

}  // namespace
}  // namespace ablate::reduction_gpu_test

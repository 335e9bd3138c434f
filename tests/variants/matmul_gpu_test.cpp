// Every variant of matmul against the oracle: sizes around a warp, a slab and a tile, aligned rows and not,
// and shapes in which m, n and k differ.
#include "tests/support/every_variant.cuh"

namespace ablate::matmul_gpu_test {
namespace {

class MatmulOnGpu : public test_support::every_variant_test {
 protected:
  MatmulOnGpu() : every_variant_test("matmul") {}
};

TEST_F(MatmulOnGpu, EverySize) {
  for (const char* size : {"1",  "2",   "3",   "4",   "5",   "15",  "16",  "17",  "31",  "32",   "33",
                           "64", "100", "127", "128", "129", "132", "255", "256", "260", "1000", "1001"})
    expect_right({{"size", size}});
}

TEST_F(MatmulOnGpu, EveryShape) {
  for (const char* shape : {"tall", "wide", "deep"})
    for (const char* size : {"1", "7", "33", "130", "256", "500", "1023", "1024"})
      expect_right({{"size", size}, {"shape", shape}});
}

TEST_F(MatmulOnGpu, SumsOfFourThousandProductsStayAccurate) {
  expect_right({{"size", "4096"}, {"shape", "deep"}},
               [](const variant_facts& v, test_support::variant_run& run) {
                 EXPECT_LT(run.quality().at("relative_error").get<double>(), 1e-5) << v.name;
               });
}

// Each output is summed by one thread in one order.
TEST_F(MatmulOnGpu, TwoRunsAreEqualBitForBit) {
  const auto elements = [](test_support::variant_run& run) { return run.contents<std::uint32_t>("c"); };
  expect_right({{"size", "200"}}, [&](const variant_facts& v, test_support::variant_run& run) {
    const auto first = elements(run);
    run.launch(v);
    EXPECT_EQ(elements(run), first) << v.name;
  });
}

}  // namespace
}  // namespace ablate::matmul_gpu_test

// Every variant of convolution against the oracle: images smaller than the filter and around a block, rows
// aligned and not, square and not.
#include "tests/support/every_variant.cuh"

namespace ablate::convolution_gpu_test {
namespace {

class ConvolutionOnGpu : public test_support::every_variant_test {
 protected:
  ConvolutionOnGpu() : every_variant_test("convolution") {}
};

TEST_F(ConvolutionOnGpu, EverySizeFilterAndShape) {
  for (const char* filter : {"3", "5", "15"})
    for (const char* shape : {"square", "wide"})
      for (const char* size : {"1", "2", "3", "4", "7", "8", "9", "31", "32", "33", "100", "127", "128",
                               "129", "132", "256", "1000", "1001"})
        expect_right({{"size", size}, {"filter", filter}, {"shape", shape}});
}

}  // namespace
}  // namespace ablate::convolution_gpu_test

// Every variant of jacobian against the oracle, with both methods, at sizes around a warp and a block; and
// that fp32 differences are as noisy as expected.
#include "tests/support/every_variant.cuh"

namespace ablate::jacobian_gpu_test {
namespace {

class JacobianOnGpu : public test_support::every_variant_test {
 protected:
  JacobianOnGpu() : every_variant_test("jacobian") {}
};

TEST_F(JacobianOnGpu, EverySizeAndMethod) {
  for (const char* method : {"analytic", "difference"})
    for (const char* poses : {"1", "2", "31", "32", "33", "127", "128", "129", "1000", "10000", "100001"})
      expect_right({{"poses", poses}, {"method", method}});
}

TEST_F(JacobianOnGpu, DifferencesAreThousandsOfTimesLessAccurate) {
  const auto error_by = [&](const char* method, const std::string& variant) {
    double error = -1;
    expect_right({{"method", method}}, [&](const variant_facts& v, test_support::variant_run& run) {
      if (v.name == variant) error = run.quality().at("relative_error").get<double>();
    });
    return error;
  };
  for (const variant_facts& v : tested().variants) {
    const double analytic = error_by("analytic", v.name), difference = error_by("difference", v.name);
    EXPECT_GE(analytic, 0) << v.name;
    EXPECT_GT(difference, 1000 * analytic) << v.name;
    // In fp32 on a host it is 0.011. An element's tolerance is about as large as a typical element.
    EXPECT_LT(difference, 0.05) << v.name;
  }
}

}  // namespace
}  // namespace ablate::jacobian_gpu_test

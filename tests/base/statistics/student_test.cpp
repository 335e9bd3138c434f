#include "base/statistics/student.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ablate::gate::student_test {
namespace {

TEST(Student, QuantilesAreThoseOfTheTables) {
  struct row {
    std::size_t freedom;
    double p05, p005;
  };
  for (const row& of :
       {row{1, 6.314, 63.657}, row{2, 2.920, 9.925}, row{3, 2.353, 5.841}, row{4, 2.132, 4.604},
        row{10, 1.812, 3.169}, row{30, 1.697, 2.750}, row{42, 1.682, 2.698}}) {
    EXPECT_NEAR(student_quantile_above(0.05, of.freedom), of.p05, 1e-3) << of.freedom;
    EXPECT_NEAR(student_quantile_above(0.005, of.freedom), of.p005, 1e-3) << of.freedom;
  }
}

TEST(Student, TheQuantileAndTheTailAreOne) {
  for (const std::size_t freedom : {1u, 2u, 3u, 42u, 1000u})
    for (const double p : {0.4, 0.01, 1e-4})
      EXPECT_NEAR(student_above(student_quantile_above(p, freedom), freedom), p, 1e-9) << freedom;
  EXPECT_THROW(student_quantile_above(0.5, 3), std::invalid_argument);
  EXPECT_THROW(student_quantile_above(0.01, 0), std::invalid_argument);
}

TEST(Student, TheNormalQuantileIsThatOfTheTables) {
  EXPECT_NEAR(normal_quantile_above(0.025), 1.959963984540, 1e-11);
  EXPECT_NEAR(normal_quantile_above(0.0005), 3.290526731492, 1e-11);
  EXPECT_THROW(normal_quantile_above(0.5), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::gate::student_test

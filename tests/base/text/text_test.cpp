#include "base/text/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::reports::text_test {
namespace {

TEST(Text, NumbersHaveFourSignificantDigits) {
  EXPECT_EQ(significant(5.12), "5.120");
  EXPECT_EQ(significant(51.2), "51.20");
  EXPECT_EQ(significant(0.0512), "0.05120");
  EXPECT_EQ(significant(5120.4), "5120");
  EXPECT_EQ(significant(0), "0.000");
  EXPECT_EQ(significant(INFINITY), "inf");
}

TEST(Text, PrefixesKeepThreeDigits) {
  EXPECT_EQ(with_prefix(25.6e9), "25.6 G");
  EXPECT_EQ(with_prefix(4.2666e12), "4.27 T");
  EXPECT_EQ(with_prefix(999.9e6), "1.00 G");
  EXPECT_EQ(with_prefix(12), "12.0 ");
}

TEST(Text, KernelNamesLoseReturnTypeAndParameters) {
  EXPECT_EQ(short_kernel_name("void ablate::voxelize::direct<int>(ablate::voxelize::problem)"),
            "ablate::voxelize::direct<int>");
  EXPECT_EQ(short_kernel_name("void a::(anonymous namespace)::k<(int)256, a::b<2> >(float*, int)"),
            "a::(anonymous namespace)::k<(int)256, a::b<2> >");
  EXPECT_EQ(short_kernel_name("plain(int)"), "plain");
  EXPECT_EQ(short_kernel_name("odd"), "odd");
}

TEST(Text, ATableRowIsOneLineAndItsCellsStayApart) {
  EXPECT_EQ(table_row({"a|b", "c\nd"}), "| a\\|b | c d |\n");
  EXPECT_EQ(table_header({"a", "b"}, 1), "| a | b |\n| --- | ---: |\n");
}

TEST(Text, ColumnsAreAsWideAsTheirWidestCellInCharacters) {
  EXPECT_EQ(columns({{"µs", "b", "c"}, {"abc"}, {"", "dd"}}, "  "), "  µs   b   c\n  abc\n       dd\n");
  EXPECT_EQ(columns({}), "");
}

TEST(Text, FileNamesHoldNothingOdd) { EXPECT_EQ(slug("NVIDIA H200 (x)"), "nvidia-h200--x-"); }

}  // namespace
}  // namespace ablate::reports::text_test

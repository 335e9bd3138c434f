// The oracle's products: bit by bit those of naive loops, at any size and stride.
#include "oracles/backbone/exact_product.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "harness/inputs/random_floats.h"

namespace ablate::backbone {
namespace {

std::vector<double> factors_named(std::size_t count, const char* name) {
  std::vector<double> numbers;
  for (const float x : random_floats(static_cast<std::int64_t>(count), 1, name)) numbers.push_back(x / 3.0);
  return numbers;
}

struct product_case {
  std::size_t rows, columns, inner;
};

class BackboneExactProduct : public ::testing::TestWithParam<product_case> {};

TEST_P(BackboneExactProduct, IsThatOfNaiveLoopsWhereverElementsStand) {
  const auto [rows, columns, inner] = GetParam();
  const std::vector<double> a = factors_named(rows * inner, "a"), b = factors_named(inner * columns, "b"),
                            before = factors_named(rows * columns, "c");
  const strided_matrix as[] = {{a.data(), inner, 1}, {a.data(), 1, rows}},
                       bs[] = {{b.data(), columns, 1}, {b.data(), 1, inner}};
  for (const strided_matrix& left : as)
    for (const strided_matrix& right : bs) {
      std::vector<double> expected = before, found = before;
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column)
          for (std::size_t i = 0; i < inner; ++i)
            expected[row * columns + column] += left(row, i) * right(i, column);
      add_product(found.data(), rows, columns, inner, left, right);
      EXPECT_EQ(found, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BackboneExactProduct,
                         ::testing::Values(product_case{1, 1, 1}, product_case{4, 4, 4},
                                           product_case{5, 3, 7}, product_case{3, 13, 2},
                                           product_case{9, 6, 0}, product_case{0, 4, 4}));

TEST(BackboneExactRows, ArePickedInAnyOrder) {
  const std::vector<double> from = {0, 1, 2, 10, 11, 12, 20, 21, 22};
  const std::vector<std::size_t> rows = {2, 0, 2};
  EXPECT_EQ(picked_rows(from.data() + 1, 3, 2, rows), (std::vector<double>{21, 22, 1, 2, 21, 22}));
}

}  // namespace
}  // namespace ablate::backbone

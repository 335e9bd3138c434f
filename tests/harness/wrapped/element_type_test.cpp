#include "harness/wrapped/element_type.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "kernels/common/poison.h"

namespace ablate::wrapped {
namespace {

constexpr const char* names[] = {"f64", "f32", "f16", "bf16", "i64", "u64",
                                 "i32", "u32", "i16", "u16",  "i8",  "u8"};

std::vector<std::byte> elements(const element_type& type, const std::vector<double>& numbers) {
  std::vector<std::byte> out(type.bytes * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) put_number(type, numbers[i], out.data() + i * type.bytes);
  return out;
}

TEST(ElementType, KeepsNumbers) {
  for (const char* name : names) {
    const element_type& type = *find_element_type(name);
    const std::vector<std::byte> held = elements(type, {0, 1, 100});
    EXPECT_EQ(number_at(type, held.data() + 2 * type.bytes), 100) << name;
  }
  EXPECT_EQ(find_element_type("f8"), nullptr);
}

TEST(ElementType, FindsTheOneElementThatDiffers) {
  for (const char* name : names) {
    const element_type& type = *find_element_type(name);
    const std::vector<std::byte> right = elements(type, {1, 2, 3, 4}), found = elements(type, {1, 2, 3, 5});
    EXPECT_EQ(difference_of(type, 4, 0, right.data(), right.data()).first, -1) << name;
    EXPECT_EQ(difference_of(type, 4, 0, right.data(), found.data()).first, 3) << name;
    const array_difference allowed = difference_of(type, 4, 0.25, right.data(), found.data());
    EXPECT_EQ(allowed.first, -1) << name;
    EXPECT_EQ(allowed.greatest, 0.25) << name;
  }
}

TEST(ElementType, ComparesLongIntegersExactly) {
  const element_type& type = *find_element_type("i64");
  std::vector<std::byte> right(8), found(8);
  put_integer(type, (std::int64_t{1} << 60) + 1, right.data());
  put_integer(type, std::int64_t{1} << 60, found.data());
  EXPECT_EQ(difference_of(type, 1, 0, right.data(), found.data()).first, 0);
}

TEST(ElementType, TakesNoNanForRight) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"f64", "f32", "f16", "bf16"}) {
    const element_type& type = *find_element_type(name);
    const std::vector<std::byte> both = elements(type, {1, nan});
    EXPECT_EQ(difference_of(type, 2, 1e9, both.data(), both.data()).first, 1) << name;
  }
}

TEST(ElementType, FindsWhatWasNotWritten) {
  for (const char* name : {"f64", "f32", "f16", "bf16", "i64"}) {
    const element_type& type = *find_element_type(name);
    const kernel_array a = output_array("out", type, 4, 0);
    std::vector<std::byte> found = elements(type, {1, 2, 3, 4});
    EXPECT_EQ(a.first_unwritten(found.data()), -1) << name;
    std::memset(found.data() + 2 * type.bytes, poison_byte, 2 * type.bytes);
    EXPECT_EQ(a.first_unwritten(found.data()), 2) << name;
  }
}

TEST(ElementType, FillsWithinItsBounds) {
  for (const char* name : {"f32", "bf16", "f16"}) {
    const element_type& type = *find_element_type(name);
    const std::vector<std::byte> made = uniform_elements(type, 1000, 2, 4, 1, "x");
    double least = 10, most = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      least = std::min(least, number_at(type, made.data() + i * type.bytes));
      most = std::max(most, number_at(type, made.data() + i * type.bytes));
    }
    EXPECT_GE(least, 2) << name;
    EXPECT_LT(least, 2.1) << name;
    EXPECT_LE(most, 4) << name;
    EXPECT_GT(most, 3.9) << name;
    EXPECT_NE(made, uniform_elements(type, 1000, 2, 4, 1, "y")) << name;
  }
  const element_type& type = *find_element_type("i32");
  const std::vector<std::byte> made = integer_elements(type, 1000, -1, 1, 1, "x");
  int seen[3] = {};
  for (std::size_t i = 0; i < 1000; ++i) ++seen[static_cast<int>(number_at(type, made.data() + i * 4)) + 1];
  for (const int count : seen) EXPECT_GT(count, 200);
}

}  // namespace
}  // namespace ablate::wrapped

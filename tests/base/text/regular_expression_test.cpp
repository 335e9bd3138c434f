#include "base/text/regular_expression.h"

#include <gtest/gtest.h>

#include "base/text/bad_input.h"

namespace ablate::regular_expression_test {
namespace {

TEST(RegularExpression, IsCompiledOrRefusedByTheNameOfItsPlace) {
  EXPECT_TRUE(std::regex_search("voxelize/smem_hashed", regular_expression("^voxelize/smem_", "--filter")));
  try {
    regular_expression("smem_(", "--poisoned");
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_STREQ(e.what(), "--poisoned: 'smem_(' is not a regular expression; expected ECMAScript syntax");
  }
}

}  // namespace
}  // namespace ablate::regular_expression_test

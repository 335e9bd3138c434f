#include "base/process/find_program.h"

#include <gtest/gtest.h>

namespace ablate::process::find_program_test {
namespace {

TEST(FindProgram, LooksInPath) {
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  ASSERT_TRUE(find_program("sh"));
  EXPECT_TRUE(std::filesystem::exists(*find_program("sh")));
}

}  // namespace
}  // namespace ablate::process::find_program_test

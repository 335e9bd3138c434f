#include "base/text/bad_input.h"

#include <gtest/gtest.h>

#include <string>

namespace ablate::bad_input_test {
namespace {

TEST(BadInput, SaysAllOfATextWithZeroBytes) {
  EXPECT_STREQ(bad_input("f", "/a", std::string("found 'a\0b\0'", 12)).what(), "f: /a: found 'a\\x00b\\x00'");
  EXPECT_STREQ(bad_input("f", "", "expected more").what(), "f: expected more");
}

}  // namespace
}  // namespace ablate::bad_input_test

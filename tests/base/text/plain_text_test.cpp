#include "base/text/plain_text.h"

#include <gtest/gtest.h>

namespace ablate::reports {
namespace {

TEST(PlainText, LeavesOrdinaryTextAlone) {
  for (const char* text : {"", "voxelize/warp_match", "1.25× … (±0.1 %), µs, Größe, 速い", "std::vector<int>",
                           "void ablate::fill<float>(float*)", "#3 and ## 4", "a:b, c: d"})
    EXPECT_EQ(plain_text(text), text);
}

TEST(PlainText, DrivesNoTerminal) {
  EXPECT_EQ(plain_text("a\nb\x1b[31mc\x7f\t"), "a\\x0ab\\x1b[31mc\\x7f\\x09");
  EXPECT_EQ(plain_text("\xc2\x9b"
                       "31m"),
            "\\u009b31m");  // a control sequence in one character
  EXPECT_EQ(plain_text("\xe2\x80\xae"
                       "SSAP"),
            "\\u202eSSAP");
  EXPECT_EQ(plain_text("\xc2"), "\xc2");  // cut short
}

TEST(PlainText, CommandsNoRunner) {
  EXPECT_EQ(plain_text("::error::no"), "\\x3a:error::no");
  EXPECT_EQ(plain_text("see ::set-output name=a::b"), "see \\x3a:set-output name=a::b");
  EXPECT_EQ(plain_text("a ##[error]b ##vso[task.complete]"), "a \\x23#[error]b \\x23#vso[task.complete]");
}

}  // namespace
}  // namespace ablate::reports

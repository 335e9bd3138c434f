#include "kernels/common/refuse_launch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "kernels/common/unsupported.h"

namespace ablate::refuse_launch_test {
namespace {

template <class Error, class Refuse>
std::string what_of(Refuse refuse) {
  try {
    refuse();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(RefuseLaunch, JoinsWordsAndIntegers) {
  const std::string name = "sort";
  EXPECT_EQ(what_of<launch_error>([&] {
              refuse_launch({text_view(name), ": needs ", std::size_t{1} << 40, " bytes, has ", -1, "."});
            }),
            "sort: needs 1099511627776 bytes, has -1.");
}

TEST(RefuseLaunch, SaysWhatAMachineLacksByAnotherType) {
  EXPECT_EQ(what_of<unsupported>([] {
              refuse_as_unsupported({std::int64_t{70000}, " blocks"});
            }),
            "70000 blocks");
}

}  // namespace
}  // namespace ablate::refuse_launch_test

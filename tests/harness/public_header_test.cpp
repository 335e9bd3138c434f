#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_program.h"

namespace ablate::public_header_test {
namespace {

using test_support::program_result;
using testing::HasSubstr;
using testing::Not;

/// The headers that a file with this one line includes, in make's form.
std::string included_by(const std::string& header) {
  const test_support::temporary_directory files;
  const program_result listed = test_support::run_program(
      {test_support::compiler_path(), "-std=c++20", "-M", "-DABLATE_HAS_CUDA=1", "-isystem",
       test_support::public_headers_path(), files.write("mine.cpp", "#include <" + header + ">\n").string()});
  EXPECT_EQ(listed.exit_code, 0) << listed.error;
  return listed.out;
}

TEST(PublicHeader, HasNoJsonAndNoClouds) {
  const std::string headers = included_by("ablate/ablate.h");
  EXPECT_THAT(headers, HasSubstr("ablate/registry/define_kernel.h"));
  EXPECT_THAT(headers, Not(HasSubstr("nlohmann")));
  EXPECT_THAT(headers, Not(HasSubstr("ablate/inputs")));
}

TEST(PublicHeader, OfProblemStructsHasNoClouds) {
  const std::string headers = included_by("ablate/registry/define.h");
  EXPECT_THAT(headers, Not(HasSubstr("ablate/inputs/clouds.h")));
  EXPECT_THAT(headers, Not(HasSubstr("ablate/inputs/points")));
  EXPECT_THAT(headers, Not(HasSubstr("ablate/inputs/voxels")));
  EXPECT_THAT(included_by("ablate/inputs/clouds.h"), HasSubstr("ablate/inputs/voxels"));
}

}  // namespace
}  // namespace ablate::public_header_test

#include "harness/build_facts.h"

#include <gtest/gtest.h>

#include <string_view>

namespace ablate::build_facts_test {
namespace {

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

TEST(BuildFacts, NameTheSourcesByTheirHash) {
  EXPECT_EQ(this_build().source_hash.size(), 64u);
  EXPECT_TRUE(is_hex(this_build().source_hash)) << this_build().source_hash;
}

TEST(BuildFacts, NameACommitWholeOrNotAtAll) {
  EXPECT_TRUE(this_build().commit.empty() || this_build().commit.size() == 40) << this_build().commit;
  EXPECT_TRUE(is_hex(this_build().commit)) << this_build().commit;
}

TEST(BuildFacts, NameVersionCompilerAndBuildType) {
  EXPECT_FALSE(this_build().version.empty());
  EXPECT_FALSE(this_build().build_type.empty());
  EXPECT_NE(this_build().compiler.find(' '), std::string_view::npos) << this_build().compiler;
}

TEST(BuildFacts, NameTheCudaCompilerWhereThereIsOne) {
  EXPECT_EQ(this_build().cuda_compiler.empty(), !ABLATE_HAS_CUDA);
  EXPECT_EQ(this_build().cuda_architectures.empty(), !ABLATE_HAS_CUDA);
}

}  // namespace
}  // namespace ablate::build_facts_test

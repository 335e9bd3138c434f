#include "harness/version.h"

#include <gtest/gtest.h>

#include <string>
#include <typeinfo>

#include "harness/build_facts.h"
#include "harness/registry/define_kernel.h"

namespace ablate::version_test {
namespace {

TEST(Version, OfTheHeadersIsThatOfTheProgram) {
  EXPECT_EQ(std::to_string(ABLATE_VERSION_MAJOR) + "." + std::to_string(ABLATE_VERSION_MINOR) + "." +
                std::to_string(ABLATE_VERSION_PATCH),
            library_build().version);
  EXPECT_EQ(ABLATE_VERSION, 10000 * ABLATE_VERSION_MAJOR + 100 * ABLATE_VERSION_MINOR + ABLATE_VERSION_PATCH);
}

TEST(Version, IsPartOfWhatOperationsLinkTo) {
  const std::string name =
      "v" + std::to_string(ABLATE_VERSION_MAJOR) + "_" + std::to_string(ABLATE_VERSION_MINOR);
  EXPECT_NE(std::string(typeid(kernel_definition).name()).find(name), std::string::npos);
  EXPECT_NE(std::string(typeid(&define_kernel).name()).find(name), std::string::npos);
}

}  // namespace
}  // namespace ablate::version_test

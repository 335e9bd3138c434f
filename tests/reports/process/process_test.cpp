#include "reports/process/process.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ablate::reports::process_test {
namespace {

TEST(Process, GivesExitCodeAndBothOutputs) {
  const process_result result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(Process, ASignalIsAnExitCodeToo) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
}

TEST(Process, SaysWhenTheProgramIsMissing) {
  EXPECT_THROW(run_process({"no-such-program-anywhere"}), std::runtime_error);
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_TRUE(find_program("sh"));
}

}  // namespace
}  // namespace ablate::reports::process_test

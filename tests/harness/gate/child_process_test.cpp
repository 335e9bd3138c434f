#include "harness/gate/child_process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/temporary_directory.h"

namespace ablate::gate::child_process_test {
namespace {

TEST(ChildProcess, TellsHowAProgramEnded) {
  const test_support::temporary_directory files;
  EXPECT_EQ(run_child({"sh", "-c", "exit 7"}, files.path() / "log"), 7);
  EXPECT_EQ(run_child({"sh", "-c", "kill -9 $$"}, files.path() / "log"), 128 + 9);
  EXPECT_EQ(run_child({"/no/such/program"}, files.path() / "log"), 127);
}

TEST(ChildProcess, WaitsForNothingWhereWhoeverStartedItIgnoresItsChildren) {
  const test_support::temporary_directory files;
  const auto usual = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_THROW(run_child({"true"}, files.path() / "log"), tool_failure);
  std::signal(SIGCHLD, usual);
}

}  // namespace
}  // namespace ablate::gate::child_process_test

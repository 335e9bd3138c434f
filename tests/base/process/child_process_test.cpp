#include "base/process/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::process::child_process_test {
namespace {

using namespace std::chrono_literals;
using test_support::slurp;

std::vector<std::string> shell(const std::string& text) { return {"sh", "-c", text}; }

/// Whether a process is there and no zombie that nobody waits for.
bool is_running(const std::string& pid) {
  const std::string stat = slurp("/proc/" + pid + "/stat");
  return !stat.empty() && stat.find(") Z") == std::string::npos;
}

bool ends_soon(const std::string& pid) {
  for (int look = 0; look < 500 && is_running(pid); ++look) std::this_thread::sleep_for(10ms);
  return !is_running(pid);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(ChildProcess, TellsExitCodesFromSignals) {
  EXPECT_EQ(run({"true"}).exit_code, 0);
  const ending failed = run(shell("exit 7"));
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_EQ(failed.text(), "exited with code 7");
  const ending killed = run(shell("kill -9 $$"));
  EXPECT_FALSE(killed.exit_code);
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.text(), "died of signal 9 (Killed)");
  EXPECT_EQ(run(shell("exit 137")).exit_code, 137);
}

TEST(ChildProcess, GivesBothOutputsInTheirOrder) {
  EXPECT_EQ(run(shell("echo out; echo err >&2; echo out")).output, "out\nerr\nout\n");
}

TEST(ChildProcess, TakesMoreOutputThanAPipeHolds) {
  const result said = run(shell("head -c 3000000 /dev/zero | tr '\\0' x; exit 3"));
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_EQ(said.output, std::string(3000000, 'x'));
}

TEST(ChildProcess, ThatCannotStartIsNamed) {
  const test_support::temporary_directory files;
  const auto reason = [](const command& of) -> std::string {
    try {
      child_process child(of);
    } catch (const std::system_error& failure) {
      return failure.what();
    }
    return "started";
  };
  EXPECT_EQ(reason({.argv = {"no-such-program-anywhere"}}),
            "no-such-program-anywhere: No such file or directory");
  const auto text = files.write("text", "no program\n").string();
  EXPECT_EQ(reason({.argv = {text}}), text + ": Permission denied");
  EXPECT_EQ(reason({.argv = {"true"}, .directory = "/no/such/folder"}),
            "/no/such/folder: No such file or directory");
  EXPECT_EQ(reason({.argv = {"true"}, .out = "/no/such/folder/log"}),
            "/no/such/folder/log: No such file or directory");
}

TEST(ChildProcess, RunsWhereAndWithWhatItIsGiven) {
  const test_support::temporary_directory files;
  setenv("ABLATE_TEST_OF_A_PROCESS", "old", 1);
  const auto out = files.path() / "out", error = files.path() / "error";
  child_process child({.argv = shell("pwd; echo $ABLATE_TEST_OF_A_PROCESS; echo wrong >&2"),
                       .directory = files.path(),
                       .environment = {"ABLATE_TEST_OF_A_PROCESS=new"},
                       .out = out,
                       .error = error});
  EXPECT_EQ(child.wait().exit_code, 0);
  unsetenv("ABLATE_TEST_OF_A_PROCESS");
  EXPECT_EQ(slurp(out), std::filesystem::canonical(files.path()).string() + "\nnew\n");
  EXPECT_EQ(slurp(error), "wrong\n");
}

TEST(ChildProcess, MayHaveOneFileForBothStreams) {
  const test_support::temporary_directory files;
  const auto log = files.write("log", "what an earlier one said, which is longer");
  child_process child({.argv = shell("echo out; echo err >&2"), .out = log, .error = log});
  EXPECT_EQ(child.wait().exit_code, 0);
  EXPECT_EQ(slurp(log), "out\nerr\n");
}

TEST(ChildProcess, HasNothingToRead) { EXPECT_EQ(run({"cat"}, 10s).exit_code, 0); }

TEST(ChildProcess, StartsWhereTheStreamsAreClosed) {
  child_process without_streams([] {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    const result said = run(shell("cat; echo out; echo err >&2; exit 3"), 10s);
    return said.exit_code == 3 && said.output == "out\nerr\n" ? 0 : 1;
  });
  EXPECT_EQ(without_streams.wait().exit_code, 0);
}

TEST(ChildProcess, IsEndedAfterItsLimitWithAllThatItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const result ended = run(shell("sleep 60 & echo $!; wait"), 1s);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_TRUE(ended.timed_out);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_TRUE(ends_soon(first_line(ended.output)));
  EXPECT_FALSE(run({"true"}, 60s).timed_out);
}

TEST(ChildProcess, WhatItLeftBehindNeitherHoldsItsPipeNorLivesOn) {
  const auto start = std::chrono::steady_clock::now();
  const result left = run(shell("sleep 60 & echo $!"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_EQ(left.exit_code, 0);
  EXPECT_TRUE(ends_soon(first_line(left.output)));
}

TEST(ChildProcess, WhoLeftItsGroupDoesNotHoldItUp) {
  const test_support::temporary_directory files;
  const std::string pid = (files.path() / "pid").string();
  const auto start = std::chrono::steady_clock::now();
  const result left = run(shell("setsid sh -c 'echo $$ >" + pid + "; exec sleep 60' & until test -s " + pid +
                                "; do sleep 0.01; done; echo done"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  EXPECT_EQ(left.exit_code, 0);
  EXPECT_EQ(left.output, "done\n");
  ::kill(std::stoi(slurp(pid)), SIGKILL);
}

TEST(ChildProcess, TellsHowItEndedWhereSigchldIsIgnored) {
  const auto usual = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run(shell("exit 7")).exit_code, 7);
  EXPECT_EQ(signal(SIGCHLD, usual), SIG_IGN) << "put back";
}

TEST(ChildProcess, ThatSomebodyElseWaitedForIsLost) {
  child_process losing([] {
    child_process child({.argv = {"true"}});
    signal(SIGCHLD, SIG_IGN);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
    try {
      child.wait();
    } catch (const std::system_error& lost) {
      return lost.code().value() == ECHILD ? 0 : 1;
    }
    return 1;
  });
  EXPECT_EQ(losing.wait().exit_code, 0);
}

TEST(ChildProcess, IsWaitedForThroughSignals) {
  child_process interrupted([] {
    struct sigaction note {};
    note.sa_handler = [](int) {};
    sigaction(SIGALRM, &note, nullptr);
    ualarm(1000, 1000);
    const result said = run(shell("head -c 300000 /dev/zero; exit 7"));
    return said.exit_code == 7 && said.output.size() == 300000 ? 0 : 1;
  });
  EXPECT_EQ(interrupted.wait().exit_code, 0);
}

TEST(ChildProcess, SaysNothingWhileItRunsAndTheSameOftenAfterwards) {
  child_process child({.argv = {"sleep", "60"}});
  EXPECT_FALSE(child.wait_for(0s));
  EXPECT_FALSE(child.wait_for(20ms));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait().signal, SIGTERM);
  EXPECT_EQ(child.wait().signal, SIGTERM);
  EXPECT_EQ(child.kill().signal, SIGTERM);
}

TEST(ChildProcess, DoesNotOutliveItsObject) {
  const test_support::temporary_directory files;
  const auto pids = files.path() / "pids";
  {
    child_process child({.argv = shell("echo $$; sleep 60 & echo $!; wait"), .out = pids});
    while (slurp(pids).find('\n', slurp(pids).find('\n') + 1) == std::string::npos)
      std::this_thread::sleep_for(1ms);
  }
  const std::string both = slurp(pids);
  EXPECT_TRUE(ends_soon(first_line(both)));
  EXPECT_TRUE(ends_soon(first_line(both.substr(both.find('\n') + 1))));
}

TEST(ChildProcess, DoesNotOutliveWhoStartedIt) {
  const test_support::temporary_directory files;
  const auto pid = files.path() / "pid";
  child_process parent([&] {
    child_process child({.argv = shell("echo $$; exec sleep 60"), .out = pid});
    while (slurp(pid).find('\n') == std::string::npos) std::this_thread::sleep_for(1ms);
    return ::kill(getpid(), SIGKILL);
  });
  EXPECT_EQ(parent.wait().signal, SIGKILL);
  EXPECT_TRUE(ends_soon(first_line(slurp(pid))));
}

TEST(ChildProcess, ACopyOfThisProcessEndsAsItsWorkDoes) {
  EXPECT_EQ(child_process([] { return 86; }).wait().exit_code, 86);
  EXPECT_EQ(child_process([]() -> int { abort(); }).wait().signal, SIGABRT);
  EXPECT_EQ(child_process([]() -> int { throw std::runtime_error("made to fail"); }).wait().exit_code, 1);
  child_process hung([] { return pause(); });
  EXPECT_FALSE(hung.wait_for(20ms));
  EXPECT_EQ(hung.kill().signal, SIGKILL);
}

}  // namespace
}  // namespace ablate::process::child_process_test

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/process/find_program.h"
#include "harness/cli/slurm_scripts.h"
#include "tests/harness/runner/kill_and_resume.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::submit_test {
namespace {

namespace fs = std::filesystem;
using test_support::program_result;
using test_support::slurp;
using ::testing::HasSubstr;

const fs::path golden = test_support::source_path("tests/harness/cli/data/submit");

slurm_request made_request() {
  return {.program = "/opt/ablate/bin/ablate",
          .out = "/scratch/me/first run",
          .run_words = {"/home/me/voxelization.json", "--axes", "points=300000", "--chip", "h200"},
          .name = "ablate-voxelization",
          .shards = 8,
          .gpus_per_node = 1,
          .constraint = "h200",
          .shard_minutes = 31,
          .site_options = {"--account=vision", "--partition=gpu"}};
}

TEST(Submit, WritesTheseScripts) {
  EXPECT_EQ(shard_script(made_request()), slurp(golden / "shard.sbatch"));
  EXPECT_EQ(merge_script(made_request()), slurp(golden / "merge.sbatch"));
  EXPECT_EQ(submit_script(made_request()), slurp(golden / "submit.sh"));
}

TEST(Submit, WritesScriptsThatShellcheckAccepts) {
  if (!process::find_program("shellcheck")) ABLATE_LACKS("shellcheck", "shellcheck is not installed");
  for (const char* name : {"shard.sbatch", "merge.sbatch", "submit.sh"}) {
    const program_result result =
        test_support::run_program({"shellcheck", "--shell=bash", (golden / name).string()});
    EXPECT_EQ(result.exit_code, 0) << result.out;
  }
}

/// Scripts as the program writes them, and programs that replace Slurm's.
class SubmittedJobs : public ::testing::Test {
 protected:
  fs::path at(const std::string& name) const { return files_.path() / name; }

  void write_program(const std::string& name, const std::string& text) {
    const fs::path path = files_.write(name, "#!/bin/bash\n" + text);
    fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
  }

  program_result submit(std::vector<std::string> more) {
    const std::vector<std::string> words = {"dev",
                                            "submit",
                                            files_.write("small.json", test_support::small_suite()).string(),
                                            "--shards",
                                            "3",
                                            "--out",
                                            at("out").string()};
    more.insert(more.begin(), words.begin(), words.end());
    return test_support::run_ablate(more,
                                    {"PATH=" + files_.path().string() + ":/usr/bin:/bin", "ABLATE_DATA="});
  }

  std::vector<std::string> environment() const {
    return {"PATH=" + files_.path().string() + ":/usr/bin:/bin", "SLURM_ARRAY_JOB_ID=7",
            "SLURM_ARRAY_TASK_ID=2"};
  }

  /// Runs the shard's script with a program that waits to be told to stop, and tells it.
  void stop_shard(const std::vector<std::string>& more) {
    write_program("ablate", "echo \"$@\" > " + at("called").string() +
                                "\ntrap 'exit 130' TERM\nwhile :; do sleep 0.02; done\n");
    write_program("scontrol", "echo \"$@\" > " + at("requeued").string() + "\n");
    slurm_request wanted = made_request();
    wanted.program = at("ablate");
    wanted.out = at("");
    files_.write("shard.sbatch", shard_script(wanted));
    std::vector<std::string> all = environment();
    all.insert(all.end(), more.begin(), more.end());
    process::child_process shard({.argv = {"/bin/bash", at("shard.sbatch").string()}, .environment = all});
    while (slurp(at("called")).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the program sets its trap
    shard.signal(SIGUSR1);
    EXPECT_EQ(shard.wait().exit_code, 130);
  }

  test_support::temporary_directory files_;
};

TEST_F(SubmittedJobs, AreSubmittedWithTheOptionsOfTheSite) {
  write_program("sbatch", "printf '%s|' \"$@\" >> " + at("calls").string() + "\necho >> " +
                              at("calls").string() + "\necho '41;cluster'\n");
  const program_result written = submit({"--constraint", "h200&nvlink", "--", "--account=a b"});
  ASSERT_EQ(written.exit_code, 0) << written.error;
  const std::string out = at("out").string();
  const program_result result = test_support::run_program({out + "/submit.sh"}, environment());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(slurp(at("calls")),
            "--parsable|--output=" + out + "/shard-%a.log|--account=a b|" + out +
                "/shard.sbatch|\n--parsable|--output=" + out +
                "/merge.log|--dependency=afterany:41|--kill-on-invalid-dep=yes|--account=a b|" + out +
                "/merge.sbatch|\n");
  EXPECT_THAT(result.out, HasSubstr("shards: job 41, merge: job 41, record: " + out + "/record.json\n"));
  EXPECT_THAT(slurp(at("out") / "shard.sbatch"), HasSubstr("#SBATCH --constraint=h200&nvlink\n"));
  EXPECT_THAT(slurp(at("out") / "shard.sbatch"), HasSubstr("#SBATCH --array=1-3\n"));
}

TEST_F(SubmittedJobs, TakeNoTextThatWouldBeADirective) {
  for (const char* text : {"h200\n#SBATCH --account=x", "h200 --account=x", "h200#", "\"h200\"", "h200\r"}) {
    const program_result result = submit({"--constraint", text});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_EQ(result.error, "ablate: --constraint: expected features without blanks, quotes or #\n");
  }
  EXPECT_EQ(submit({"--filter", "a\nb"}).exit_code, 2);
  EXPECT_EQ(submit({"--", "--account=a\nb"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(SubmittedJobs, AreOnlyWritten) {
  const program_result result = submit({});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr((at("out") / "submit.sh").string() + "\n"));
  EXPECT_TRUE((fs::status(at("out") / "submit.sh").permissions() & fs::perms::owner_exec) != fs::perms::none);
}

TEST_F(SubmittedJobs, AShardThatIsToldToStopIsRequeuedByItsArrayAndTask) {
  stop_shard({});
  EXPECT_EQ(slurp(at("requeued")), "requeue 7_2\n");
  EXPECT_THAT(slurp(at("called")),
              HasSubstr("run /home/me/voxelization.json --axes points=300000 --chip h200 "
                        "--devices all --shard auto/8 --resume --out "));
  EXPECT_THAT(slurp(at("called")), HasSubstr("/shard-2\n"));
}

TEST_F(SubmittedJobs, AShardIsRequeuedThreeTimesAtMost) {
  stop_shard({"SLURM_RESTART_COUNT=3"});
  EXPECT_FALSE(fs::exists(at("requeued")));
}

TEST_F(SubmittedJobs, TheMergeTakesWhatTheShardsLeft) {
  ASSERT_EQ(submit({}).exit_code, 0);
  for (const char* shard : {"1", "2", "3"})
    ASSERT_EQ(test_support::run_ablate({"run", at("small.json").string(), "--device", "host", "--shard",
                                        std::string(shard) + "/3", "--out",
                                        (at("out") / ("shard-" + std::string(shard))).string()})
                  .exit_code,
              0);
  const program_result merged =
      test_support::run_program({"/bin/bash", (at("out") / "merge.sbatch").string()});
  EXPECT_EQ(merged.exit_code, 0) << merged.error;
  EXPECT_TRUE(fs::exists(at("out") / "record.json"));
  EXPECT_TRUE(fs::exists(at("out") / "report" / "summary.md"));
}

}  // namespace
}  // namespace ablate::submit_test

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/process/child_process.h"
#include "harness/gate/folder_lock.h"
#include "harness/gate/on_devices.h"
#include "harness/runner/run.h"
#include "reports/plots/render.h"
#include "tests/harness/gate/made_launches.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::live_gate_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::slurp;
using ::testing::HasSubstr;

/// The gate with programs that it launches: this build against itself, on the host.
class LiveGate : public ::testing::Test {
 protected:
  std::vector<std::string> words(std::vector<std::string> more = {}) {
    std::vector<std::string> all = {"gate",
                                    "--baseline",
                                    test_support::program_path(),
                                    "--candidate",
                                    test_support::program_path(),
                                    suite,
                                    "--policy",
                                    policy,
                                    "--device",
                                    "host",
                                    "--out",
                                    at("out"),
                                    "--json",
                                    at("gate.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  static ordered_json forgiving_policy() {
    // Other programs share the processor: only gross effects count.
    ordered_json policy = test_support::made_policy();
    policy["delta"]["minimum_pct"] = 100;
    policy["delta"]["too_noisy_pct"] = 100;
    policy["whole_run"]["minimum_cases"] = 5;
    policy["whole_run"]["controls"] = {"dram_copy_bytes"};  // one that the program has
    policy["confirm"]["extra_pairs"] = 0;
    return policy;
  }

  std::string at(const char* name) const { return (files.path() / name).string(); }
  ordered_json json() const { return ordered_json::parse(slurp(at("gate.json"))); }

  test_support::temporary_directory files;
  const std::string suite =
      files
          .write("suite.json", R"({"name": "small", "description": "two small cases for tests",
                "cases": [{"operation": "voxelize", "variants": ["global_atomic"],
                           "axes": {"points": [20000, 40000], "distribution": "uniform", "grid": 32}}]})")
          .string();
  const std::string policy = files.write("policy.json", forgiving_policy().dump()).string();
};

TEST_F(LiveGate, PassesABuildAgainstItself) {
  const program_result passed = test_support::run_ablate(words());
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  EXPECT_EQ(json().at("cases").size(), 2);
  EXPECT_TRUE(json().at("outputs_compared").get<bool>());
  EXPECT_TRUE(std::filesystem::exists(files.path() / "out" / "baseline" / "0000-check" / "record.json"));
  EXPECT_TRUE(std::filesystem::exists(files.path() / "out" / "candidate" / "9999-check" / "record.json"));

  const auto launch = ordered_json::parse(slurp(at("out/candidate/0001-screen/record.json")));
  EXPECT_EQ(launch.at("benchmarks").at(0).at("check").at("before"), "not_checked");
  EXPECT_EQ(launch.at("benchmarks").at(0).at("time_us").at("samples").size(), 10);
  // Nothing but a gate shows a time of an output that was not compared.
  const program_result report =
      test_support::run_ablate({"report", at("out/candidate/0001-screen"), "--out", at("report")});
  EXPECT_EQ(report.exit_code, 2);
  EXPECT_THAT(report.error, HasSubstr("/benchmarks/0/check"));
}

TEST_F(LiveGate, JudgesEachOfSeveralDevicesByItself) {
  std::vector<std::string> both = words();
  *std::find(both.begin(), both.end(), "--device") = "--devices";
  *std::find(both.begin(), both.end(), "host") = "host,host";
  both.insert(both.end(), {"--markdown", at("gate.md"), "--junit", at("gate.xml")});
  const program_result passed = test_support::run_ablate(both);
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  const ordered_json found = json();
  EXPECT_EQ(found.at("verdict"), "PASS");
  ASSERT_EQ(found.at("devices").size(), 2u);
  EXPECT_EQ(found.at("cases").size(), 2u);
  for (const char* name : {"host-1", "host-2"}) {
    EXPECT_TRUE(std::filesystem::exists(files.path() / "out" / name / "pairs.jsonl")) << name;
    EXPECT_THAT(slurp(at("gate.md")), HasSubstr(name));
    EXPECT_THAT(passed.out, HasSubstr(std::string("== ") + name));
    EXPECT_TRUE(found.at("cases").at(0).at("verdicts").contains(name));
  }
  if (const std::string why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const program_result valid = test_support::run_program(
      {"node", (reports::renderer_directory() / "validate.mjs").string(),
       (reports::renderer_directory() / "schema" / "devices_gate.schema.json").string(), at("gate.json")});
  EXPECT_EQ(valid.exit_code, 0) << valid.out << valid.error;
}

/// A gate of one device that found one case to be this much slower.
gate::device_gate found_on(const std::string& name, const std::string& uuid, gate::verdict word,
                           double shift) {
  gate::device_gate out;
  out.on = {name, name.substr(4), uuid};
  out.command = {"ablate gate --device " + name.substr(4), false};
  out.request.policy.pass = {0.8, 4};
  gate::case_decision d{};
  d.name = "voxelize/smem/points=1000/@hot";
  d.word = word;
  d.limit.delta_pct = 1;
  d.baseline_us = 100;
  d.candidate_us = 100 * std::exp(shift);
  d.pairs = 8;
  d.ratio = {shift, shift - 0.001, shift + 0.001};
  out.outcome.decision.cases = {d};
  out.outcome.is_checked = true;
  return out;
}

TEST(GateOnDevices, FailsACaseThatIsSlowerOnOneOfThem) {
  using gate::verdict;
  std::vector<gate::device_gate> gates = {found_on("gpu-0", "GPU-a", verdict::faster, -0.05),
                                          found_on("gpu-1", "GPU-b", verdict::slower, 0.04)};
  const auto cases = gate::cases_on(gates);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].verdict, "SLOWER") << "their mean would be FASTER";
  EXPECT_TRUE(cases[0].differs);
  EXPECT_THAT(cases[0].verdicts, ::testing::ElementsAre("FASTER", "SLOWER"));
  const gate::gate_report r = gate::report_of(gates);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.verdict, "FAIL");
  EXPECT_THAT(r.reason, HasSubstr("gpu-1: 1 finding"));
  EXPECT_THAT(gate::devices_text(gates, false), HasSubstr("differs by device"));
  EXPECT_THAT(gate::report_junit(r), HasSubstr("gpu-1 (GPU-b)"));

  gates[1] = found_on("gpu-1", "GPU-b", verdict::same, 0.001);
  EXPECT_EQ(gate::report_of(gates).exit_code, 0);
  gates[0].outcome.wrong["voxelize/smem/points=1000/@hot"] = "cell 3 differs";
  EXPECT_EQ(gate::report_of(gates).exit_code, 3);
  EXPECT_EQ(gate::report_of(gates).verdict, "WRONG");
}

TEST_F(LiveGate, DevicesAreOfProgramsThatItLaunches) {
  std::filesystem::create_directories(at("folder"));
  const program_result refused = test_support::run_ablate(
      {"gate", "--baseline", at("folder"), "--candidate", at("folder"), suite, "--devices", "host,host"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("--devices: expected programs to launch, found a folder"));
}

TEST_F(LiveGate, FindsAnInjectedDelayAndReplaysIt) {
  if (!can_inject_delay())
    ABLATE_LACKS("inject_delay", "this build cannot inject delays (ABLATE_INJECT_DELAY)");
  const program_result failed =
      test_support::run_ablate(words({"--inject-delay", "300", "--inject-into", "points=20000"}));
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.error;
  EXPECT_EQ(json().at("injected_delay_pct"), 300);
  EXPECT_EQ(json().at("cases").at(0).at("verdict"), "SLOWER");
  EXPECT_THAT(json().at("cases").at(0).at("name").get<std::string>(), HasSubstr("points=20000"));
  const auto launch = ordered_json::parse(slurp(at("out/candidate/0001-screen/record.json")));
  EXPECT_THAT(launch.dump(), HasSubstr("\"injected_delay_pct\":300"));

  const program_result replayed =
      test_support::run_ablate({"gate", "--baseline", at("out/baseline"), "--candidate", at("out/candidate"),
                                suite, "--policy", policy, "--out", at("replay"), "--device", "host"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out << replayed.error;
}

TEST_F(LiveGate, ABuildThatCannotInjectRefuses) {
  if (can_inject_delay()) ABLATE_LACKS("no_inject_delay", "this build can");
  const program_result refused =
      test_support::run_ablate({"run", suite, "--device", "host", "--out", at("run"), "--inject-delay", "5"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("ABLATE_INJECT_DELAY"));
}

TEST_F(LiveGate, AKilledGateGoesOnWhereItWas) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(test_support::run_ablate(words()).exit_code, 0);
  const auto duration = std::chrono::steady_clock::now() - start;
  for (const double share : {0.1, 0.4, 0.7, 0.9}) {
    std::filesystem::remove_all(files.path() / "out");
    process::child_process killed(
        {.argv = test_support::ablate_command(words()), .out = "/dev/null", .error = "/dev/null"});
    killed.wait_for(duration * share);
    killed.kill();
    const std::string before = slurp(at("out/pairs.jsonl"));
    const std::string whole_lines = before.substr(0, before.rfind('\n') + 1);
    program_result resumed;
    for (int attempt = 0; attempt < 100; ++attempt) {
      resumed = test_support::run_ablate(words({"--resume"}));
      // A launch of the killed gate may still be on its way out, holding its journal.
      if (resumed.exit_code == 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.error;
    EXPECT_GE(json().at("cost").at("pairs"), 6);
    EXPECT_EQ(slurp(at("out/pairs.jsonl")).substr(0, whole_lines.size()), whole_lines);
  }
}

TEST_F(LiveGate, RefusesToResumeAnotherGate) {
  ASSERT_EQ(test_support::run_ablate(words()).exit_code, 0);
  const program_result refused = test_support::run_ablate(words({"--resume", "--filter", "points=20000"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("pairs.jsonl"));
}

TEST_F(LiveGate, AFolderWhoseNameIsNoUtf8IsNoTrouble) {
  const auto folder = files.path() / "caf\xe9";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(suite, folder / "suite.json");
  std::vector<std::string> all =
      words({"--budget", "0.001", "--junit", at("gate.xml"), "--markdown", at("gate.md")});
  all[5] = (folder / "suite.json").string();
  const program_result cut = test_support::run_ablate(all);
  EXPECT_EQ(cut.exit_code, 4) << cut.error;
  EXPECT_THAT(json().at("command").dump(), HasSubstr("caf"));

  all.push_back("--resume");
  const program_result resumed = test_support::run_ablate(all);
  EXPECT_EQ(resumed.exit_code, 4) << resumed.error;
}

TEST_F(LiveGate, KeepsToItsBudget) {
  const program_result cut = test_support::run_ablate(words({"--budget", "0.001"}));
  EXPECT_EQ(cut.exit_code, 4) << cut.error;
  EXPECT_EQ(json().at("cost").at("pairs"), 0);
  EXPECT_EQ(json().at("cases").at(0).at("verdict"), "INCONCLUSIVE");
  EXPECT_THAT(cut.out, HasSubstr("the budget of 0.001 s is spent"));
}

/// A gate whose candidate is a program of another kind.
class GateOfABrokenProgram : public LiveGate {
 protected:
  void expect_failure_of_the_tool(const std::string& text, bool is_executable, const std::string& said) {
    const auto broken = files.write("broken", text);
    if (is_executable) std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
    std::vector<std::string> all = words();
    all[4] = broken.string();
    all.insert(all.end(), {"--junit", at("gate.xml"), "--markdown", at("gate.md")});
    const program_result failed = test_support::run_ablate(all);
    EXPECT_EQ(failed.exit_code, 75) << failed.out << failed.error;
    EXPECT_THAT(failed.out, HasSubstr(said));
    EXPECT_EQ(json().at("verdict"), "FAILED");
    EXPECT_EQ(json().at("exit_code"), 75);
    EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
    EXPECT_THAT(slurp(at("gate.md")), HasSubstr("FAILED"));
  }
};

TEST_F(GateOfABrokenProgram, IsAFailureOfTheTool) {
  expect_failure_of_the_tool("#!/bin/sh\necho no such option\nexit 2\n", true, "no such option");
}

TEST_F(GateOfABrokenProgram, ThatCannotStartIsAFailureOfTheTool) {
  expect_failure_of_the_tool("no program\n", false, ": Permission denied");
  expect_failure_of_the_tool("#!/no/such/shell\n", true, ": No such file or directory");
}

TEST_F(GateOfABrokenProgram, ThatLeavesNoRecordIsAFailureOfTheToolWhateverItsExitCode) {
  for (const char* code : {"0", "3", "75"})
    expect_failure_of_the_tool(std::string("#!/bin/sh\necho out of threads\nexit ") + code + "\n", true,
                               "and no record");
}

TEST_F(GateOfABrokenProgram, IsNotSavedByTheRecordOfAnEarlierLaunch) {
  ASSERT_EQ(test_support::run_ablate(words()).exit_code, 0);
  const auto all = [&] {
    std::vector<std::string> resumed = words({"--resume"});
    resumed[4] = files.write("broken", "#!/bin/sh\nexit 75\n").string();
    std::filesystem::permissions(resumed[4], std::filesystem::perms::owner_all);
    return resumed;
  }();
  const program_result failed = test_support::run_ablate(all);
  EXPECT_EQ(failed.exit_code, 75) << failed.out << failed.error;
  EXPECT_THAT(failed.out, HasSubstr("and no record"));
}

TEST_F(LiveGate, FindsTheLockBeforeItTouchesAnotherGatesLaunches) {
  const gate::folder_lock first(files.path() / "out");
  const auto launch = files.path() / "out" / "baseline" / "0001-screen";
  std::filesystem::create_directories(launch);
  std::ofstream(launch / "record.json") << "{}";
  const program_result refused = test_support::run_ablate(words());
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.error, HasSubstr("another gate is writing here"));
  EXPECT_EQ(slurp(launch / "record.json"), "{}");
  EXPECT_FALSE(std::filesystem::exists(files.path() / "out" / "baseline" / "0000-check"));
}

TEST_F(LiveGate, WithoutAGpuNothingIsJudgedUnlessTheHostIsAskedFor) {
  std::vector<std::string> all = words({"--junit", at("gate.xml")});
  const auto device = std::find(all.begin(), all.end(), "--device");
  all.erase(device, device + 2);
  const program_result none = test_support::run_ablate(all);
  if (json().at("candidate").contains("device")) ABLATE_LACKS("no_gpu", "there is a GPU here");
  EXPECT_EQ(none.exit_code, 4) << none.out << none.error;
  EXPECT_EQ(json().at("verdict"), "INCONCLUSIVE");
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.error, HasSubstr("there is no GPU"));
  EXPECT_EQ(std::count(none.error.begin(), none.error.end(), '\n'), 1) << none.error;
  EXPECT_THAT(json().at("reason").get<std::string>(), HasSubstr("--device host judges host references"));
  EXPECT_THAT(slurp(at("gate.xml")), HasSubstr("failures=\"1\""));
}

TEST_F(LiveGate, KeepsExitCodesWhereItsParentIgnoresSigchld) {
  std::string command = "trap '' CHLD; exec " + test_support::program_path();
  for (const std::string& word : words()) command += " '" + word + "'";
  const program_result passed = test_support::run_program({"timeout", "120", "sh", "-c", command});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
}

TEST_F(LiveGate, CalibratesInParts) {
  const auto calibrate = [&](const char* runs, std::vector<std::string> more) {
    std::vector<std::string> all = {"dev",
                                    "calibrate",
                                    test_support::program_path(),
                                    test_support::program_path(),
                                    suite,
                                    "--policy",
                                    policy,
                                    "--device",
                                    "host",
                                    "--launches",
                                    at("cal"),
                                    "--out",
                                    at("floors.json"),
                                    "--runs",
                                    runs,
                                    "--pairs",
                                    "2"};
    all.insert(all.end(), more.begin(), more.end());
    return test_support::run_ablate(all);
  };
  ASSERT_EQ(calibrate("2", {}).exit_code, 0);
  const std::string before = slurp(at("cal/pairs.jsonl"));
  ASSERT_EQ(calibrate("4", {"--resume"}).exit_code, 0);
  EXPECT_EQ(slurp(at("cal/pairs.jsonl")).substr(0, before.size()), before);
  const auto floors = ordered_json::parse(slurp(at("floors.json")));
  EXPECT_EQ(floors.at("runs"), 4);
  EXPECT_EQ(floors.at("cases").size(), 2);
  // So few runs of two cases leave wide floors, and then the gate says that it judged too few.
  EXPECT_THAT(test_support::run_ablate(words({"--floors", at("floors.json")})).exit_code,
              ::testing::AnyOf(0, 4));
}

}  // namespace
}  // namespace ablate::live_gate_test

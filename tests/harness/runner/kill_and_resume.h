#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>

#include "tests/support/run_program.h"

namespace ablate::test_support {

/// The names and input hashes of a record's measured cases.
inline std::map<std::string, std::string> measured_cases(const std::filesystem::path& record) {
  std::map<std::string, std::string> all;
  const auto whole = nlohmann::json::parse(slurp(record));
  for (const auto& entry : whole.at("benchmarks")) all[entry.at("name")] = entry.at("input").at("hash");
  return all;
}

/// Kills `ablate run SUITE` on `device` with SIGKILL at `kills` seeded moments of its duration, resumes it
/// each time, and expects the cases and input hashes of an uninterrupted run.
inline void expect_killed_runs_lose_nothing(const std::filesystem::path& suite, const std::string& device,
                                            int kills) {
  const temporary_directory files;
  const auto whole = files.path() / "whole", broken = files.path() / "broken";
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run_ablate({"run", suite.string(), "--device", device, "--out", whole.string()}).exit_code, 0);
  const auto duration = std::chrono::steady_clock::now() - start;
  const auto expected = measured_cases(whole / "record.json");
  ASSERT_FALSE(expected.empty());

  std::mt19937 random(7);
  for (int i = 0; i < kills; ++i) {
    std::filesystem::remove_all(broken);
    const pid_t child = fork();
    if (child == 0) {
      if (!freopen("/dev/null", "w", stderr)) _exit(1);
      execl(ABLATE_PROGRAM, ABLATE_PROGRAM, "run", suite.c_str(), "--device", device.c_str(), "--out",
            broken.c_str(), nullptr);
      _exit(1);
    }
    std::this_thread::sleep_for(duration * (random() % 1000) / 1000.0);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    program_result resumed;
    for (int attempt = 0; attempt < 100; ++attempt) {
      resumed = run_ablate({"run", suite.string(), "--device", device, "--out", broken.string(), "--resume"});
      // The killed run's worker may still be on its way out, holding the journal.
      if (resumed.exit_code != 2) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ASSERT_EQ(resumed.exit_code, 0) << resumed.error;
    EXPECT_EQ(measured_cases(broken / "record.json"), expected) << "kill " << i;
  }
}

/// A suite of a dozen small cases.
inline std::string small_suite() {
  return R"({"name": "small", "description": "a dozen small cases for tests",
             "sampling": {"maximum_seconds": 0.02},
             "cases": [{"operation": "voxelize", "variants": ["global_atomic", "smem_hashed"],
                        "axes": {"points": [1000, 2000, 4000], "distribution": ["uniform", "clustered"], "grid": 32},
                        "cache": ["cold-clean"]}]})";
}

}  // namespace ablate::test_support

#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/process/child_process.h"
#include "tests/support/run_program.h"

namespace ablate::test_support {

/// A record's measured cases by name.
inline std::map<std::string, nlohmann::json> measured_cases(const std::filesystem::path& record) {
  std::map<std::string, nlohmann::json> all;
  const auto whole = nlohmann::ordered_json::parse(slurp(record));
  for (const auto& entry : whole.at("benchmarks")) all[entry.at("name").get<std::string>()] = entry;
  return all;
}

/// The journals of a run, those of its workers, too.
inline std::vector<std::filesystem::path> journals_of(const std::filesystem::path& out) {
  std::vector<std::filesystem::path> all;
  std::error_code not_there;
  for (const auto& file : std::filesystem::directory_iterator(out, not_there))
    if (file.path().extension() == ".jsonl") all.push_back(file.path());
  return all;
}

/// A run's journalled cases, as far as it came.
inline std::map<std::string, nlohmann::json> journalled_cases(const std::filesystem::path& out) {
  std::map<std::string, nlohmann::json> all;
  for (const auto& path : journals_of(out)) {
    std::ifstream journal(path);
    for (std::string line; std::getline(journal, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_object() || !json.contains("case")) continue;  // a context, or cut short by a kill
      const auto& entry = json.at("case");
      all[entry.at("name").get<std::string>()] = entry;
    }
  }
  return all;
}

inline std::map<std::string, std::string> input_hashes(const std::map<std::string, nlohmann::json>& cases) {
  std::map<std::string, std::string> all;
  for (const auto& [name, entry] : cases) all[name] = entry.at("input").at("hash").get<std::string>();
  return all;
}

/// The exit code where another process holds the journal.
inline constexpr int is_held = 2;

/// Starts or resumes the run in `out` with these arguments of `ablate`, and kills it with SIGKILL `moment`
/// after its journal held `cases` cases. A run that ends before is taken back and killed after half as long.
inline void kill_after(std::size_t cases, std::chrono::duration<double> moment,
                       const std::vector<std::string>& arguments, const std::filesystem::path& out) {
  std::map<std::filesystem::path, std::string> before;
  for (const auto& path : journals_of(out)) before[path] = slurp(path);
  for (;;) {
    process::child_process run({.argv = ablate_command(arguments), .error = "/dev/null"});
    std::optional<process::ending> ended;
    while (!ended && journalled_cases(out).size() < cases) ended = run.wait_for(std::chrono::milliseconds(2));
    if (!ended) ended = run.wait_for(moment);
    if (!ended) {
      run.signal(SIGKILL);
      ended = run.wait();
    }
    if (ended->signal == SIGKILL) return;
    // The worker of the run killed before may still be on its way out, and hold the journal.
    if (ended->exit_code == is_held) continue;
    ASSERT_EQ(ended->exit_code, 0) << ended->text();
    std::filesystem::remove(out / "record.json");
    for (const auto& path : journals_of(out)) std::filesystem::remove(path);
    for (const auto& [path, text] : before) std::ofstream(path) << text;
    moment /= 2;
  }
}

/// Kills `ablate run SUITE` on a device ("--device", "host") before its first case ended, and again each time
/// that it has resumed and one more has, at seeded moments. Expects the cases and input hashes of an
/// uninterrupted run, and of each case what was measured before the kills.
inline void expect_killed_runs_lose_nothing(const std::filesystem::path& suite, const std::string& option,
                                            const std::string& device) {
  const temporary_directory files;
  const auto whole = files.path() / "whole", broken = files.path() / "broken";
  // One calibration represents all.
  const auto run_to = [&](const std::filesystem::path& out) {
    return std::vector<std::string>{"run",        suite.string(), option,       device,  "--out",
                                    out.string(), "--resume",     "--ceilings", "launch"};
  };
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run_ablate(run_to(whole)).exit_code, 0);
  const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - start;
  const auto expected = input_hashes(measured_cases(whole / "record.json"));
  ASSERT_FALSE(expected.empty());

  std::mt19937 random(7);
  std::map<std::string, nlohmann::json> kept;
  for (std::size_t cases = 0; cases <= expected.size(); ++cases) {
    const double moment = (random() % 1000) / 1000.0;
    ASSERT_NO_FATAL_FAILURE(kill_after(cases, moment * duration / expected.size(), run_to(broken), broken));
    kept.merge(journalled_cases(broken));  // what is there stays
  }

  program_result resumed;
  for (int attempt = 0; attempt < 100; ++attempt) {
    resumed = run_ablate(run_to(broken));
    if (resumed.exit_code != is_held) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error;
  const auto measured = measured_cases(broken / "record.json");
  EXPECT_EQ(input_hashes(measured), expected);
  for (const auto& [name, entry] : kept)
    EXPECT_EQ(measured.at(name).at("time_us"), entry.at("time_us")) << name << " was measured again";
}

/// A suite of a dozen small cases (on the host six), of these numbers of points.
inline std::string small_suite(const std::vector<int>& points = {1000, 2000, 4000}) {
  const nlohmann::json axes = {{"points", points}, {"distribution", {"uniform", "clustered"}}, {"grid", 32}};
  const nlohmann::json cases = {{"operation", "voxelize"},
                                {"variants", {"global_atomic", "smem_hashed"}},
                                {"axes", axes},
                                {"cache", {"cold-clean"}}};
  return nlohmann::json{{"name", "small"},
                        {"description", "a dozen small cases for tests"},
                        {"sampling", {{"maximum_seconds", 0.02}}},
                        {"cases", nlohmann::json::array({cases})}}
      .dump();
}

}  // namespace ablate::test_support

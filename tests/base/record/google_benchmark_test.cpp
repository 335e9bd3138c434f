#include "base/record/writer.h"
#include "tests/reports/made_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::google_benchmark_test {
namespace {

constexpr const char* compare_py = "/usr/share/benchmark/compare.py";

TEST(GoogleBenchmark, ComparePyReadsAndComparesTwoRecords) {
  if (!std::filesystem::exists(compare_py))
    ABLATE_LACKS("benchmark_tools", "compare.py is not installed (package libbenchmark-tools)");
  // The distribution's Python first: its packages are the ones that apt installs.
  const std::string python = std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  if (python == "python3" && !process::find_program(python))
    ABLATE_LACKS("python3", "python3 is not installed");
  if (process::run({python, "-c", "import numpy, scipy"}).exit_code != 0)
    ABLATE_LACKS("benchmark_tools",
                 "compare.py needs numpy and scipy (packages python3-numpy and python3-scipy)");

  nlohmann::ordered_json faster = made_record();
  for (auto& entry : faster["benchmarks"]) {
    for (const char* key : {"real_time", "cpu_time"}) entry[key] = entry[key].get<double>() / 2;
    for (const char* key : {"median", "min", "ci95_low", "ci95_high"})
      entry["time_us"][key] = entry["time_us"][key].get<double>() / 2;
  }
  const auto candidate = fresh_folder() / "faster.json";
  write_record(candidate, faster["context"], faster["benchmarks"], faster["unmeasured"]);
  const process::result result = process::run(
      {python, compare_py, "--no-color", "benchmarks", made_record_path().string(), candidate.string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find("scatter/merged/items=2048/layout=rows/@cold-clean"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("-0.5000"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace ablate::reports::google_benchmark_test

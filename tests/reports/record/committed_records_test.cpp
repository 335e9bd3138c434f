#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "reports/record/compact_counters.h"
#include "tests/support/committed_records.h"

namespace ablate::reports::committed_records_test {
namespace {

using test_support::committed_records;

TEST(CommittedRecords, AreAtMostFourMegabytes) {
  constexpr std::uintmax_t max_bytes = 4'000'000;
  const auto records = committed_records();
  EXPECT_FALSE(records.empty());
  for (const auto& path : records) EXPECT_LE(std::filesystem::file_size(path), max_bytes) << path;
}

TEST(CommittedRecords, HaveFactsOfTheKernelsThatTheyMeasuredAlone) {
  for (const auto& path : committed_records()) {
    const nlohmann::ordered_json record = parse_record_file(path);
    std::set<std::string> launched;
    for (const auto& entry : record["benchmarks"])
      for (const auto& kernel : entry["kernels"]) launched.insert(kernel["name"].get<std::string>());
    for (const auto& [name, facts] : record["context"]["ablate"]["kernels"].items())
      EXPECT_TRUE(launched.contains(name)) << path << " has " << name << "; `ablate dev record` rewrites it";
  }
}

}  // namespace
}  // namespace ablate::reports::committed_records_test

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/record/record_file.h"
#include "tests/support/committed_records.h"

namespace ablate::reports::committed_records_test {
namespace {

using test_support::committed_records;

TEST(CommittedRecords, HaveFactsOfTheKernelsThatTheyMeasuredAlone) {
  const auto records = committed_records();
  EXPECT_FALSE(records.empty());
  for (const auto& path : records) {
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

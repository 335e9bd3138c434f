// The committed model is what the committed records give.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/text/json_text.h"
#include "base/text/text_file.h"
#include "harness/cli/prediction_files.h"
#include "reports/predict/check.h"
#include "tests/support/committed_records.h"
#include "tests/support/paths.h"

namespace ablate::predict {
namespace {

TEST(CommittedPrediction, IsMadeFromTheRecords) {
  std::vector<std::filesystem::path> files = test_support::committed_records();
  std::sort(files.begin(), files.end());
  std::vector<seen_record> seen;
  for (const std::filesystem::path& file : files) seen.push_back(read_seen(file));
  const check found = checked(seen, sheet_of_chip);
  const std::string again = "`ablate dev predict-check --out results` writes it";
  EXPECT_EQ(reports::json_text(check_json(found), 1) + "\n",
            reports::read_text_file(test_support::source_path("results/prediction.json")))
      << again;
}

}  // namespace
}  // namespace ablate::predict

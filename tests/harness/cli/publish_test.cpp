#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/record/record_file.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::publish_test {
namespace {

using nlohmann::ordered_json;
using test_support::run_ablate;
using test_support::slurp;
using testing::HasSubstr;
using testing::Not;

const std::string committed = test_support::source_path("results/h200/quick");

class Publish : public testing::Test {
 protected:
  ordered_json committed_record() const {
    return reports::parse_record_as_written(std::filesystem::path(committed) / "record.json");
  }

  test_support::temporary_directory files_;
  std::filesystem::path out_ = files_.path() / "published.json";
};

TEST_F(Publish, WritesARecordThatHolds) {
  const auto told = run_ablate({"dev", "verify", committed, "--out", out_.string()});
  ASSERT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(reports::parse_record_as_written(out_),
            reports::parse_record_as_written(std::filesystem::path(committed) / "record.json"));
}

TEST_F(Publish, TakesOutWhereItWasMeasured) {
  const std::string host = committed_record().at("context").at("host_name"),
                    uuid = committed_record().at("context").at("ablate").at("device").at("uuid");
  ASSERT_THAT(committed_record().dump(), HasSubstr(uuid));
  ASSERT_EQ(run_ablate({"dev", "verify", committed, "--redact", "--out", out_.string()}).exit_code, 0);
  const std::string text = slurp(out_);
  EXPECT_THAT(text, Not(HasSubstr(uuid)));
  EXPECT_THAT(text, Not(HasSubstr("\"host_name\": \"" + host)));
  // It is as good as before to every reader.
  EXPECT_EQ(run_ablate({"dev", "verify", out_.string()}).exit_code, 0);
  EXPECT_EQ(run_ablate({"best", out_.string()}).exit_code, 0);
}

TEST_F(Publish, WritesNothingThatDoesNotHold) {
  ordered_json forged = committed_record();
  ordered_json& iterations = forged["benchmarks"].back()["iterations"];  // not what its samples say
  iterations = iterations.get<long>() + 1;
  const auto told = run_ablate({"dev", "verify", files_.write("forged.json", forged.dump()).string(),
                                "--redact", "--out", out_.string()});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.out, HasSubstr("/benchmarks/"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace ablate::publish_test

#include "base/record/writer.h"
#include "tests/reports/graded_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::reports::schema_test {
namespace {

process::result validated(const std::filesystem::path& file) {
  return process::run({"node", (renderer_directory() / "validate.mjs").string(),
                       (renderer_directory() / "schema" / "record.schema.json").string(), file.string()});
}

TEST(RecordSchema, HoldsForARecord) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const process::result result = validated(made_record_path());
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(RecordSchema, HoldsForARecordWithCountersAndATimeline) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const process::result result = validated(counted_record(fresh_folder()));
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(RecordSchema, HoldsForUpgradedRecordsAndForNoOlderForm) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  for (const char* seed : {"whole.json", "launches_told_once.json", "first_schema.json"}) {
    const auto path = std::filesystem::path(test_support::source_path("tests/fuzz/seeds/record")) / seed;
    const auto upgraded = fresh_folder() / "record.json";
    rewrite_record(path, upgraded);
    const process::result result = validated(upgraded);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(validated(path).exit_code, 2) << seed;
  }
  nlohmann::ordered_json made = made_record();
  made["benchmarks"][0]["time_us"]["samples"] = {{"tick_ns", 32}, {"deltas", {186}}};
  made["benchmarks"][2]["kernels"] = {0};
  made["benchmarks"][3]["counters"]["values"] = {1, 2};
  const process::result refused = validated(written("record.json", made.dump()));
  EXPECT_EQ(refused.exit_code, 2);
  for (const char* said :
       {"/benchmarks/0/time_us/samples: must be array", "/benchmarks/2/kernels/0: must be object",
        "/benchmarks/3/counters/values: must be object"})
    EXPECT_NE(refused.output.find(said), std::string::npos) << refused.output;
}

TEST(RecordSchema, HoldsForACompressedRecord) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const auto quick = [](const char* name) {
    return std::filesystem::path(test_support::source_path("results/h200/quick")) / name;
  };
  for (const char* name : {"record.json", "record.json.xz"}) {
    const process::result result = validated(quick(name));
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
  const process::result cut =
      validated(written("cut.json.xz", text_of(quick("record.json.xz")).substr(0, 5000)));
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_NE(cut.output.find("expected a whole file as xz writes it"), std::string::npos) << cut.output;
}

TEST(RecordSchema, HoldsForARecordWithQualityAndAPicture) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const process::result result = validated(graded_record(fresh_folder()));
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(RecordSchema, NamesThePlaceWhereItDoesNotHold) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  nlohmann::ordered_json made = made_record();
  made["benchmarks"][3]["time_us"]["median"] = "fast";
  made["benchmarks"][5].erase("work");
  made["context"]["ablate"]["record_schema"] = "3.0.0";
  made["unmeasured"][1]["status"] = "ok";
  const process::result result = validated(written("record.json", made.dump()));
  EXPECT_EQ(result.exit_code, 2);
  for (const char* said :
       {"/benchmarks/3/time_us/median: must be number", "/benchmarks/5: must have required property 'work'",
        "/context/ablate/record_schema: must match pattern", "/unmeasured/1/status: must be equal to one of"})
    EXPECT_NE(result.output.find(said), std::string::npos) << result.output;
}

TEST(RecordSchema, AsksForAccessesAtRandomSince13) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  nlohmann::ordered_json made = made_record();
  made["benchmarks"][3]["work"].erase("random");
  made["benchmarks"][4]["floors"].erase("random_us");
  const process::result now = validated(written("record.json", made.dump()));
  EXPECT_EQ(now.exit_code, 2);
  for (const char* said : {"/benchmarks/3/work: must have required property 'random'",
                           "/benchmarks/4/floors: must have required property 'random_us'"})
    EXPECT_NE(now.output.find(said), std::string::npos) << now.output;
  made["context"]["ablate"]["upgraded_from"] = "1.2.0";
  const process::result before = validated(written("record.json", made.dump()));
  EXPECT_EQ(before.exit_code, 0) << before.output;
}

TEST(RecordSchema, ATruncatedFileIsRefused) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  EXPECT_EQ(validated(written("record.json", text_of(made_record_path()).substr(0, 5000))).exit_code, 2);
}

}  // namespace
}  // namespace ablate::reports::schema_test

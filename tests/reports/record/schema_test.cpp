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

TEST(RecordSchema, HoldsForLaunchesAsObjectsAndToldOnce) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  for (const char* seed : {"whole.json", "launches_told_once.json"}) {
    const process::result result =
        validated(std::filesystem::path(test_support::source_path("tests/fuzz/seeds/record")) / seed);
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
}

TEST(RecordSchema, HoldsForEachFormOfSamplesAndForNoMixtureOfThem) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const auto with = [](const std::vector<const char*>& forms) {
    nlohmann::ordered_json made = made_record();
    for (std::size_t i = 0; i < forms.size(); ++i)
      made["benchmarks"][i]["time_us"]["samples"] = nlohmann::ordered_json::parse(forms[i]);
    return validated(written("record.json", made.dump()));
  };
  const process::result held = with({"[5.952, 6.016]", R"({"tick_ns": 32, "deltas": [186, 2, -1]})",
                                     R"({"values": [5.952, 6.016], "order": [1, 0, 1]})"});
  EXPECT_EQ(held.exit_code, 0) << held.output;
  const process::result refused =
      with({R"({"tick_ns": 0, "deltas": [186]})", R"({"tick_ns": 32, "deltas": [0.5]})",
            R"({"tick_ns": 32, "order": [1]})"});
  EXPECT_EQ(refused.exit_code, 2);
  for (const char* said : {"/benchmarks/0/time_us/samples/tick_ns: must be >= 1",
                           "/benchmarks/1/time_us/samples/deltas/0: must be integer",
                           "/benchmarks/2/time_us/samples: must have required property 'deltas'"})
    EXPECT_NE(refused.output.find(said), std::string::npos) << refused.output;
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
  made["context"]["ablate"]["record_schema"] = "2.0.0";
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
  made["context"]["ablate"]["record_schema"] = "1.2.0";
  const process::result before = validated(written("record.json", made.dump()));
  EXPECT_EQ(before.exit_code, 0) << before.output;
}

TEST(RecordSchema, ATruncatedFileIsRefused) {
  if (const auto why = why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  EXPECT_EQ(validated(written("record.json", text_of(made_record_path()).substr(0, 5000))).exit_code, 2);
}

}  // namespace
}  // namespace ablate::reports::schema_test

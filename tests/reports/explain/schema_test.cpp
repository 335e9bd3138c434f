#include "reports/explain/explanation.h"
#include "reports/explain/outputs.h"
#include "tests/reports/explain/explained_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::explain::schema_test {
namespace {

using nlohmann::ordered_json;

/// What validate.mjs says of these explanations; empty where all hold to the schema.
std::string faults(const std::vector<ordered_json>& explanations) {
  const std::filesystem::path folder = reports::fresh_folder();
  std::vector<std::string> command = {
      "node", (reports::renderer_directory() / "validate.mjs").string(),
      (reports::renderer_directory() / "schema" / "explain.schema.json").string()};
  for (const ordered_json& json : explanations) {
    command.push_back((folder / (std::to_string(command.size()) + ".json")).string());
    std::ofstream(command.back(), std::ios::binary) << json.dump(1);
  }
  const auto result = process::run(command);
  EXPECT_EQ(result.exit_code, result.output.empty() ? 0 : 2);
  return result.output;
}

std::vector<ordered_json> all_explained(const record& r) {
  std::vector<ordered_json> out;
  for (const measured_case& c : r.cases) out.push_back(explanation_json(explain_case(r, c.name, {})));
  for (const unmeasured_case& c : r.unmeasured) out.push_back(explanation_json(explain_case(r, c.name, {})));
  return out;
}

TEST(ExplainSchema, HoldsForEveryCaseOfRecords) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  EXPECT_EQ(faults(all_explained(explained_record(reports::fresh_folder()))), "");
  EXPECT_EQ(faults(all_explained(read_record(reports::made_record_path()))), "");
}

TEST(ExplainSchema, HoldsForWhatTheProgramPrints) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const std::string committed = test_support::source_path("results/h200/quick");
  const record r = read_record(std::filesystem::path(committed) / "record.json");
  ASSERT_FALSE(r.cases.empty());
  std::vector<ordered_json> printed;
  for (const auto& [record, name] :
       {std::pair(committed, r.cases.back().name),
        {reports::made_record_path().string(), "scatter/merged/items=4096/layout=rows/@cold-clean"}}) {
    const auto said = test_support::run_ablate({"explain", record, name, "--json"});
    ASSERT_EQ(said.exit_code, 0) << said.error;
    printed.push_back(ordered_json::parse(said.out));
  }
  EXPECT_EQ(printed[0]["status"], "ok");
  EXPECT_EQ(printed[1]["status"], "wrong");
  EXPECT_EQ(faults(printed), "");
}

TEST(ExplainSchema, NamesThePlaceWhereItDoesNotHold) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const record r = read_record(reports::made_record_path());
  ordered_json measured = explanation_json(explain_case(r, r.cases[2].name, {}));
  measured["time_us"]["median"] = "fast";
  measured["explain_schema"] = "2.0.0";
  measured.erase("floors");
  measured["reason"] = "none";
  ordered_json unmeasured = explanation_json(explain_case(r, r.unmeasured[0].name, {}));
  unmeasured["time_us"] = nullptr;
  unmeasured.erase("reason");
  const std::string said = faults({measured, unmeasured});
  for (const char* fault : {"/time_us/median: must be number", "/explain_schema: must match pattern",
                            "must have required property 'floors'", "/reason: boolean schema is false",
                            "/time_us: boolean schema is false", "must have required property 'reason'"})
    EXPECT_NE(said.find(fault), std::string::npos) << fault << " in:\n" << said;
}

}  // namespace
}  // namespace ablate::explain::schema_test

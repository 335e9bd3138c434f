#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/process/child_process.h"
#include "base/record/record.h"
#include "base/text/json_text.h"
#include "tests/reports/made_record.h"
#include "tests/reports/metered_record.h"
#include "tests/support/paths.h"

namespace ablate::record_fields_test {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const record_schema_file = "reports/schema/record.schema.json";

ordered_json schema_of_file() {
  return reports::parse_json_file(test_support::source_path(record_schema_file));
}

/// A part of the schema with what `$ref` and `then` name, without what the structs do not say: texts for
/// people, patterns, sizes of lists.
ordered_json essence(const ordered_json& of, const ordered_json& root) {
  if (!of.is_object()) return of;
  ordered_json all = of;
  for (const char* key : {"$ref", "then"}) {
    if (!all.contains(key)) continue;
    const ordered_json named =
        std::string_view(key) == "then"
            ? essence(all[key], root)
            : root.at(ordered_json::json_pointer(all[key].get<std::string>().substr(1)));
    for (const auto& [name, value] : named.items())
      if (name == "properties")
        all[name].update(value);
      else if (!all.contains(name))
        all[name] = value;
    all.erase(key);
    if (all.contains("$ref")) return essence(all, root);
  }
  ordered_json out = ordered_json::object();
  for (const char* key : {"type", "enum", "minimum", "exclusiveMinimum"})
    if (all.contains(key)) out[key] = all[key];
  if (all.contains("const")) out["enum"] = {all["const"]};
  if (all.contains("required")) {
    auto names = all["required"].get<std::vector<std::string>>();
    std::sort(names.begin(), names.end());
    out["required"] = names;
  }
  for (const char* key : {"items", "additionalProperties"})
    if (all.contains(key) && all[key].is_object()) out[key] = essence(all[key], root);
  for (const char* key : {"properties", "patternProperties"})
    if (all.contains(key))
      for (const auto& [name, value] : all[key].items()) out[key][name] = essence(value, root);
  return out;
}

/// What the suite has a reader for is not told again.
bool is_told_elsewhere(const ordered_json& of) { return of.is_object() && of.contains("$comment"); }

/// Places where the structs and the schema differ, one a line.
void compare(const ordered_json& ours, const ordered_json& schema, const ordered_json& root,
             const std::string& place, std::vector<std::string>& out) {
  if (is_told_elsewhere(ours)) return;
  const ordered_json a = essence(ours, root), b = essence(schema, root);
  for (const char* key : {"type", "enum", "minimum", "exclusiveMinimum", "required"})
    if (a.value(key, ordered_json()) != b.value(key, ordered_json()))
      out.push_back(place + " " + key + ": the structs have " + a.value(key, ordered_json()).dump() +
                    ", the schema " + b.value(key, ordered_json()).dump());
  for (const char* key : {"items", "additionalProperties"})
    if (a.contains(key) || b.contains(key))
      compare(ours.value(key, ordered_json::object()), b.value(key, ordered_json::object()), root,
              place + "/*", out);
  for (const char* key : {"properties", "patternProperties"}) {
    const ordered_json in_a = ours.value(key, ordered_json::object()),
                       in_b = b.value(key, ordered_json::object());
    for (const auto& [name, value] : in_a.items())
      if (in_b.contains(name))
        compare(value, in_b[name], root, place + "/" + name, out);
      else
        out.push_back(place + "/" + name + " is none of the schema");
    for (const auto& [name, value] : in_b.items())
      if (!in_a.contains(name)) out.push_back(place + "/" + name + " is no member of a struct");
  }
}

std::vector<std::string> differences(const ordered_json& schema) {
  std::vector<std::string> out;
  compare(record_fields(), schema, schema, "", out);
  return out;
}

TEST(RecordFields, AreThoseOfTheSchema) { EXPECT_THAT(differences(schema_of_file()), IsEmpty()); }

TEST(RecordFields, AnotherNameIsFoundInTheSchema) {
  ordered_json schema = schema_of_file();
  ordered_json& again = schema["$defs"]["measured_case"]["properties"]["again"]["properties"];
  again["after_ms"] = again["after_s"];
  again.erase("after_s");
  EXPECT_THAT(differences(schema), ElementsAre("/benchmarks/*/again/after_s is none of the schema",
                                               "/benchmarks/*/again/after_ms is no member of a struct"));
}

TEST(RecordFields, WhatIsRequiredIsComparedAndSoAreLimits) {
  ordered_json schema = schema_of_file();
  ordered_json& build = schema["$defs"]["run"]["properties"]["build"]["required"];
  build.erase(build.size() - 1);
  schema["$defs"]["time_us"]["properties"]["mad"] = {{"$ref", "#/$defs/microseconds"}};
  schema["$defs"]["time_us"]["properties"]["method"]["enum"].push_back("guess");
  EXPECT_THAT(differences(schema),
              ElementsAre(HasSubstr("/context/ablate/build required: "),
                          "/benchmarks/*/time_us/mad minimum: the structs have 0, the schema null",
                          "/benchmarks/*/time_us/mad exclusiveMinimum: the structs have null, the schema 0",
                          HasSubstr("/benchmarks/*/time_us/method enum: ")));
}

/// The Python reader must read keys as the structs have them; the script names those it reads differently.
process::result python_reader_against(const ordered_json& fields) {
  const auto file = reports::written("fields.json", fields.dump());
  record metered = read_record(reports::made_record_path());
  metered.cases.back().energy = reports::metered(300, metered.cases.back().time.median_us);
  const auto with_energy = file.parent_path() / "metered.json";
  write_record(with_energy, metered);
  return process::run({"python3", test_support::source_path("tests/base/record/python_fields.py"),
                       file.string(), test_support::source_path("results/h200/quick/record.json.xz"),
                       reports::made_record_path().string(), with_energy.string()});
}

TEST(RecordFields, AreThoseThatThePythonReaderAsksFor) {
  const process::result said = python_reader_against(record_fields());
  EXPECT_EQ(said.exit_code, 0) << said.output;
}

TEST(RecordFields, AnotherDemandOfThePythonReaderIsFound) {
  ordered_json fields = record_fields();
  ordered_json& entry = fields["properties"]["benchmarks"]["items"]["properties"];
  entry["time_us"]["properties"]["median"] = {{"type", "number"}, {"minimum", 0}};
  entry["time_us"]["properties"]["stopped_by"]["enum"].push_back("weariness");
  entry["check"]["required"] = {"before", "after"};
  entry.erase("switches");
  entry["energy"]["properties"]["launch_j"] = {{"type", "number"}};
  const process::result said = python_reader_against(fields);
  EXPECT_EQ(said.exit_code, 1);
  for (const char* finding :
       {"/benchmarks/*/time_us/median", "/benchmarks/*/time_us/stopped_by", "/benchmarks/*/check/max_error",
        "/benchmarks/*/switches", "/benchmarks/*/energy/launch_j"})
    EXPECT_THAT(said.output, HasSubstr(finding));
}

}  // namespace
}  // namespace ablate::record_fields_test

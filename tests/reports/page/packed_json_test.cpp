#include "reports/page/packed_json.h"

#include <gtest/gtest.h>

#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::reports::packed_json_test {
namespace {

using nlohmann::ordered_json;

TEST(PackedJson, ComesBackAsItWas) {
  for (const char* text :
       {"null", "3.5", "\"a word that is longer than a reference\"", "[]", "{}", R"([[], {}, [[1, -1]], ""])",
        R"({"a": {"b": [1, 2.25, null, true]}, "c": {"b": [1, 2.25, null, true]}})",
        R"([{"x": 1, "y": 2}, {"y": 1, "x": 2}, {"x": 1}])"}) {
    const ordered_json value = ordered_json::parse(text);
    EXPECT_EQ(unpacked(packed(value)), value) << text;
    EXPECT_EQ(unpacked(packed(value)).dump(), value.dump()) << "another order of keys";
  }
  EXPECT_EQ(unpacked(packed(made_record())).dump(), made_record().dump());
}

TEST(PackedJson, WhatIsThereTwiceIsWrittenOnce) {
  const std::string word = "a word that is longer than a reference";
  const ordered_json twice = {{{"name", word}, {"sizes", {1, 2, 3, 4, 5, 6, 7, 8}}},
                              {{"name", word}, {"sizes", {1, 2, 3, 4, 5, 6, 7, 8}}},
                              {{"name", word}, {"sizes", {9}}}};
  const ordered_json out = packed(twice);
  EXPECT_EQ(out["keys"].dump(), R"([["name","sizes"]])");
  EXPECT_EQ(out["shared"].dump(), "[\"" + word + R"(",[0,{"":0},[-1,1,2,3,4,5,6,7,8]]])");
  EXPECT_EQ(out["value"].dump(), R"([-1,{"":1},{"":1},[0,{"":0},[-1,9]]])");
}

TEST(PackedJson, ThePageReadsItAlike) {
  if (!process::find_program("node")) ABLATE_LACKS("node", "node is not installed");
  const auto out = fresh_folder();
  std::ofstream(out / "packed.json", std::ios::binary) << packed(made_record()).dump();
  std::ofstream(out / "read.mjs", std::ios::binary)
      << "import { readFileSync } from 'node:fs';\n"
         "const [script, data] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));\n"
         "const unpacked = new Function(script + '; return unpacked;')();\n"
         "process.stdout.write(JSON.stringify(unpacked(JSON.parse(data))));\n";
  const process::result read = process::run({"node", (out / "read.mjs").string(),
                                             test_support::source_path("reports/page/html/unpack.js"),
                                             (out / "packed.json").string()});
  ASSERT_EQ(read.exit_code, 0) << read.output;
  EXPECT_EQ(ordered_json::parse(read.output), made_record());
}

}  // namespace
}  // namespace ablate::reports::packed_json_test

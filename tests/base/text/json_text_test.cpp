#include "base/text/json_text.h"

#include <gtest/gtest.h>

#include "base/text/bad_input.h"

namespace ablate::reports::json_text_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_json(text, "file.json");
  } catch (const bad_input& e) {
    const std::string prefix = "file.json: ", what = e.what();
    EXPECT_TRUE(what.starts_with(prefix)) << what;
    return what.substr(prefix.size());
  }
  return "accepted";
}

TEST(JsonText, NamesTheLineAndThePlaceWhereItStopsBeingJson) {
  const std::string no_json = "expected JSON (numbers are finite: neither NaN nor Infinity)";
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n  oops\n}"), "line 3, /: " + no_json);
  EXPECT_EQ(refusal(R"({"a": [0, {"b": NaN}]})"), "line 1, /a/1/b: " + no_json);
  EXPECT_EQ(refusal(R"({"a/b~c": 1e999})"), "line 1, /a~1b~0c: " + no_json);
  EXPECT_EQ(refusal(R"({"": nan})"), "line 1, /: " + no_json);
  EXPECT_EQ(refusal("{}}"), "line 1, /: " + no_json);
  EXPECT_EQ(refusal("{\"a\":\n[1, 2"), "line 2, /a/2: expected more: the file ends before its JSON does");
  EXPECT_EQ(refusal(""), "line 1, /: expected more: the file ends before its JSON does");
}

TEST(JsonText, RefusesAKeyThatItsObjectHasAlready) {
  EXPECT_EQ(refusal(R"({"a": 1, "b": [1, {"x": {"x": 1, "x": 2}}]})"),
            "/b/1/x/x: expected this key once in its object, found it again");
  EXPECT_EQ(refusal(R"({"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]})"), "accepted");
}

TEST(JsonText, RefusesWhatNestsDeeperThanAnyFileOfOurs) {
  const std::string levels(max_json_levels, '['), closed(max_json_levels, ']');
  EXPECT_EQ(refusal(levels + closed), "accepted");
  for (const std::string open : {"[", R"({"a":)"}) {
    std::string opened;
    for (int i = 0; i < 100000; ++i) opened += open;
    EXPECT_TRUE(refusal(opened).ends_with(": expected at most 64 levels of arrays and objects"));
  }
}

TEST(JsonText, OfALineThatIsNoJsonThereIsNothing) {
  EXPECT_EQ(parse_json_line(R"({"a": [1, 2]})")->dump(), R"({"a":[1,2]})");
  for (const char* line : {"", R"({"a": [1, 2)", R"({"a": 1, "a": 2})"})
    EXPECT_EQ(parse_json_line(line), std::nullopt) << line;
}

}  // namespace
}  // namespace ablate::reports::json_text_test

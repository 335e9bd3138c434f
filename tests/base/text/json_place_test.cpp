#include "base/text/json_place.h"

#include <gtest/gtest.h>

#include "base/text/json_text.h"
#include "tests/support/refusal.h"

namespace ablate::reports::json_place_test {
namespace {

using test_support::refusal_from;

const nlohmann::ordered_json document = parse_json(
    R"({"name": "wide", "sizes": [4, 8, 4], "none": [], "empty": {}, "whole": 7, "low": -1, "half": 0.5,
        "huge": 18446744073709551615, "a/b": {"c": null}})",
    "file.json");

json_place root() { return {document, "file.json"}; }

TEST(JsonPlace, SaysWhereItIsAndWhatItFound) {
  EXPECT_EQ(refusal_from([] { root().at("a/b").at("c").text(); }),
            "file.json: /a~1b/c: expected a string, found null");
  EXPECT_EQ(refusal_from([] { root().at("sizes").elements()[1].boolean(); }),
            "file.json: /sizes/1: expected true or false, found 8");
  EXPECT_EQ(refusal_from([] { root().at("name").number(); }),
            "file.json: /name: expected a number, found \"wide\"");
  EXPECT_EQ(refusal_from([] { root().at("sizes").members(); }),
            "file.json: /sizes: expected an object, found an array");
  EXPECT_EQ(refusal_from([] { root().elements(); }), "file.json: /: expected an array, found an object");
  EXPECT_EQ(refusal_from([] { root().at("nam"); }), "file.json: /: expected a key 'nam', found none");
  EXPECT_EQ(root().find("nam"), std::nullopt);
}

TEST(JsonPlace, NumbersHaveBounds) {
  EXPECT_EQ(root().at("whole").integer(7, 7), 7);
  EXPECT_EQ(root().at("low").integer(-1, 0), -1);
  for (const char* key : {"low", "half", "huge", "whole", "name"})
    EXPECT_EQ(refusal_from([&] { root().at(key).integer(0, 6); }),
              "file.json: /" + std::string(key) + ": expected an integer from 0 to 6, found " +
                  document.at(key).dump());
  EXPECT_EQ(refusal_from([] { root().at("huge").integer(INT64_MIN, INT64_MAX); }).find("accepted"),
            std::string::npos);
  EXPECT_EQ(refusal_from([] { root().at("low").positive(); }),
            "file.json: /low: expected a number above 0, found -1");
  EXPECT_EQ(refusal_from([] { root().at("half").count(); }), "file.json: /half: expected a count, found 0.5");
}

TEST(JsonPlace, OneOrMoreAreEachThereOnce) {
  const auto read = [](const json_place& at) { return at.json().dump(); };
  EXPECT_EQ(root().at("whole").one_or_more(read), std::vector<std::string>{"7"});
  EXPECT_EQ(root().at("sizes").one_or_more(read), (std::vector<std::string>{"4", "8"}));
  EXPECT_EQ(refusal_from([&] { root().at("none").one_or_more(read); }),
            "file.json: /none: expected an array of at least one value, found an empty array");
  EXPECT_EQ(refusal_from([] { root().at("empty").at_least_one("case"); }),
            "file.json: /empty: expected an array of at least one case, found an empty object");
}

TEST(JsonPlace, ExpectsKnownKeysAlone) {
  EXPECT_EQ(refusal_from([] { root().at("a/b").expect_keys({"c", "d"}); }), "accepted");
  EXPECT_EQ(refusal_from([] { root().at("a/b").expect_keys({"cc"}); }),
            "file.json: /a~1b/c: no key 'c' (did you mean 'cc'?); expected one of 'cc'");
}

}  // namespace
}  // namespace ablate::reports::json_place_test

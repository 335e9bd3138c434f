#include "base/record/exhibit.h"

#include <gtest/gtest.h>

#include "base/text/json_place.h"
#include "tests/reports/exhibits/exhibit_record.h"
#include "tests/support/refusal.h"

namespace ablate::exhibit_test {
namespace {

using nlohmann::ordered_json;

std::vector<suite_exhibit> read(const ordered_json& from) {
  return exhibits_of(reports::json_place(from, "s.json", "/exhibits"));
}

std::string refusal(const ordered_json& from) {
  return test_support::refusal_from([&] { read(from); });
}

TEST(Exhibit, IsReadAndWrittenAlike) {
  const std::vector<suite_exhibit> all = read(reports::made_exhibits());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].is_figure());
  EXPECT_EQ(all[0].cache_state, "cold-clean");
  EXPECT_TRUE(all[0].curves[1].is_rival);
  EXPECT_EQ(all[0].curves[1].variant, "lib_scatter");
  EXPECT_FALSE(all[1].is_figure());
  EXPECT_EQ(all[1].rows[1].axes, (std::vector<std::pair<std::string, std::string>>{{"items", "4096"}}));
  EXPECT_EQ(all[1].quantities[0].published, (std::vector<std::optional<double>>{0.5, std::nullopt}));
  EXPECT_EQ(all[1].quantities[2].values, (std::vector<std::string>{"quality.peak_bytes", "memory.bytes"}));
  ordered_json trained = reports::made_exhibits();
  trained[1]["quantities"][0]["axes"] = {{"layout", "columns"}};
  EXPECT_EQ(read(exhibits_json(read(trained)))[1].quantities[0].axes,
            (std::vector<std::pair<std::string, std::string>>{{"layout", "columns"}}));
  const ordered_json again = exhibits_json(all);
  EXPECT_EQ(exhibits_json(read(again)), again);
}

TEST(Exhibit, WhatSaysTwoThingsOrNothingIsRefused) {
  const auto with = [](int exhibit, const char* pointer, const ordered_json& value) {
    ordered_json out = reports::made_exhibits();
    out[static_cast<std::size_t>(exhibit)][ordered_json::json_pointer(pointer)] = value;
    return refusal(out);
  };
  EXPECT_NE(with(0, "/rows", ordered_json::array()).find("expected curves, or rows"), std::string::npos);
  EXPECT_NE(with(0, "/curves/1/variant", "direct").find("a variant or a rival, found both"),
            std::string::npos);
  EXPECT_NE(with(0, "/curves/1/label", "merging").find("there are two 'merging'"), std::string::npos);
  EXPECT_NE(with(0, "/name", "table1").find("two exhibits 'table1'"), std::string::npos);
  EXPECT_NE(with(0, "/name", "../x").find("lowercase letters"), std::string::npos);
  EXPECT_NE(with(1, "/quantities/0/published", {1}).find("expected 2 values, one for each row, found 1"),
            std::string::npos);
  EXPECT_NE(with(1, "/quantities/0/missing", "why").find("expected 'values' or"), std::string::npos);
  EXPECT_NE(with(1, "/quantities/0/scale", 0).find("/scale"), std::string::npos);
  EXPECT_NE(with(1, "/rows/0/axes/items", {1, 2}).find("one number or word"), std::string::npos);
  EXPECT_NE(refusal(ordered_json::array()).find("exhibit"), std::string::npos);
}

}  // namespace
}  // namespace ablate::exhibit_test

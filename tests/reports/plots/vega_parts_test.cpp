#include "reports/plots/vega_parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ablate::reports::vega_parts_test {
namespace {

std::set<std::string> distinct(const nlohmann::ordered_json& words) {
  std::set<std::string> out;
  for (const auto& word : words) out.insert(word.get<std::string>());
  return out;
}

TEST(VariantChannel, UpToTwelveDrawnVariantsHaveAColorEach) {
  std::vector<std::string> variants;
  for (int i = 0; i < 49; ++i) variants.push_back(fmt::format("v{}", i));
  // Each twelfth: by their places alone these would share one color.
  const std::set<std::string> alike = {"v0", "v12", "v24", "v36", "v48"};
  const std::set<std::string> many = {"v0",  "v3",  "v12", "v15", "v24", "v27",
                                      "v36", "v39", "v40", "v41", "v42", "v48"};
  for (const auto& drawn : {alike, many})
    EXPECT_EQ(distinct(variant_channel(variants, drawn, false)["scale"]["range"]).size(), drawn.size());
}

TEST(VariantChannel, AVariantKeepsItsColorWhereNoOtherHasIt) {
  const std::vector<std::string> variants = {"base", "one", "two"};
  const auto color_of_two = [&](const std::set<std::string>& drawn) {
    return variant_channel(variants, drawn, false)["scale"]["range"].back().get<std::string>();
  };
  EXPECT_EQ(color_of_two({"base", "two"}), colors[2]);
  EXPECT_EQ(color_of_two({"two"}), colors[2]);
}

}  // namespace
}  // namespace ablate::reports::vega_parts_test

#include <cmath>

#include "tests/reports/ablation/made_ablation.h"

namespace ablate::reports::ablation_test {
namespace {

TEST(RankedSwitches, SwitchesAreRankedByCasesAndEffectWithoutThoseOfNone) {
  // s moves 1.5x in three cases, t 1.8x in one, u nothing: much evidence comes before a great effect.
  const std::vector<std::pair<long, double>> base = {{1024, 1000}, {2048, 2000}, {4096, 4000}};
  const auto scaled = [&](double factor) {
    auto out = base;
    for (auto& [size, us] : out) us *= factor;
    return out;
  };
  const ablation_tables tables =
      ablated(
          std::vector<made_variant>{{"none", {{"s", "off"}, {"t", "off"}, {"u", "off"}}, base},
                                    {"s", {{"s", "on"}, {"t", "off"}, {"u", "off"}}, scaled(1 / 1.5)},
                                    {"t", {{"s", "off"}, {"t", "on"}, {"u", "off"}}, {{1024, 1000 / 1.8}}},
                                    {"u", {{"s", "off"}, {"t", "off"}, {"u", "on"}}, scaled(1.001)}})
          .tables();
  ASSERT_EQ(tables.worths.lines.size(), 2u);
  EXPECT_EQ(tables.worths.lines[0].cells[0], "s");
  EXPECT_EQ(tables.worths.lines[1].cells[0], "t");
  EXPECT_EQ(tables.without_effect, 1u) << "u";
}

TEST(RankedSwitches, APairOfValuesStandsOnceWhicheverVariantIsNamedFirst) {
  const ablation_tables tables =
      ablated(std::vector<made_variant>{{"none", {{"s", "off"}, {"t", "off"}}, {{1024, 1000}}},
                                        {"both", {{"s", "on"}, {"t", "on"}}, {{1024, 400}}},
                                        {"t", {{"s", "off"}, {"t", "on"}}, {{1024, 800}}},
                                        {"s", {{"s", "on"}, {"t", "off"}}, {{1024, 500}}}})
          .tables();
  ASSERT_EQ(tables.worths.lines.size(), 2u);
  for (const table_line& line : tables.worths.lines) {
    EXPECT_EQ(line.cells[1], "off → on");
    EXPECT_EQ(line.cells[4], "2") << "both pairs of variants";
  }
}

}  // namespace
}  // namespace ablate::reports::ablation_test

#include "reports/plots/marks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reports/plots/vega.h"
#include "tests/reports/plots/shared_marks.h"

namespace ablate::reports::marks_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const plot_heading heading{"title", "device", "hot", {}, "note"};

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("v{}", i));
  return out;
}

std::set<std::string> distinct(const ordered_json& words) {
  std::set<std::string> out;
  for (const auto& word : words) out.insert(word.get<std::string>());
  return out;
}

ordered_json curves_of(const series_names& variants, const std::vector<std::string>& drawn) {
  std::vector<curve_point> points;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    for (const long size : {1024L, 2048L})
      points.push_back({drawn[i], size, 1.0 + static_cast<double>(i), 0.9, 99, 1000, "case"});
  return curves(heading, variants, "size", points);
}

TEST(Marks, NoTwoOfAHundredSeriesShareOne) {
  for (const std::size_t count : {1u, 2u, 12u, 13u, 30u, 100u}) {
    const series_names all{names(count), "v0"};
    EXPECT_THAT(mark_faults(curves_of(all, all.all), "v0").found(), IsEmpty()) << count;
  }
}

TEST(Marks, NorDoSomeThatAreFarApartInTheList) {
  const series_names all{names(90), "v0"};
  std::vector<std::string> drawn;
  for (std::size_t i = 0; i < 90; i += 11) drawn.push_back(all.all[i]);
  EXPECT_THAT(mark_faults(curves_of(all, drawn), "v0").found(), IsEmpty());
  EXPECT_TRUE(series_marks(all, drawn).has_a_color_each());
}

TEST(Marks, ASeriesKeepsItsMarkWhereNoOtherHasIt) {
  const series_names all{{"base", "one", "two"}, "base"};
  const auto color_of_two = [&](const std::vector<std::string>& drawn) {
    return series_marks(all, drawn).variant_colors()["scale"]["range"].back().get<std::string>();
  };
  EXPECT_EQ(color_of_two({"base", "two"}), other_colors[1]);
  EXPECT_EQ(color_of_two({"two"}), other_colors[1]);
}

TEST(Marks, TheBaselinesIsItsOwnAlsoWhereItIsNotDrawn) {
  const series_names all{names(40), "v0"};
  std::vector<std::string> others = all.all;
  others.erase(others.begin());
  const series_marks marks(all, others);
  EXPECT_FALSE(distinct(marks.variant_colors()["scale"]["range"]).contains(baseline_color));
  EXPECT_FALSE(distinct(marks.variant_shapes()["scale"]["range"]).contains(baseline_shape));
  // Of series without a baseline none has it either.
  const series_marks groups({names(40)}, names(40));
  EXPECT_FALSE(distinct(groups.variant_colors()["scale"]["range"]).contains(baseline_color));
}

TEST(Marks, ASharedMarkIsSeen) {
  const series_names all{names(5), "v0"};
  ordered_json plot = curves_of(all, all.all);
  const auto plant = [&](const char* channel, std::size_t to, std::size_t from) {
    for (ordered_json& panel : plot["hconcat"])
      for (ordered_json* encoding : {&panel["encoding"], &panel["layer"][2]["encoding"]})
        if (encoding->contains(channel)) {
          ordered_json& range = (*encoding)[channel]["scale"]["range"];
          range[to] = range[from];
        }
  };
  plant("color", 3, 1);
  EXPECT_THAT(mark_faults(plot, "v0").found(), IsEmpty()) << "shapes still tell them apart";
  plant("shape", 3, 1);
  EXPECT_THAT(mark_faults(plot, "v0").found(), ElementsAre(HasSubstr("v1 and v3 share")));
  plant("color", 2, 0);
  EXPECT_THAT(mark_faults(plot, "v0").found(), Not(IsEmpty()));
}

TEST(Marks, LegendsHaveTheOrderOfTheRows) {
  const series_names all{names(3), "v0"};
  EXPECT_EQ(curves_of(all, {"v2", "v0", "v1"})["hconcat"][0]["encoding"]["color"]["scale"]["domain"],
            ordered_json({"v2", "v0", "v1"}));
}

TEST(Marks, NamesStandAtTheEndsOfLinesWhereTheyFit) {
  const series_names all{{"slow", "fast"}, "slow"};
  const auto plot_of = [&](double us_of_fast) {
    std::vector<curve_point> points;
    for (const long size : {1024L, 2048L}) {
      points.push_back({"fast", size, us_of_fast, us_of_fast, us_of_fast, std::nullopt, ""});
      points.push_back({"slow", size, 100, 100, 100, std::nullopt, ""});
      points.push_back({"slowest", size, 400, 400, 400, std::nullopt, ""});
    }
    return curves(heading, all, "size", points);
  };
  const ordered_json apart = plot_of(25), near = plot_of(99);
  const auto names_of_lines = [](const ordered_json& plot) {
    return plot["hconcat"].back()["layer"].back().value("name", "");
  };
  EXPECT_EQ(names_of_lines(apart), line_ends);
  EXPECT_TRUE(apart["hconcat"][0]["encoding"]["color"]["legend"].is_null());
  EXPECT_TRUE(apart["usermeta"]["legend"].is_object()) << "for where there is no room";
  EXPECT_EQ(names_of_lines(near), "") << "one name would stand on the other";
  EXPECT_FALSE(near.contains("usermeta"));
  EXPECT_TRUE(near["hconcat"][0]["encoding"]["color"]["legend"].is_object());
}

TEST(Marks, OfMoreKernelsThanColorsTheLightestAreGray) {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < 20; ++i)
    rows.push_back({{"case", "c"},
                    {"variant", "v"},
                    {"size", 1},
                    {"kernel", fmt::format("k{}", i)},
                    {"share", i / 190.0}});
  const ordered_json plot = stacked_shares(heading, "size", "share", rows);
  EXPECT_THAT(mark_faults(plot, "").found(), IsEmpty());
  const ordered_json& domain = plot["spec"]["encoding"]["color"]["scale"]["domain"];
  EXPECT_EQ(domain.size(), std::size(other_colors) + 1);
  EXPECT_EQ(domain.back(), other_kernels);
  EXPECT_EQ(plot["data"]["values"][0]["group"], other_kernels);
  EXPECT_EQ(plot["data"]["values"][19]["group"], "k19");
}

}  // namespace
}  // namespace ablate::reports::marks_test

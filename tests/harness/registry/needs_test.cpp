#include "harness/registry/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ablate::needs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Of facts alone: nothing of it can run.
struct space : operation {
  space() {
    name = "space";
    axes = {axis::of_words("width", {"16", "32", "64"}, "of a head"),
            axis::of_words("rows", {"in_place", "gathered"}, "where rows stand")};
    variants = {
        {.name = "plain",
         .switches = {{"threads", "256"}},
         .only_where = {{"rows", {"in_place"}}},
         .takes = {{"threads", {"128"}}, {"threads", {"512"}, 90, {{"width", {"64"}}}}, {"pdl", {"on"}, 90}}},
        {.name = "narrow",
         .switches = {{"threads", "64"}, {"exp2", "pairs"}},
         .only_where = {{"width", {"16"}}, {"rows", {"in_place", "gathered"}}},
         .takes = {{"width_of_exp2", {"wide"}, 80, {{"width", {"32"}}}}}},
        {.name = "wide", .switches = {{"exp2", "pairs"}}, .only_where = {{"width", {"32"}}}}};
  }
  std::vector<buffer> buffers(const axis_values&, const input_library&) const override { return {}; }
  workload prepare(const axis_values&, const input_library&) const override { return {}; }
  std::function<void(launcher&)> bind(const variant_facts&, const axis_values&, const input_library&,
                                      std::span<void* const>) const override {
    return {};
  }
  std::optional<std::string> refuses(const axis_values&) const override { return {}; }
};

TEST(Needs, OfAValueAreTheLeastOfItsPoints) {
  const space of;
  EXPECT_EQ(needs_of(of, "pdl", "on").minimum_compute_capability, 90);
  EXPECT_EQ(needs_of(of, "pdl", "off").minimum_compute_capability, 80);
  EXPECT_EQ(needs_of(of, "threads", "512").minimum_compute_capability, 90);
  EXPECT_EQ(needs_of(of, "threads", "128").minimum_compute_capability, 80);
}

TEST(Needs, AreTheAxisValuesOfAllItsPoints) {
  const space of;
  EXPECT_THAT(needs_of(of, "exp2", "pairs").only_where, ElementsAre(Pair("width", ElementsAre("16", "32"))));
  EXPECT_THAT(needs_of(of, "threads", "512").only_where,
              ElementsAre(Pair("width", ElementsAre("64")), Pair("rows", ElementsAre("in_place"))));
  EXPECT_THAT(needs_of(of, "threads", "64").only_where, ElementsAre(Pair("width", ElementsAre("16"))))
      << "all words of an axis are no condition";
}

TEST(Needs, APointRunsWhereTheRangeOfItsValueSays) {
  const space of;
  EXPECT_THAT(
      of.find_variant("narrow+width_of_exp2=wide")->only_where,
      ElementsAre(Pair("rows", ElementsAre("in_place", "gathered")), Pair("width", ElementsAre("32"))));
  EXPECT_THAT(of.find_variant("plain+threads=128")->only_where,
              ElementsAre(Pair("rows", ElementsAre("in_place"))));
}

TEST(Needs, NoneOfAValueThatNoPointHas) {
  const space of;
  EXPECT_EQ(needs_of(of, "threads", "7").minimum_compute_capability, 80);
  EXPECT_THAT(needs_of(of, "threads", "7").only_where, IsEmpty());
}

/// Where several variants reach a point, the nearest one names it.
TEST(Needs, APointHasTheNameOfTheNearestVariant) {
  space of;
  of.variants = {{.name = "far", .takes = {{"a", {"on"}}, {"b", {"on"}}, {"c", {"on"}}}},
                 {.name = "near", .switches = {{"a", "on"}, {"b", "on"}}, .takes = {{"c", {"on"}}}}};
  EXPECT_EQ(of.find_variant("far+a+b+c")->name, "near+c");
  EXPECT_EQ(of.find_variant("far+a+b")->name, "near");
  EXPECT_EQ(of.find_variant("far+a")->name, "far+a");
  EXPECT_EQ(of.find_variant("near+c"), of.find_variant("far+a+b+c"));
}

}  // namespace
}  // namespace ablate::needs_test

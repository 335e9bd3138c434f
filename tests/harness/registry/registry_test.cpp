#include "harness/registry/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/common/kernel_launch.h"
#include "tests/support/made_operations.h"
#include "tests/support/named_variant.h"

namespace ablate::registry_test {
namespace {

TEST(Registry, OperationsAreSortedAndFoundByName) {
  EXPECT_TRUE(std::is_sorted(operations().begin(), operations().end(),
                             [](const auto& a, const auto& b) { return a->name < b->name; }));
  ASSERT_NE(find_operation("made_sum"), nullptr);
  EXPECT_NE(find_operation("voxelize"), nullptr);
  EXPECT_EQ(find_operation("made"), nullptr);
  EXPECT_EQ(find_operation("made_sum")->find_variant("staged")->switches.word("smem"), "on");
  EXPECT_EQ(find_operation("made_sum")->find_variant("nothing"), nullptr);
}

TEST(Registry, ASecondOperationOfOneNameIsRefused) {
  definition<test_support::made_problem> again;
  again.name = "made_sum";
  EXPECT_THROW(define<test_support::made_problem>(std::move(again)), std::logic_error);
}

TEST(Registry, NamesThatCannotStandInACaseIdAreRefused) {
  definition<test_support::made_problem> spaced;
  spaced.name = "made sum";
  EXPECT_THROW(define<test_support::made_problem>(std::move(spaced)), std::logic_error);
}

TEST(Define, ADefinedOperationAnswersFromItsDefinition) {
  const operation& sum = *find_operation("made_sum");
  const axis_values at = {{"mode", "int"}, {"points", "25"}, {"shape", "flat"}};
  const input_library inputs(1, {}, {});
  EXPECT_EQ(sum.buffers(at, inputs)[0].bytes, 100u);
  EXPECT_TRUE(sum.prepare(at, inputs).check({}).ok);
  EXPECT_FALSE(sum.refuses(at));
  EXPECT_TRUE(sum.variants[0].has_launch);
  launcher to = launcher::describing({});
  sum.bind(sum.variants[0], at, inputs, {})(to);
  EXPECT_TRUE(to.described().empty());
  variant_facts stranger;
  stranger.name = "stranger";
  EXPECT_THROW(sum.bind(stranger, at, inputs, {}), std::logic_error);
}

struct table_problem {
  const void *rows = nullptr, *table = nullptr;
};
std::vector<table_problem>& launched_tables() {
  static std::vector<table_problem> all;
  return all;
}

TEST(Define, AVariantGetsNullForWhatItDoesWithout) {
  const auto notes = [](launcher&, const table_problem& p, const switches&) {
    launched_tables().push_back(p);
  };
  definition<table_problem> d;
  d.name = "made_lookup";
  d.problem = [](const axis_values&, const input_library&) { return table_problem(); };
  d.buffers = [](table_problem& p) {
    return bound_buffers{bind("rows", p.rows, 64, buffer_role::output), bind("table", p.table, 16)};
  };
  d.variants = {{"looked_up", notes, {}, ""},
                {"computed", notes, {}, "", {.without = {"table"}}},
                {"mistaken", notes, {}, "", {.without = {"tabel"}}}};
  const detail::defined_operation<table_problem> lookup(d);
  const input_library inputs(1, {}, {});
  int rows = 0, table = 0;
  void* const addresses[] = {&rows, &table};
  launcher to = launcher::describing({});
  launched_tables().clear();
  for (const char* name : {"looked_up", "computed"})
    lookup.bind(test_support::named_variant(lookup, name), {}, inputs, addresses)(to);
  ASSERT_EQ(launched_tables().size(), 2u);
  EXPECT_EQ(launched_tables()[0].rows, &rows);
  EXPECT_EQ(launched_tables()[0].table, &table);
  EXPECT_EQ(launched_tables()[1].rows, &rows);
  EXPECT_EQ(launched_tables()[1].table, nullptr);

  EXPECT_EQ(lookup.buffers_of(nullptr, {}, inputs)[1].bytes, 16u) << "of the host reference";
  EXPECT_EQ(lookup.buffers_of(lookup.find_variant("looked_up"), {}, inputs)[1].bytes, 16u);
  EXPECT_EQ(lookup.buffers_of(lookup.find_variant("computed"), {}, inputs)[1].bytes, 0u);
  EXPECT_THROW(lookup.buffers_of(lookup.find_variant("mistaken"), {}, inputs), std::logic_error);
}

TEST(Define, WhatIsAheadOfTheTimedRegionIsTheVariantOnAProblemOfItsOwn) {
  const operation& steps = *find_operation("made_steps");
  const input_library inputs(1, {}, {});
  const axis_values all = {{"part", "all"}, {"mode", "strict"}, {"shape", "flat"}};
  const axis_values last = {{"part", "last"}, {"mode", "strict"}, {"shape", "flat"}};
  EXPECT_FALSE(steps.has_ahead(all, inputs));
  EXPECT_FALSE(steps.bind_ahead(steps.variants[0], all, inputs, {}));
  EXPECT_TRUE(steps.has_ahead(last, inputs));

  launcher to = launcher::describing({});
  auto& launched = test_support::made_steps_launched();
  launched.clear();
  steps.bind_ahead(steps.variants[0], last, inputs, {})(to);
  steps.bind(steps.variants[0], last, inputs, {})(to);
  EXPECT_EQ(launched, (std::vector<std::pair<int, int>>{{0, 1}, {2, 2}}));

  const operation& sum = *find_operation("made_sum");
  const axis_values at = {{"mode", "int"}, {"points", "25"}, {"shape", "flat"}};
  EXPECT_FALSE(sum.has_ahead(at, inputs));
  EXPECT_FALSE(sum.bind_ahead(sum.variants[0], at, inputs, {}));
}

TEST(Define, WhatIsReadBackIsTheVariantOnAProblemOfItsOwn) {
  const operation& steps = *find_operation("made_steps");
  const input_library inputs(1, {}, {});
  const axis_values strict = {{"part", "last"}, {"mode", "strict"}, {"shape", "flat"}};
  const axis_values loose = {{"part", "second"}, {"mode", "loose"}, {"shape", "flat"}};
  EXPECT_FALSE(steps.bind_readback(steps.variants[0], loose, inputs, {}));

  launcher to = launcher::describing({});
  auto& launched = test_support::made_steps_launched();
  launched.clear();
  steps.bind(steps.variants[0], strict, inputs, {})(to);
  steps.bind_readback(steps.variants[0], strict, inputs, {})(to);
  EXPECT_EQ(launched, (std::vector<std::pair<int, int>>{{2, 2}, {3, 3}}));

  const operation& sum = *find_operation("made_sum");
  const axis_values at = {{"mode", "int"}, {"points", "25"}, {"shape", "flat"}};
  EXPECT_FALSE(sum.bind_readback(sum.variants[0], at, inputs, {}));
}

TEST(Define, SaysWhoseClockTimesARegionAndWhatItKeeps) {
  const input_library inputs(1, {}, {});
  const operation& hosted = *find_operation("made_hosted");
  const auto clock = [&](const char* host) {
    return hosted.clock({{"host", host}, {"part", "all"}, {"shape", "flat"}}, inputs);
  };
  EXPECT_EQ(clock("absent"), region_clock::device);
  EXPECT_EQ(clock("waits"), region_clock::host);
  EXPECT_EQ(clock("graph"), region_clock::host_graph);
  EXPECT_TRUE(hosted.keeps_ahead());

  const operation& steps = *find_operation("made_steps");
  EXPECT_EQ(steps.clock({{"part", "all"}, {"mode", "strict"}, {"shape", "flat"}}, inputs),
            region_clock::device);
  EXPECT_FALSE(steps.keeps_ahead());
}

/// Of two launches, `before` and the variant's own, those that were made.
struct noted_problem {
  std::string part;
};
std::vector<std::string>& noted_launches() {
  static std::vector<std::string> all;
  return all;
}

TEST(Define, WhatGoesBeforeAVariantDoesNotGoBeforeItsReadback) {
  definition<noted_problem> d;
  d.name = "made_noted";
  d.description = "notes what was launched";
  d.baseline = "plain";
  d.problem = [](const axis_values&, const input_library&) { return noted_problem{"region"}; };
  d.buffers = [](noted_problem&) { return bound_buffers(); };
  d.before = [](launcher&, const noted_problem& p, const switches&) {
    noted_launches().push_back("before " + p.part);
  };
  d.ahead = [](const noted_problem&) { return std::optional(noted_problem{"ahead"}); };
  d.readback = [](const noted_problem&) { return std::optional(noted_problem{"readback"}); };
  d.variants = {
      {"plain",
       [](launcher&, const noted_problem& p, const switches&) { noted_launches().push_back(p.part); },
       {},
       "notes"}};
  const detail::defined_operation<noted_problem> noted(std::move(d));
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  noted_launches().clear();
  noted.bind_ahead(noted.variants[0], {}, inputs, {})(to);
  noted.bind(noted.variants[0], {}, inputs, {})(to);
  noted.bind_readback(noted.variants[0], {}, inputs, {})(to);
  EXPECT_EQ(noted_launches(),
            (std::vector<std::string>{"before ahead", "ahead", "before region", "region", "readback"}));
}

definition<noted_problem> compared_definition() {
  using launch = void (*)(launcher&, const noted_problem&, const switches&);
  const launch notes = [](launcher&, const noted_problem& p, const switches&) {
    noted_launches().push_back(p.part);
  };
  const launch compares = [](launcher&, const noted_problem& p, const switches& s) {
    noted_launches().push_back("compare " + p.part + " of " + std::string(s.word("form")));
  };
  const launch compares_sorted = [](launcher&, const noted_problem& p, const switches&) {
    noted_launches().push_back("compare sorted " + p.part);
  };
  definition<noted_problem> d;
  d.name = "made_compared";
  d.description = "compares what its variants leave";
  d.baseline = "plain";
  d.problem = [](const axis_values&, const input_library&) { return noted_problem{"region"}; };
  d.buffers = [](noted_problem&) { return bound_buffers(); };
  d.compare = compares;
  d.variants = {
      {"plain", notes, {{"form", "plain"}}, "launches and does nothing else"},
      {"sorted", notes, {{"form", "sorted"}}, "leaves its result in another order", {}, compares_sorted}};
  return d;
}

TEST(Define, AVariantThatOnlyLaunchesIsCompared) {
  const detail::defined_operation<noted_problem> compared(compared_definition());
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  noted_launches().clear();
  compared.bind(compared.variants[0], {}, inputs, {})(to);
  compared.bind_readback(compared.variants[0], {}, inputs, {})(to);
  EXPECT_EQ(noted_launches(), (std::vector<std::string>{"region", "compare region of plain"}));
}

TEST(Define, AnEntryMayCompareInItsOwnWay) {
  const detail::defined_operation<noted_problem> compared(compared_definition());
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  noted_launches().clear();
  compared.bind_readback(compared.variants[1], {}, inputs, {})(to);
  EXPECT_EQ(noted_launches(), (std::vector<std::string>{"compare sorted region"}));
}

TEST(Define, ComparesBehindWhatAVariantReadsBackItself) {
  definition<noted_problem> d = compared_definition();
  d.readback = [](const noted_problem&) { return std::optional(noted_problem{"readback"}); };
  const detail::defined_operation<noted_problem> compared(std::move(d));
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  noted_launches().clear();
  compared.bind_readback(compared.variants[0], {}, inputs, {})(to);
  EXPECT_EQ(noted_launches(), (std::vector<std::string>{"readback", "compare region of plain"}));
}

/// A number that kernels take, and what their comparison expects beside it.
struct generated_number {
  int value = 0;
};
struct expected_number : generated_number {
  int expected = 0;
};

TEST(Define, AComparisonTakesMoreThanAKernel) {
  static int launched, compared;
  definition<generated_number, expected_number> d;
  d.name = "generated_number";
  d.description = "notes what is launched and what is expected";
  d.baseline = "plain";
  d.problem = [](const axis_values&, const input_library&) { return expected_number{{3}, 7}; };
  d.buffers = [](expected_number&) { return bound_buffers(); };
  d.compare = [](launcher&, const expected_number& p, const switches&) { compared = p.value + p.expected; };
  d.variants = {{"plain",
                 [](launcher&, const generated_number& p, const switches&) { launched = p.value; },
                 {},
                 "launches"}};
  const detail::defined_operation<generated_number, expected_number> made(std::move(d));
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  made.bind(made.variants[0], {}, inputs, {})(to);
  made.bind_readback(made.variants[0], {}, inputs, {})(to);
  EXPECT_EQ(launched, 3);
  EXPECT_EQ(compared, 10);
}

/// A table that one of two variants does without.
struct filled_problem {
  const void* table = nullptr;
};

TEST(Define, FillsOnlyWhatAVariantHas) {
  static const void* seen;
  definition<filled_problem> d;
  d.name = "made_filled";
  d.description = "notes the table that its fill is given";
  d.baseline = "with";
  d.problem = [](const axis_values&, const input_library&) { return filled_problem{}; };
  d.buffers = [](filled_problem& p) { return bound_buffers{bind("table", p.table, 4)}; };
  d.fill = [](launcher&, const filled_problem& p, const switches&) { seen = p.table; };
  const auto nothing = [](launcher&, const filled_problem&, const switches&) {};
  d.variants = {{"with", nothing, {}, "reads it"},
                {"without", nothing, {}, "does not", {.without = {"table"}}}};
  const detail::defined_operation<filled_problem> filled(std::move(d));
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  int table = 0;
  const std::vector<void*> addresses = {&table};
  const auto filled_of = [&](const variant_facts* v) {
    filled.bind_fill(v, {}, inputs, addresses)(to);
    return seen;
  };
  EXPECT_EQ(filled_of(nullptr), &table);
  EXPECT_EQ(filled_of(&filled.variants[0]), &table);
  EXPECT_EQ(filled_of(&filled.variants[1]), nullptr);
}

TEST(Define, EveryVariantIsMadeForValuesThatItsAxesHave) {
  for (const auto& op : operations())
    for (const variant_facts& v : op->variants)
      for (const auto& [name, words] : v.only_where) {
        const auto named =
            std::find_if(op->axes.begin(), op->axes.end(), [&](const axis& a) { return a.name == name; });
        ASSERT_NE(named, op->axes.end()) << op->name << "/" << v.name << ": " << name;
        EXPECT_FALSE(words.empty()) << op->name << "/" << v.name << ": " << name;
        for (const std::string& word : words)
          EXPECT_EQ(named->refuses(word, {}), std::nullopt) << op->name << "/" << v.name;
      }
}

TEST(Define, EveryOperationOfTheProgramIsWhole) {
  for (const auto& op : operations()) {
    EXPECT_NE(op->find_variant(op->baseline), nullptr) << op->name;
    EXPECT_FALSE(op->description.empty()) << op->name;
    for (const axis& a : op->axes) {
      EXPECT_EQ(a.refuses(a.default_value, {}), std::nullopt) << op->name;
      EXPECT_FALSE(a.description.empty()) << op->name << ": " << a.name;
    }
    for (const calibration& c : op->calibrations) EXPECT_FALSE(c.ceiling.empty()) << op->name;
    EXPECT_EQ(op->find_variant("reference"), nullptr) << "this name is the host reference's";
  }
}

}  // namespace
}  // namespace ablate::registry_test

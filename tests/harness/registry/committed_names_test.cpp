// What committed records name, and what the table of old names says, is held to the registry.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/record/old_names.h"
#include "base/record/record.h"
#include "base/record/record_file.h"
#include "harness/registry/registry.h"
#include "tests/reports/made_record.h"
#include "tests/support/committed_records.h"

namespace ablate::committed_names_test {
namespace {

using nlohmann::ordered_json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const axis* find_axis(const operation& of, const std::string& name) {
  const auto found =
      std::find_if(of.axes.begin(), of.axes.end(), [&](const axis& a) { return a.name == name; });
  return found == of.axes.end() ? nullptr : &*found;
}

/// Values of a switch that variants of the operation have or take; empty where none has the switch.
std::set<std::string> values_of_switch(const operation& of, const std::string& name) {
  std::set<std::string> out;
  for (const variant_facts& v : of.variants) {
    if (v.switches.has(name)) out.insert(value_of(v.switches, name));
    for (const switch_range& range : v.takes)
      if (range.name == name) out.insert(range.values.begin(), range.values.end());
  }
  if (!out.empty()) out.insert("off");  // of those that do not state it
  return out;
}

bool is_rival_of(const record& r, const std::string& operation, const std::string& variant) {
  const auto holds = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  return std::any_of(r.rivals.begin(), r.rivals.end(), [&](const record::rival_facts& rival) {
    return holds(rival.operations, operation) && holds(rival.variants, variant);
  });
}

bool is_gone(const std::string& operation, const std::string& variant) {
  const auto& gone = old_names::known().rules().gone;
  return std::any_of(gone.begin(), gone.end(),
                     [&](const auto& r) { return r.operation == operation && r.variant == variant; });
}

/// What the registry does not have of a case's names.
template <class Case>
void add_unknown(const record& r, const Case& c, std::set<std::string>& to) {
  const operation* of = find_operation(c.operation);
  if (!of) {
    to.insert(fmt::format("{}: operation '{}'", r.path.string(), c.operation));
    return;
  }
  if (c.variant != "reference" && !of->find_variant(c.variant) && !is_rival_of(r, c.operation, c.variant) &&
      !is_gone(c.operation, c.variant))
    to.insert(fmt::format("{}: variant '{}/{}'", r.path.string(), c.operation, c.variant));
  named_words in_order;
  for (const axis& a : of->axes)
    if (const std::string* value = find_word(c.axes, a.name)) in_order.emplace_back(a.name, *value);
  for (const auto& [name, value] : c.axes) {
    const axis* known = find_axis(*of, name);
    if (!known)
      to.insert(fmt::format("{}: axis '{}' of '{}'", r.path.string(), name, c.operation));
    else if (!known->takes_point_files && known->refuses(value, {}))
      to.insert(fmt::format("{}: {}={} of '{}'", r.path.string(), name, value, c.operation));
  }
  if (in_order.size() == c.axes.size() && in_order != c.axes)
    to.insert(fmt::format("{}: order of the axes of '{}'", r.path.string(), c.operation));
}

std::set<std::string> unknown_names(const std::filesystem::path& path) {
  const record r = read_record(path);
  std::set<std::string> out;
  for (const measured_case& c : r.cases) add_unknown(r, c, out);
  for (const unmeasured_case& c : r.unmeasured) add_unknown(r, c, out);
  return out;
}

TEST(CommittedNames, OfAllRecordsAreInTheRegistry) {
  for (const auto& path : test_support::committed_records()) EXPECT_THAT(unknown_names(path), IsEmpty());
}

TEST(CommittedNames, AnUnknownOneIsNamed) {
  ordered_json record;
  for (const auto& path : test_support::committed_records())
    if (path.parent_path().filename() == "quick") record = reports::parse_record_as_written(path);
  ASSERT_TRUE(record.is_object());
  const auto with = [&](const auto& change) {
    ordered_json made = record;
    for (ordered_json& one : made["benchmarks"])
      if (one["operation"] == "voxelize") {
        change(one);
        break;
      }
    const auto found = unknown_names(reports::written("record.json", made.dump()));
    return std::vector<std::string>(found.begin(), found.end());
  };
  EXPECT_THAT(with([](ordered_json& c) { c["operation"] = "voxelise"; }),
              Contains(HasSubstr("operation 'voxelise'")));
  EXPECT_THAT(with([](ordered_json& c) { c["variant"] = "global_atomc"; }),
              Contains(HasSubstr("variant 'voxelize/global_atomc'")));
  EXPECT_THAT(with([](ordered_json& c) { c["axes"]["ponits"] = "1"; }),
              Contains(HasSubstr("axis 'ponits' of 'voxelize'")));
  EXPECT_THAT(with([](ordered_json& c) { c["axes"]["order"] = "random"; }),
              Contains(HasSubstr("order=random of 'voxelize'")));
  EXPECT_THAT(with([](ordered_json&) {}), SizeIs(0));
}

TEST(CommittedNames, OldOnesAreNoNamesOfTodayAndEndAtSome) {
  const old_names& table = old_names::known();
  const auto& rules = table.rules();
  const auto operation_named = [](const std::string& name) {
    const operation* of = find_operation(name);
    EXPECT_TRUE(of) << "base/record/old_names.json: no operation '" << name << "'";
    return of;
  };
  for (const auto& r : rules.operations) {
    const named_words axes = r.value.empty() ? named_words{} : named_words{{r.axis, r.value}};
    operation_named(table.todays({r.operation, r.variant, axes}).operation);
    if (const operation* old = find_operation(r.operation)) {
      EXPECT_FALSE(r.value.empty() && r.variant.empty()) << r.operation << " is an operation of today";
      EXPECT_FALSE(find_axis(*old, r.axis)) << r.operation << " has the axis " << r.axis;
    }
  }
  for (const auto& r : rules.variants)
    if (const operation* of = operation_named(r.operation)) {
      EXPECT_FALSE(of->find_variant(r.variant))
          << r.operation << "/" << r.variant << " is a variant of today";
      EXPECT_TRUE(of->find_variant(table.todays_variant(r.operation, r.variant, {{r.axis, r.value}})))
          << r.operation << "/" << r.variant;
    }
  for (const auto& r : rules.axes)
    if (const operation* of = operation_named(r.operation)) {
      EXPECT_FALSE(find_axis(*of, r.axis)) << r.operation << " has the axis " << r.axis;
      const auto today = table.todays_axis(r.operation, r.axis);
      EXPECT_TRUE(!today || find_axis(*of, *today)) << r.operation << " has no axis " << *today;
    }
  for (const auto& r : rules.values)
    if (const operation* of = operation_named(r.operation)) {
      const axis* a = find_axis(*of, r.axis);
      ASSERT_TRUE(a) << r.operation << " has no axis " << r.axis;
      EXPECT_TRUE(a->refuses(r.value, {})) << r.axis << "=" << r.value << " is a value of today";
      EXPECT_FALSE(a->refuses(table.todays_value(r.operation, r.axis, r.value), {}))
          << r.axis << "=" << r.value;
    }
  for (const auto& r : rules.switches) {
    const std::string rule =
        fmt::format("{}/{}{}{}", r.operation, r.axis, r.value.empty() ? "" : "=", r.value);
    bool is_known = false;
    for (const auto& of : operations()) {
      if (r.operation != "*" && r.operation != of->name) continue;
      const std::set<std::string> old = values_of_switch(*of, r.axis);
      // "off" is where none states the switch, too.
      const bool is_todays = r.value.empty() ? !old.empty() : r.value != "off" && old.contains(r.value);
      EXPECT_FALSE(is_todays) << rule << " is of " << of->name << " today";
      const auto word = table.todays_switch(of->name, {r.axis, r.value});
      const std::set<std::string> today = word ? values_of_switch(*of, word->first) : std::set<std::string>();
      // A rule that ends at nothing drops the switch.
      is_known |= !word || (r.value.empty() ? !today.empty() : today.contains(word->second));
    }
    EXPECT_TRUE(is_known) << rule << " ends at no switch of today";
  }
  for (const auto& r : rules.dropped)
    if (const operation* of = operation_named(r.operation)) {
      EXPECT_FALSE(find_axis(*of, r.axis)) << r.operation << " has the axis " << r.axis;
    }
  for (const auto& [name, order] : rules.order)
    if (const operation* of = operation_named(name)) {
      std::vector<std::string> axes;
      for (const axis& a : of->axes) axes.push_back(a.name);
      EXPECT_EQ(order, axes) << name;
    }
  for (const auto& [name, variant] : rules.baselines)
    if (const operation* of = operation_named(name)) {
      EXPECT_EQ(variant, of->baseline) << name;
    }
  for (const auto& r : rules.gone)
    if (const operation* of = operation_named(r.operation)) {
      EXPECT_FALSE(of->find_variant(r.variant)) << r.variant;
    }
}

}  // namespace
}  // namespace ablate::committed_names_test

#include "harness/suite/override.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/record/selection.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "harness/inputs/input_library.h"
#include "harness/suite/points_around.h"

namespace ablate {

namespace {

using values_by_name = suite_overrides::value_type;

[[noreturn]] void refuse_setting(const std::string& why) { throw bad_input("--axes", "", why); }

bool is_one_of(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// The exponent of "2^16"; nothing for another word.
std::optional<int> power_of_two(std::string_view word) {
  constexpr int highest = 62;
  if (!word.starts_with("2^")) return std::nullopt;
  word.remove_prefix(2);
  int exponent = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), exponent);
  if (error != std::errc() || end != word.data() + word.size() || exponent < 0 || exponent > highest)
    return std::nullopt;
  return exponent;
}

/// "2^16..2^18" as 65536, 131072, 262144, "2^16" as 65536, any other word as it is.
std::vector<std::string> expanded(const std::string& word) {
  constexpr std::string_view to = "..";
  const std::size_t dots = word.find(to);
  const auto first = power_of_two(std::string_view(word).substr(0, dots));
  if (dots == std::string::npos && !first) return {word};
  const auto last =
      dots == std::string::npos ? first : power_of_two(std::string_view(word).substr(dots + to.size()));
  if (!first || !last || *first > *last)
    refuse_setting(fmt::format("expected a range of powers of two, as 2^16..2^24, found '{}'", word));
  std::vector<std::string> out;
  for (int exponent = *first; exponent <= *last; ++exponent) out.push_back(std::to_string(1ll << exponent));
  return out;
}

/// Suites and records say `variants`.
values_by_name parsed_setting(const std::string& text) {
  const selection_term term = written_term(text, "--axes");
  values_by_name out = {term.name == "variant" ? "variants" : term.name, {}};
  for (const std::string& word : term.values)
    for (std::string& value : expanded(word))
      if (!is_one_of(out.second, value)) out.second.push_back(std::move(value));
  return out;
}

std::vector<std::string> point_files_of(const suite& from) {
  std::vector<std::string> out;
  for (const auto& [name, file] : from.point_files) out.push_back(name);
  return out;
}

const axis* find_axis(const operation& of, const std::string& name) {
  const auto found =
      std::find_if(of.axes.begin(), of.axes.end(), [&](const axis& a) { return a.name == name; });
  return found == of.axes.end() ? nullptr : &*found;
}

std::vector<std::string> settable_names(const suite& from) {
  std::vector<std::string> out;
  for (const suite_block& block : from.blocks)
    for (const axis& a : block.operation->axes)
      if (!is_one_of(out, a.name)) out.push_back(a.name);
  out.insert(out.end(), {"variants", "cache"});
  return out;
}

/// In their canonical spelling, each once.
std::vector<std::string> checked_values(const axis& a, const operation& of,
                                        const std::vector<std::string>& wanted,
                                        const std::vector<std::string>& point_files) {
  std::vector<std::string> out;
  for (const std::string& given : wanted) {
    const std::string value = a.canonical(given);
    if (const auto reason = a.refuses(value, point_files)) {
      std::vector<std::string> known = a.words;
      if (a.takes_point_files) known.insert(known.end(), point_files.begin(), point_files.end());
      refuse_setting(fmt::format("{}: {}{}", of.name, *reason, did_you_mean(value, known)));
    }
    if (!is_one_of(out, value)) out.push_back(value);
  }
  return out;
}

/// Where an axis of before divided an operation into several, its value chooses among them; of a block that
/// it never divided it says nothing. Whether there is such an axis.
bool keep_divided(suite& to, const values_by_name& wanted, const old_names& table) {
  const auto formerly = [&](const suite_block& block) {
    std::vector<std::string> values;
    for (const auto& [name, value] : table.former_words({block.operation->name, "", {}}))
      if (name == wanted.first && !value.empty()) values.push_back(value);
    return find_axis(*block.operation, wanted.first) ? std::vector<std::string>() : values;
  };
  const auto has_one = [&](const std::vector<std::string>& values) {
    return std::any_of(values.begin(), values.end(),
                       [&](const std::string& value) { return is_one_of(wanted.second, value); });
  };
  const bool is_known =
      std::any_of(to.blocks.begin(), to.blocks.end(), [&](const auto& b) { return has_one(formerly(b)); });
  if (!is_known) return false;
  std::erase_if(to.blocks, [&](const suite_block& block) {
    const std::vector<std::string> values = formerly(block);
    return !values.empty() && !has_one(values);
  });
  std::vector<std::string> left;
  for (const suite_block& block : to.blocks)
    if (has_one(formerly(block)) && !is_one_of(left, block.operation->name))
      left.push_back(block.operation->name);
  print_todays_names(fmt::format("{}={}", wanted.first, fmt::join(wanted.second, ",")),
                     fmt::format("{}", fmt::join(left, ", ")));
  return true;
}

void set_axis(suite& to, const values_by_name& wanted, const old_names& table) {
  const std::vector<std::string> point_files = point_files_of(to);
  bool is_known = keep_divided(to, wanted, table);
  for (suite_block& block : to.blocks) {
    const axis* a = find_axis(*block.operation, wanted.first);
    if (!a) continue;
    is_known = true;
    for (auto& [name, values] : block.axes)
      if (name == a->name) values = checked_values(*a, *block.operation, wanted.second, point_files);
  }
  if (!is_known) refuse_setting(no_such("axis of the suite", wanted.first, settable_names(to)));
}

/// Whether an operation of the suite has a point of this spelling, or such a preset.
bool is_point(const suite& in, const std::string& name) {
  return std::any_of(in.blocks.begin(), in.blocks.end(), [&](const suite_block& block) {
    return block.operation->find_variant(name) || !block.operation->preset(name).empty();
  });
}

void set_variants(suite& to, const values_by_name& wanted, const old_names& table) {
  std::vector<std::string> known;
  for (const suite_block& block : to.blocks)
    for (const variant_facts& v : block.operation->variants)
      if (!is_one_of(known, v.name)) known.push_back(v.name);
  const auto todays = [&](const suite_block& block, const std::string& name) {
    return block.operation->find_variant(name) ? name : table.todays_variant(block.operation->name, name, {});
  };
  for (const std::string& name : wanted.second) {
    if (is_one_of(known, name) || is_point(to, name)) continue;
    std::vector<std::string> today;
    for (const suite_block& block : to.blocks)
      if (const std::string variant = todays(block, name); block.operation->find_variant(variant)) {
        const std::string kind = block.operation->name + "/" + variant;
        if (!is_one_of(today, kind)) today.push_back(kind);
      }
    if (today.empty()) refuse_setting(no_such("variant of the suite's operations", name, known));
    print_todays_names(name, fmt::format("{}", fmt::join(today, ", ")));
  }
  for (suite_block& block : to.blocks) {
    block.variants.clear();
    const auto add = [&](const variant_facts* v) {
      if (std::ranges::find(block.variants, v) == block.variants.end()) block.variants.push_back(v);
    };
    for (const std::string& name : wanted.second) {
      for (const variant_facts* v : block.operation->preset(name)) add(v);
      if (const variant_facts* v = block.operation->find_variant(todays(block, name))) add(v);
    }
  }
  std::erase_if(to.blocks, [](const suite_block& block) { return block.variants.empty(); });
}

constexpr std::string_view switch_prefix = "switch.";

/// As the operation has it; by today's names where it has it by these alone.
old_names::switch_choice todays_switch(const operation& of, const old_names::switch_choice& given,
                                       const old_names& table) {
  if (!refuses_switch(of, given.first, given.second)) return given;
  const auto today = table.todays_choice(of.name, given);
  if (!today || *today == given || refuses_switch(of, today->first, today->second)) return given;
  return *today;
}

void set_switch(suite& to, const values_by_name& wanted, const old_names& table) {
  const old_names::switch_choice given = {wanted.first.substr(switch_prefix.size()), wanted.second};
  std::string why;
  bool is_known = false;
  std::vector<std::string> renamed;
  for (suite_block& block : to.blocks) {
    const old_names::switch_choice today = todays_switch(*block.operation, given, table);
    const auto& [name, values] = today;
    if (today != given && !is_one_of(renamed, choice_text(today))) renamed.push_back(choice_text(today));
    if (const auto reason = refuses_switch(*block.operation, name, values)) {
      if (why.empty()) why = *reason;
      block.variants.clear();
    } else {
      is_known = true;
      block.variants = points_around(*block.operation, block.variants, {{name, values}});
    }
  }
  if (!is_known) throw bad_input("--switch", "", why);
  if (!renamed.empty()) print_todays_names(choice_text(given), fmt::format("{}", fmt::join(renamed, ", ")));
  std::erase_if(to.blocks, [](const suite_block& block) { return block.variants.empty(); });
  if (to.blocks.empty())
    throw bad_input("--switch", "",
                    fmt::format("no variant of the suite has or accepts {}", choice_text(given)));
}

void set_cache(suite& to, const values_by_name& wanted) {
  const std::vector<std::string> known = {"cold-clean", "hot", "rotating"};
  std::vector<cache_state> states;
  for (const std::string& name : wanted.second) {
    if (!is_one_of(known, name)) refuse_setting(no_such("cache state", name, known));
    states.push_back(*parse_cache_state(name));
  }
  for (suite_block& block : to.blocks) block.cache_states = states;
}

}  // namespace

suite overridden(suite from, const std::vector<std::string>& assignments, const old_names& table) {
  for (const std::string& text : assignments) {
    const values_by_name wanted = parsed_setting(text);
    for (const auto& [name, values] : from.overrides)
      if (name == wanted.first)
        refuse_setting(
            fmt::format("'{}' is set twice; expected its values together, separated by commas", name));
    if (wanted.first == "variants")
      set_variants(from, wanted, table);
    else if (wanted.first == "cache")
      set_cache(from, wanted);
    else if (wanted.first.starts_with(switch_prefix))
      set_switch(from, wanted, table);
    else
      set_axis(from, wanted, table);
    from.overrides.push_back(wanted);
  }
  if (from.overrides.empty()) return from;
  const std::string all = from.hash + "|" + override_text(from.overrides);
  from.hash = hash_hex(all.data(), all.size());
  return from;
}

std::string override_text(const suite_overrides& overrides) {
  std::string out;
  for (const auto& [name, values] : overrides)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, fmt::join(values, ","));
  return out;
}

}  // namespace ablate

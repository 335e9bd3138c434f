#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text/bad_input.h"
#include "harness/counters/metric_groups.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/suite/case_words.h"
#include "harness/suite/suite.h"

namespace ablate {

namespace {

using axis_lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Products can exceed 64 bits before anybody enumerates them.
constexpr std::size_t countless = 1'000'000'000'000'000;

std::size_t times(std::size_t a, std::size_t b) { return b != 0 && a > countless / b ? countless : a * b; }

std::size_t product(const suite_block& block) {
  std::size_t count = times(block.variants.size(), block.cache_states.size());
  for (const auto& [name, values] : block.axes) count = times(count, values.size());
  return count;
}

/// Whether the block leaves this case of its product out.
bool excludes(const suite_block& block, const variant_facts& v, const axis_values& axes) {
  return std::any_of(block.exclusions.begin(), block.exclusions.end(), [&](const exclusion& left_out) {
    return std::all_of(left_out.begin(), left_out.end(), [&](const auto& entry) {
      const std::string& here = entry.first == "variant" ? v.name : axes.word(entry.first);
      return std::find(entry.second.begin(), entry.second.end(), here) != entry.second.end();
    });
  });
}

/// Every combination of the values, the last axis fastest.
template <class Visit>
void for_each_combination(const axis_lists& axes, Visit visit) {
  std::vector<std::size_t> at(axes.size(), 0);
  for (;;) {
    axis_values values;
    for (std::size_t i = 0; i < axes.size(); ++i) values.set(axes[i].first, axes[i].second[at[i]]);
    visit(values);
    std::size_t turned = axes.size();
    while (turned > 0 && ++at[turned - 1] == axes[turned - 1].second.size()) at[--turned] = 0;
    if (turned == 0) return;
  }
}

std::string dotted(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

/// What is asked of a case; no, where its input is missing, broken or unfit: that is what it ends as in any
/// cache state.
template <class Question>
bool holds(Question question) {
  try {
    return question();
  } catch (const input_missing&) {
    return false;
  } catch (const bad_input&) {
    return false;
  }
}

std::optional<std::string> why_not(const operation& of, const variant_facts* v, const axis_values& axes,
                                   cache_state state, const target& on, const input_library& inputs) {
  if (auto reason = of.refuses(axes)) return reason;
  if (!v) return std::nullopt;
  if (const auto* unmet = first_unmet(v->only_where, axes)) {
    const auto& [name, words] = *unmet;
    return fmt::format("variant '{}' is made for {}={} only, not for {}", v->name, name,
                       fmt::join(words, " or "), axes.word(name));
  }
  if (v->minimum_compute_capability > on.compute_capability)
    return fmt::format("variant '{}' needs compute capability {}; this chip and build have {}", v->name,
                       dotted(v->minimum_compute_capability), dotted(on.compute_capability));
  if (state == cache_state::cold_clean) return std::nullopt;
  if (!of.keeps_ahead() && holds([&] { return of.has_ahead(axes, inputs); }))
    return fmt::format(
        "'{}' launches many times in a row, but other work goes ahead of each launch here; "
        "only 'cold-clean' can time it",
        to_string(state));
  if (holds([&] { return of.clock(axes, inputs) != region_clock::device; }))
    return fmt::format(
        "'{}' launches many times in a row, but the host waits for results here; "
        "only 'cold-clean' can time it",
        to_string(state));
  return std::nullopt;
}

suite_case make_case(const operation& of, const variant_facts* v, const axis_values& axes, cache_state state,
                     const target& on, const input_library& inputs) {
  suite_case made;
  made.operation = &of;
  made.variant = v;
  made.axes = axes;
  made.state = state;
  made.not_applicable = why_not(of, v, axes, state, on, inputs);
  made.id = case_id(of.name, made.variant_name(), named_in_id(of.axes, axes), to_string(state));
  return made;
}

void require_countable(const suite& from) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < from.blocks.size(); ++i) {
    const std::size_t count = product(from.blocks[i]);
    total = std::min(countless, total + count);
    if (total > from.maximum_cases)
      throw bad_input(
          from.path.string(), fmt::format("/cases/{}", i),
          fmt::format("this block has {}{} cases and the suite {}{} up to here; expected at most {} "
                      "(maximum_cases)",
                      count >= countless ? "more than " : "", count, total >= countless ? "more than " : "",
                      total, from.maximum_cases));
  }
}

double wait_of(bool steady_clock) { return steady_clock ? longest_wait_for_steady_clock_s : 0; }

std::vector<suite_case> calibrations(const suite& from, const target& on, const input_library& inputs) {
  std::vector<suite_case> cases;
  for (const auto& op : operations())
    for (const calibration& wanted : op->calibrations) {
      axis_values axes;
      for (const axis& a : op->axes) axes.set(a.name, a.default_value);
      for (const auto& [name, value] : wanted.axes) axes.set(name, value);
      for (const variant_facts& v : op->variants) {
        suite_case made = make_case(*op, &v, axes, wanted.state, on, inputs);
        made.ceiling = wanted.ceiling;
        made.protocol.observed->counters = from.counters;
        made.protocol.steady_clock_s = wait_of(from.steady_clock);
        // Nobody asked for these, so nobody needs to know which of them cannot be.
        if (!made.not_applicable) cases.push_back(std::move(made));
      }
    }
  return cases;
}

std::vector<suite_case> named_cases(const suite& from, const target& on, const input_library& inputs) {
  std::vector<suite_case> cases;
  for (const suite_block& block : from.blocks) {
    const operation& of = *block.operation;
    if (on.host && !of.calibrations.empty()) continue;
    for_each_combination(block.axes, [&](const axis_values& axes) {
      std::vector<const variant_facts*> wanted;
      for (const variant_facts* v : block.variants)
        if (!excludes(block, *v, axes)) wanted.push_back(v);
      if (on.host) {
        if (!wanted.empty()) {
          cases.push_back(make_case(of, nullptr, axes, cache_state::host, on, inputs));
          cases.back().protocol.observed = observations{.picture = block.picture,
                                                        .sampled = block.sampled,
                                                        .energy = block.energy.value_or(from.energy)};
        }
        return;
      }
      for (const cache_state state : block.cache_states)
        for (const variant_facts* v : wanted) {
          cases.push_back(make_case(of, v, axes, state, on, inputs));
          cases.back().protocol = {
              .observed = observations{.counters = block.counters.value_or(from.counters),
                                       .picture = block.picture,
                                       .sampled = block.sampled,
                                       .energy = block.energy.value_or(from.energy)},
              .steady_clock_s = wait_of(block.steady_clock.value_or(from.steady_clock))};
        }
    });
  }
  return cases;
}

void gather_equal_axes(std::vector<suite_case>& cases) {
  std::map<std::string, std::size_t> first_named;
  const auto rank = [&](const suite_case& c) {
    return first_named.emplace(case_id(c.operation->name, "", c.axes, ""), first_named.size()).first->second;
  };
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < cases.size(); ++i) order.emplace_back(rank(cases[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<suite_case> sorted;
  for (const auto& [group, i] : order) sorted.push_back(std::move(cases[i]));
  cases = std::move(sorted);
}

bool asks_for_more(const std::string& counters, const std::string& than) {
  return chosen_groups(counters).size() > chosen_groups(than).size();
}

/// Adds what another block requests of the same case.
void add(const measuring_protocol& asked, measuring_protocol& to) {
  if (asks_for_more(asked.observed->counters, to.observed->counters))
    to.observed->counters = asked.observed->counters;
  to.observed->picture |= asked.observed->picture;
  to.observed->sampled |= asked.observed->sampled;
  to.observed->energy |= asked.observed->energy;
  to.steady_clock_s = std::max(to.steady_clock_s, asked.steady_clock_s);
}

std::string why_nothing_is_left(const std::string& filter, const std::vector<case_words>& known,
                                bool on_host) {
  if (filter.empty())
    return "no case is left on a machine without a GPU; expected an operation that is no calibration";
  const std::string on_the_host = on_host ? " (on the host the only variant is 'reference')" : "";
  if (case_filter::is_selection(filter))
    return selection(selection_words(filter), known, "--filter").why_none(known) + on_the_host;
  return fmt::format("no case has '{}' in its id; see `ablate plan --json` for the ids{}", filter,
                     on_the_host);
}

}  // namespace

std::vector<suite_case> expand(const suite& from, const target& on, const input_library& inputs,
                               const std::string& filter, filtered which) {
  require_countable(from);

  std::vector<suite_case> named = named_cases(from, on, inputs);
  const auto runs_here = [&](const suite_block& b) { return !on.host || b.operation->calibrations.empty(); };
  if (named.empty() && std::any_of(from.blocks.begin(), from.blocks.end(), runs_here))
    throw bad_input(from.path.string(), "/cases",
                    from.overrides.empty() ? "expected a case that no `exclude` leaves out"
                                           : "the suite's `exclude` leaves out every case of --axes");
  gather_equal_axes(named);

  std::vector<suite_case> cases = on.host ? std::vector<suite_case>() : calibrations(from, on, inputs);
  std::vector<case_words> known = case_words_of(named);
  for (const suite_case& c : cases) known.push_back(case_words_of(c));
  const case_filter selected(filter, known, "--filter");
  const auto is_left_out = [&](const suite_case& c) { return !selected.holds(case_words_of(c)); };
  bool any_selected = !std::all_of(cases.begin(), cases.end(), is_left_out);
  if (which == filtered::all) std::erase_if(cases, is_left_out);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i) places.emplace(cases[i].id, i);
  for (suite_case& c : named) {
    if (is_left_out(c)) continue;
    any_selected = true;
    const auto [place, is_new] = places.emplace(c.id, cases.size());
    if (is_new) {
      cases.push_back(std::move(c));
      continue;
    }
    add(c.protocol, cases[place->second].protocol);
  }
  if (!any_selected) throw bad_input(from.path.string(), "", why_nothing_is_left(filter, known, on.host));
  return cases;
}

}  // namespace ablate

#include "reports/best/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "reports/text/bad_input.h"
#include "reports/text/names.h"
#include "reports/text/text.h"

namespace ablate::best {
namespace {

using reports::operation_view;
using words = std::vector<std::string>;

constexpr const char *operation_word = "operation", *variants_word = "variants", *cache_word = "cache",
                     *everything = "0";

bool holds(const words& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void add_new(words& to, const std::string& one) {
  if (!holds(to, one)) to.push_back(one);
}

std::optional<long> size_of(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A workload before its variants are ranked.
struct candidate {
  const operation_view* view;
  const reports::comparable_cases* row;
  named_words axes;
  std::string cache_state;
  std::vector<const unmeasured_case*> unmeasured;
  std::vector<missing_size> stands_in_for = {};

  std::string value(const std::string& axis) const {
    const std::string* found = find_word(axes, axis);
    return found ? *found : "";
  }
};

std::vector<candidate> candidates_of(const record& from, const operation_view& view) {
  std::vector<candidate> out;
  for (const reports::comparable_cases& row : view.rows)
    out.push_back({&view, &row, row.axes, row.cache_state, {}});
  for (const unmeasured_case& c : from.unmeasured) {
    if (c.operation != view.name) continue;
    bool is_known = false;
    for (candidate& at : out)
      if (at.cache_state == c.cache_state && at.axes == c.axes) {
        at.unmeasured.push_back(&c);
        is_known = true;
      }
    if (!is_known) out.push_back({&view, nullptr, c.axes, c.cache_state, {&c}});
  }
  return out;
}

/// What the workloads have in the place of a name that was asked for.
words values_in(const std::vector<candidate>& all, const std::string& name) {
  words out;
  for (const candidate& c : all) {
    if (name == operation_word) {
      add_new(out, c.view->name);
    } else if (name == cache_word) {
      add_new(out, c.cache_state);
    } else if (name == variants_word) {
      for (const std::string& variant : c.view->variants) add_new(out, variant);
      for (const unmeasured_case* u : c.unmeasured) add_new(out, u->variant);
    } else if (const std::string* value = find_word(c.axes, name)) {
      add_new(out, *value);
    }
  }
  return out;
}

words names_in(const std::vector<candidate>& all) {
  words out;
  for (const candidate& c : all)
    for (const auto& [axis, value] : c.axes) add_new(out, axis);
  for (const char* name : {operation_word, variants_word, cache_word}) out.emplace_back(name);
  return out;
}

bool is_axis(const std::string& name) {
  return name != operation_word && name != variants_word && name != cache_word;
}

/// Whether any integer may be asked for: an axis with integers only, in each operation that has it.
bool is_size(const std::vector<candidate>& all, const std::string& name) {
  const words values = values_in(all, name);
  return is_axis(name) && !values.empty() &&
         std::all_of(values.begin(), values.end(),
                     [](const std::string& v) { return size_of(v).has_value(); });
}

bool fits(const candidate& c, const asked_values& asked) {
  if (asked.name == operation_word) return holds(asked.values, c.view->name);
  if (asked.name == cache_word) return holds(asked.values, c.cache_state);
  if (asked.name != variants_word) return holds(asked.values, c.value(asked.name));
  return std::any_of(asked.values.begin(), asked.values.end(), [&](const std::string& variant) {
    return (c.row && c.row->of(variant)) ||
           std::any_of(c.unmeasured.begin(), c.unmeasured.end(),
                       [&](const unmeasured_case* u) { return u->variant == variant; });
  });
}

std::string text_of(const asked_values& asked) {
  return asked.name + "=" + reports::joined(asked.values, ",");
}

/// The nearest sizes at which these workloads, all of one series, were measured. A 0 is none: it mostly
/// stands for something else (all points of a file, as many buckets as it takes).
missing_size nearest_sizes(const std::vector<candidate*>& series, const asked_values& asked,
                           const std::string& value) {
  missing_size out{series.front()->view->name, asked.name, value, {}, {}};
  for (const candidate* c : series) {
    const std::string here = c->value(asked.name);
    if (!c->row || here == value || here == everything) continue;
    const bool is_below = *size_of(here) < *size_of(value);
    std::optional<std::string>& nearest = is_below ? out.below : out.above;
    if (!nearest || (is_below ? *size_of(here) > *size_of(*nearest) : *size_of(here) < *size_of(*nearest)))
      nearest = here;
  }
  return out;
}

/// Of every series (workloads that differ in this size alone) those at the sizes that were asked for, or at
/// the nearest measured ones, which then stand in for them.
std::vector<candidate> at_sizes(std::vector<candidate> all, const asked_values& asked) {
  using series_key = std::pair<std::string, named_words>;
  const auto key_of = [&](const candidate& c) {
    named_words rest = c.axes;
    std::erase_if(rest, [&](const auto& word) { return word.first == asked.name; });
    return series_key{c.view->name + "@" + c.cache_state, rest};
  };
  std::map<series_key, std::vector<candidate*>> series;
  for (candidate& c : all) series[key_of(c)].push_back(&c);
  std::set<const candidate*> wanted;
  for (const auto& [key, members] : series)
    for (const std::string& value : asked.values) {
      bool is_measured = false;
      for (const candidate* c : members)
        if (c->value(asked.name) == value) {
          wanted.insert(c);
          is_measured |= c->row != nullptr;
        }
      if (is_measured) continue;
      const missing_size near = nearest_sizes(members, asked, value);
      for (candidate* c : members) {
        if (!c->row || (c->value(asked.name) != near.below && c->value(asked.name) != near.above)) continue;
        wanted.insert(c);
        c->stands_in_for.push_back(near);
      }
    }
  std::vector<candidate> out;
  for (candidate& c : all)
    if (wanted.contains(&c)) out.push_back(std::move(c));
  return out;
}

void require_known(const record& from, const std::vector<candidate>& all,
                   const std::vector<asked_values>& asked) {
  const words names = names_in(all);
  for (const asked_values& a : asked) {
    if (!holds(names, a.name)) throw bad_input(from.path.string(), "", no_such("axis", a.name, names));
    const words values = values_in(all, a.name);
    for (const std::string& value : a.values) {
      if (is_size(all, a.name)) {
        if (!size_of(value))
          throw bad_input(
              from.path.string(), "",
              fmt::format("expected an integer as value of axis '{}', found '{}'", a.name, value));
      } else if (!holds(values, value)) {
        throw bad_input(
            from.path.string(), "",
            no_such(is_axis(a.name) ? fmt::format("value of axis '{}'", a.name) : a.name, value, values));
      }
    }
  }
}

/// No workload has all of the values: names one of them that, left out, leaves some, and what these have in
/// its place.
[[noreturn]] void refuse_together(const record& from, const std::vector<candidate>& all,
                                  const std::vector<asked_values>& asked) {
  words texts;
  for (const asked_values& a : asked) texts.push_back(text_of(a));
  std::string said = fmt::format("no case has {}", reports::joined(texts, " and "));
  for (const asked_values& left_out : asked) {
    std::vector<candidate> others = all;
    for (const asked_values& a : asked)
      if (&a != &left_out && !is_size(all, a.name))
        std::erase_if(others, [&](const candidate& c) { return !fits(c, a); });
    if (others.empty()) continue;
    const words there = values_in(others, left_out.name);
    said += there.empty() ? fmt::format("; the others have no axis '{}'", left_out.name)
                          : fmt::format("; {}{} is {}", asked.size() > 1 ? "with the others, " : "",
                                        left_out.name, reports::joined(there, " or "));
    break;
  }
  throw bad_input(from.path.string(), "", said);
}

words variants_asked(const std::vector<asked_values>& asked) {
  for (const asked_values& a : asked)
    if (a.name == variants_word) return a.values;
  return {};
}

/// What the record has most of each varying axis, and as cache state.
struct usual_workload {
  named_words axes;
  std::string cache_state;

  explicit usual_workload(const operation_view& view)
      : axes(reports::usual_values(view, view.varying_axes())) {
    std::size_t most = 0;
    for (const std::string& state : view.cache_states) {
      std::size_t cases = 0;
      for (const reports::comparable_cases& row : view.rows)
        if (row.cache_state == state) cases += row.by_variant.size();
      if (cases > most) {
        cache_state = state;
        most = cases;
      }
    }
  }

  std::size_t differences(const candidate& c, const std::vector<asked_values>& asked) const {
    const auto is_asked = [&](const std::string& name) {
      return std::any_of(asked.begin(), asked.end(), [&](const auto& a) { return a.name == name; });
    };
    std::size_t out = c.cache_state != cache_state && !is_asked(cache_word);
    for (const auto& [axis, value] : axes) out += c.value(axis) != value && !is_asked(axis);
    return out;
  }
};

ranked_workload ranked(const candidate& c, const words& among) {
  ranked_workload out{c.view, c.axes, c.cache_state, {}, {}, c.stands_in_for, 0};
  if (c.row) out.ranked = reports::ranking_of(*c.view, *c.row, among);
  for (const unmeasured_case* u : c.unmeasured)
    if (among.empty() || holds(among, u->variant)) out.unmeasured.push_back(u);
  return out;
}

}  // namespace

answer answer_of(const record& from, std::vector<asked_values> asked) {
  answer out;
  out.from = &from;
  out.views = reports::operation_views(from);
  std::vector<candidate> all;
  for (const operation_view& view : out.views)
    for (candidate& c : candidates_of(from, view)) all.push_back(std::move(c));
  if (all.empty())
    throw bad_input(from.path.string(), "", "expected a record with cases, found calibrations");
  for (asked_values& a : asked)
    if (is_size(all, a.name))
      std::replace(a.values.begin(), a.values.end(), std::string("all"), std::string(everything));
  require_known(from, all, asked);

  std::vector<candidate> found = all;
  for (const asked_values& a : asked)
    if (is_size(all, a.name))
      std::erase_if(found, [&](const candidate& c) { return !find_word(c.axes, a.name); });
    else
      std::erase_if(found, [&](const candidate& c) { return !fits(c, a); });
  for (const asked_values& a : asked)
    if (is_size(all, a.name)) found = at_sizes(std::move(found), a);
  if (found.empty()) refuse_together(from, all, asked);

  out.asked = asked;
  std::map<const operation_view*, usual_workload> usual;
  for (const operation_view& view : out.views) usual.emplace(&view, usual_workload(view));
  for (const candidate& c : found) {
    out.workloads.push_back(ranked(c, variants_asked(asked)));
    out.workloads.back().unusual = usual.at(c.view).differences(c, asked);
  }
  const auto is_ranked = [](const ranked_workload& w) { return !w.ranked.variants.empty(); };
  if (std::none_of(out.workloads.begin(), out.workloads.end(), is_ranked)) {
    const unmeasured_case& first = *out.workloads.front().unmeasured.front();
    throw bad_input(
        from.path.string(), "",
        fmt::format("nothing was measured there; {} is {}: {}", first.name, first.status, first.reason));
  }
  return out;
}

answer everything_in(const record& from) {
  answer out;
  out.from = &from;
  out.views = reports::operation_views(from);
  for (const operation_view& view : out.views)
    for (const candidate& c : candidates_of(from, view)) out.workloads.push_back(ranked(c, {}));
  return out;
}

}  // namespace ablate::best

#include "reports/best/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/record/old_selection.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "base/text/text.h"

namespace ablate::best {
namespace {

using reports::operation_view;
using words = std::vector<std::string>;

constexpr const char *variant_word = "variant", *cache_word = "cache", *everything = "0";

bool holds(const words& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
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

/// What may be asked for: calibrations, which have no rivals, left out.
std::vector<case_words> askable_cases(const record& from, const std::vector<operation_view>& views) {
  std::vector<case_words> out;
  for (const measured_case& c : from.cases)
    if (!c.ceiling) out.push_back(case_words_of(c));
  for (const unmeasured_case& c : from.unmeasured)
    if (std::any_of(views.begin(), views.end(), [&](const auto& view) { return view.name == c.operation; }))
      out.push_back(case_words_of(c));
  return out;
}

bool fits(const candidate& c, const selection_term& asked) {
  const auto has = [&](const std::string& variant) {
    return has_value({"", c.view->name, variant, c.cache_state, c.axes}, asked);
  };
  if (asked.name != variant_word) return has("");
  return std::any_of(asked.values.begin(), asked.values.end(), [&](const std::string& variant) {
    return (c.row && c.row->of(variant)) ||
           std::any_of(c.unmeasured.begin(), c.unmeasured.end(),
                       [&](const unmeasured_case* u) { return u->variant == variant; });
  });
}

/// The nearest sizes at which these workloads, all of one series, were measured. A 0 is none: it mostly
/// means something else (all points of a file, as many buckets as it takes).
missing_size nearest_sizes(const std::vector<candidate*>& series, const selection_term& asked,
                           const std::string& value) {
  missing_size out{series.front()->view->name, asked.name, value, {}, {}};
  for (const candidate* c : series) {
    const std::string here = c->value(asked.name);
    if (!c->row || is_same_value(here, value) || here == everything) continue;
    const bool is_below = *size_of(here) < *size_of(value);
    std::optional<std::string>& nearest = is_below ? out.below : out.above;
    if (!nearest || (is_below ? *size_of(here) > *size_of(*nearest) : *size_of(here) < *size_of(*nearest)))
      nearest = here;
  }
  return out;
}

/// Of every series (workloads that differ in this size alone) those at the sizes that were asked for, or at
/// the nearest measured ones, which then stand in for them.
std::vector<candidate> at_sizes(std::vector<candidate> all, const selection_term& asked) {
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
        if (is_same_value(c->value(asked.name), value)) {
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

/// No workload has all of the values. Sizes, which may be any, are blamed only where the others fit.
[[noreturn]] void refuse_together(const record& from, const std::vector<case_words>& all,
                                  const std::vector<selection_term>& asked, const case_vocabulary& known) {
  std::vector<selection_term> blamed = asked;
  std::erase_if(blamed, [&](const auto& a) { return known.is_of_integers(a.name); });
  const auto fits_some = std::any_of(all.begin(), all.end(), [&](const case_words& c) {
    return std::all_of(blamed.begin(), blamed.end(), [&](const auto& a) { return has_value(c, a); });
  });
  throw bad_input(from.path.string(), "", why_none_has(fits_some ? asked : blamed, all));
}

words variants_asked(const std::vector<selection_term>& asked) {
  for (const selection_term& a : asked)
    if (a.name == variant_word) return a.values;
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

  std::size_t differences(const candidate& c, const std::vector<selection_term>& asked) const {
    const auto is_asked = [&](const std::string& name) {
      return std::any_of(asked.begin(), asked.end(), [&](const auto& a) { return a.name == name; });
    };
    std::size_t out = c.cache_state != cache_state && !is_asked(cache_word);
    for (const auto& [axis, value] : axes) out += c.value(axis) != value && !is_asked(axis);
    return out;
  }
};

ranked_workload ranked(const candidate& c, reports::merit by, const words& among) {
  ranked_workload out{c.view, c.axes, c.cache_state, {}, {}, c.stands_in_for, 0};
  if (c.row) out.ranked = reports::ranking_of(*c.view, *c.row, by, among);
  for (const unmeasured_case* u : c.unmeasured)
    if (among.empty() || holds(among, u->variant)) out.unmeasured.push_back(u);
  return out;
}

/// By energy alone some case must have it.
void expect_something_to_rank_by(const answer& of) {
  if (of.by == reports::merit::time) return;
  std::string why;
  for (const ranked_workload& w : of.workloads) {
    if (w.ranked.has_energy()) return;
    for (const reports::ranked_variant& v : w.ranked.variants)
      if (why.empty() && !v.measured->energy_reason.empty())
        why = fmt::format("no energy: {}", v.measured->energy_reason);
  }
  if (why.empty())
    why =
        "no case there has energy; a run meters it with \"energy\": true in the suite, or `ablate run --energy`";
  throw bad_input(of.from->path.string(), "", why);
}

}  // namespace

answer answer_of(const record& from, const words& terms, reports::merit by,
                 std::shared_ptr<const reports::case_launches> launches) {
  answer out;
  out.from = &from;
  out.by = by;
  out.views = reports::operation_views(from);
  if (launches) {
    out.launches = launches->count();
    for (operation_view& view : out.views) view.launches = launches;
  }
  const std::vector<case_words> all = askable_cases(from, out.views);
  if (all.empty())
    throw bad_input(from.path.string(), "", "expected a record with cases, found calibrations");
  const case_vocabulary known(all);
  std::vector<selection_term> asked;
  for (const std::string& word : todays_terms(terms, all))
    asked.push_back(known.term(word, from.path.string(), case_vocabulary::sizes::any));
  refuse_repeated(asked, from.path.string());

  std::vector<candidate> found;
  for (const operation_view& view : out.views)
    for (candidate& c : candidates_of(from, view)) found.push_back(std::move(c));
  for (const selection_term& a : asked)
    if (known.is_of_integers(a.name))
      std::erase_if(found, [&](const candidate& c) { return !find_word(c.axes, a.name); });
    else
      std::erase_if(found, [&](const candidate& c) { return !fits(c, a); });
  for (const selection_term& a : asked)
    if (known.is_of_integers(a.name)) found = at_sizes(std::move(found), a);
  if (found.empty()) refuse_together(from, all, asked, known);

  out.asked = asked;
  std::map<const operation_view*, usual_workload> usual;
  for (const operation_view& view : out.views) usual.emplace(&view, usual_workload(view));
  for (const candidate& c : found) {
    out.workloads.push_back(ranked(c, by, variants_asked(asked)));
    out.workloads.back().unusual = usual.at(c.view).differences(c, asked);
  }
  const auto is_ranked = [](const ranked_workload& w) { return !w.ranked.variants.empty(); };
  if (std::none_of(out.workloads.begin(), out.workloads.end(), is_ranked)) {
    const unmeasured_case& first = *out.workloads.front().unmeasured.front();
    throw bad_input(
        from.path.string(), "",
        fmt::format("nothing was measured there; {} is {}: {}", first.name, first.status, first.reason));
  }
  expect_something_to_rank_by(out);
  return out;
}

answer everything_in(const record& from) {
  answer out;
  out.from = &from;
  out.views = reports::operation_views(from);
  for (const operation_view& view : out.views)
    for (const candidate& c : candidates_of(from, view)) out.workloads.push_back(ranked(c, out.by, {}));
  return out;
}

}  // namespace ablate::best

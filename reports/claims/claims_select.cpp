#include "reports/claims/claims_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/record/silent_axes.h"
#include "base/record/specimens.h"
#include "reports/claims/claims_judge.h"
#include "reports/views/case_launches.h"
#include "reports/views/rivals.h"

namespace ablate {
namespace {

using best_of = claim_selection::best_of;

/// A selected case with its figure.
struct candidate {
  const measured_case* of;
  claim_figure figure;
};

bool allows(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

bool agrees(const claim_selection::words_by_name& wanted, const named_words& has) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& named) {
    const std::string* word = find_word(has, named.first);
    return word && allows(named.second, *word);
  });
}

/// Works for measured and unmeasured cases: both kinds of entries say what they are.
template <class Case>
bool is_named(const claim_selection& by, const Case& c) {
  return c.operation == by.operation && allows(by.variants, c.variant) && allows(by.cache, c.cache_state) &&
         agrees(by.axes, c.axes);
}

bool is_selected(const claim_selection& by, const measured_case& c) {
  return is_named(by, c) && agrees(by.switches, c.switches);
}

/// Whether a case has the default of each axis that ids leave out there and the claim does not name.
template <class Case>
bool is_default_elsewhere(const record& facts, const claim_selection& by, const Case& c) {
  return reports::is_default_elsewhere(facts, c, [&](std::string_view axis) {
    return std::any_of(by.axes.begin(), by.axes.end(),
                       [&](const auto& named) { return named.first == axis; });
  });
}

bool lies_in(const claim_bounds& bounds, double value) {
  return !(bounds.at_least && !(value >= *bounds.at_least)) &&
         !(bounds.at_most && !(value <= *bounds.at_most));
}

/// Which clock took a time. The host's also times graphs: launching one is another way to do the same.
std::string_view clock_of(const measured_case& c) {
  const std::string& method = c.time.method;
  return method == "host_clock_graph" ? "host_clock" : std::string_view(method);
}

bool same_workload(const measured_case& a, const measured_case& b) {
  return a.axes == b.axes && a.cache_state == b.cache_state && clock_of(a) == clock_of(b);
}

/// Among candidates that differ only in the variant, the one with the best figure.
std::vector<candidate> best_alone(const std::vector<candidate>& all, best_of best) {
  if (best == best_of::none) return all;
  std::vector<candidate> out;
  for (const candidate& c : all) {
    const auto rival = std::find_if(out.begin(), out.end(),
                                    [&](const candidate& other) { return same_workload(*other.of, *c.of); });
    if (rival == out.end())
      out.push_back(c);
    else if (best == best_of::lowest ? c.figure.value < rival->figure.value
                                     : c.figure.value > rival->figure.value)
      *rival = c;
  }
  return out;
}

/// Whether `other` differs from `c` only in what `by` names; of another operation, in axes that both have.
bool is_counterpart(const measured_case& c, const measured_case& other, const claim_selection& by) {
  if (!is_selected(by, other)) return false;
  const bool is_of_another = other.operation != c.operation;
  if (!is_of_another && by.variants.empty() && by.switches.empty() && other.variant != c.variant)
    return false;
  if (by.cache.empty() && (other.cache_state != c.cache_state || clock_of(other) != clock_of(c)))
    return false;
  return std::all_of(c.axes.begin(), c.axes.end(), [&](const auto& axis) {
    const bool is_free = std::any_of(by.axes.begin(), by.axes.end(),
                                     [&](const auto& named) { return named.first == axis.first; });
    const std::string* word = find_word(other.axes, axis.first);
    return is_free || (word ? *word == axis.second : is_of_another);
  });
}

/// Whether one of the paths begins as one of these.
template <std::size_t count>
bool leads_into(const claim_measure& measure, const std::array<std::string_view, count>& groups) {
  const auto does = [&](const std::string& path) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](std::string_view group) { return path.find(group) != path.npos; });
  };
  return std::any_of(measure.value.begin(), measure.value.end(), does) ||
         std::any_of(measure.per.begin(), measure.per.end(), does);
}

reports::case_launches launches_of(const claim_evidence& evidence) {
  std::vector<const record*> more;
  for (const claim_evidence& launch : evidence.further) more.push_back(&launch.facts);
  return {evidence.facts, more};
}

/// An interval that allows for an effect of so many percent either way.
claim_figure no_surer_than(double pct, claim_figure f) {
  const double one = f.value * (1 + pct / 100), other = f.value / (1 + pct / 100);
  f.low = std::min({f.low, one, other});
  f.high = std::max({f.high, one, other});
  return f;
}

/// Half of the 95 % interval within a launch, in logarithms, as a standard error.
double own_error_of(const claim_figure& f) {
  constexpr double normal_95 = 1.96;
  return std::log(f.high / f.low) / 2 / normal_95;
}

class selector {
 public:
  selector(const claim_quantity& quantity, const claim_evidence& evidence, const claim_limits& limits)
      : quantity_(quantity), evidence_(evidence), limits_(limits), launches_(launches_of(evidence)) {}

  selected_figures figures() {
    const std::vector<candidate> all = selected();
    if (quantity_.counterpart)
      compare(all, counterparts());
    else
      for (const candidate& c : all) out_.pieces.push_back({over_launches(c), {c.of->name}});
    note_unmeasured();
    return std::move(out_);
  }

 private:
  figure_or_reason figure(const claim_measure& measure, std::size_t i) const {
    return figure_of(measure, evidence_.entries[i], evidence_.architecture);
  }

  /// What the quantity is of a case; of the whole where there is a model around it.
  figure_or_reason whole_figure(const nlohmann::ordered_json& entry) const {
    const figure_or_reason layer = figure_of(quantity_.measure, entry, evidence_.architecture);
    const auto* value = std::get_if<claim_figure>(&layer);
    return value && quantity_.model ? composed(*quantity_.model, *value) : layer;
  }
  figure_or_reason whole_figure(std::size_t i) const { return whole_figure(evidence_.entries[i]); }

  /// What a later launch says of a case: its time. It neither counts nor calibrates.
  figure_or_reason figure_in(const reports::launched_case& launched, const measured_case& shown) const {
    nlohmann::ordered_json entry = evidence_.entries[place_of(shown, evidence_)];
    if (launched.launch > 0) {
      const claim_evidence& launch = evidence_.further[launched.launch - 1];
      entry["time_us"] = launch.entries[place_of(*launched.of, launch)].at("time_us");
    }
    return whole_figure(entry);
  }

  static std::size_t place_of(const measured_case& c, const claim_evidence& evidence) {
    return static_cast<std::size_t>(&c - evidence.facts.cases.data());
  }

  /// Whether the measure has a time in it; one that was counted is of the record's first launch alone.
  bool is_of_time() const {
    return leads_into(quantity_.measure, timed_) || leads_into(quantity_.measure, counted_times_);
  }
  bool is_over_launches() const {
    return !evidence_.further.empty() && leads_into(quantity_.measure, timed_) &&
           !leads_into(quantity_.measure, counted_times_);
  }

  /// The figure of several launches, if there are several, and never surer than the smallest effect that
  /// counts.
  claim_figure settled(const measured_case& c, claim_figure within,
                       const std::vector<gate::launched_ratio>& launches) const {
    within.launches = std::max<std::size_t>(1, launches.size());
    if (launches.size() > 1) {
      const gate::launch_ratio over = gate::ratio_over_launches(launches, limits_.confidence);
      within = {std::exp(over.estimate), std::exp(over.low), std::exp(over.high), over.launches};
    }
    return no_surer_than(limits_.least_effect_pct(evidence_.facts, c, within.launches), within);
  }

  claim_figure over_launches(const candidate& c) const {
    if (!is_of_time()) return c.figure;
    std::vector<gate::launched_ratio> launches;
    if (is_over_launches())
      for (const reports::launched_case& launched : launches_.of(*c.of))
        add_launch(launched.gpu, figure_in(launched, *c.of), launches);
    return settled(*c.of, c.figure, launches);
  }

  claim_figure over_launches(const candidate& c, const candidate& with, const claim_figure& within) const {
    std::vector<gate::launched_ratio> launches;
    if (is_over_launches())
      for (const reports::launched_pair& pair : reports::pairs_of(launches_, *c.of, *with.of)) {
        const figure_or_reason one = figure_in({pair.launch, pair.first, pair.gpu}, *c.of),
                               other = figure_in({pair.launch, pair.second, pair.gpu}, *with.of);
        const auto *a = std::get_if<claim_figure>(&one), *b = std::get_if<claim_figure>(&other);
        if (a && b) add_launch(pair.gpu, quotient(*a, *b), launches);
      }
    return settled(*c.of, within, launches);
  }

  void add_launch(std::uint64_t gpu, const figure_or_reason& figure,
                  std::vector<gate::launched_ratio>& to) const {
    const auto* f = std::get_if<claim_figure>(&figure);
    if (f && f->low > 0) to.push_back({gpu, std::log(f->value), own_error_of(*f)});
  }

  /// Whether a case meets the conditions; one that lacks what they need is noted as missing.
  bool applies(std::size_t i) {
    for (const claim_condition& condition : quantity_.where) {
      const figure_or_reason f = figure(condition.measure, i);
      const auto* value = std::get_if<claim_figure>(&f);
      if (!value) note_missing(i, f);
      if (!value || !lies_in(condition.bounds, value->value)) return false;
    }
    return true;
  }

  void note_missing(std::size_t i, const figure_or_reason& reason) {
    out_.missing.emplace_back(evidence_.facts.cases[i].name, std::get<std::string>(reason));
  }

  std::vector<candidate> selected() {
    std::vector<candidate> out;
    for (std::size_t i = 0; i < evidence_.facts.cases.size(); ++i) {
      const measured_case& c = evidence_.facts.cases[i];
      if (!is_selected(quantity_.of, c) || !is_default_elsewhere(evidence_.facts, quantity_.of, c) ||
          !applies(i))
        continue;
      const figure_or_reason f = whole_figure(i);
      if (const auto* value = std::get_if<claim_figure>(&f))
        out.push_back({&c, *value});
      else
        note_missing(i, f);
    }
    out_.cases += out.size();
    return best_alone(out, quantity_.of.best);
  }

  /// What its operation has and that of `c` lacks is at its default, where ids leave it out.
  bool is_default_where_alone(const measured_case& c, const measured_case& other) const {
    return other.operation == c.operation ||
           reports::is_default_elsewhere(evidence_.facts, other, [&](std::string_view axis) {
             const auto& named = quantity_.counterpart->axes;
             return find_word(c.axes, axis) ||
                    std::any_of(named.begin(), named.end(), [&](const auto& n) { return n.first == axis; });
           });
  }

  std::vector<candidate> counterparts() const {
    std::vector<candidate> out;
    for (std::size_t i = 0; i < evidence_.facts.cases.size(); ++i)
      if (is_selected(*quantity_.counterpart, evidence_.facts.cases[i]))
        if (const figure_or_reason f = whole_figure(i); std::holds_alternative<claim_figure>(f))
          out.push_back({&evidence_.facts.cases[i], std::get<claim_figure>(f)});
    return out;
  }

  void note_unmeasured() {
    if (!quantity_.of.switches.empty() || !quantity_.where.empty()) return;
    for (const unmeasured_case& c : evidence_.facts.unmeasured)
      if (is_named(quantity_.of, c) && is_default_elsewhere(evidence_.facts, quantity_.of, c))
        out_.missing.emplace_back(c.name, c.status + ": " + c.reason);
  }

  bool divides() const { return quantity_.compared_by == claim_quantity::comparison::ratio; }

  void compare(const std::vector<candidate>& all, const std::vector<candidate>& with) {
    for (const candidate& c : all) {
      std::vector<candidate> others;
      for (const candidate& other : with)
        if (is_counterpart(*c.of, *other.of, *quantity_.counterpart) &&
            is_default_where_alone(*c.of, *other.of))
          others.push_back(other);
      if (others.empty())
        out_.missing.emplace_back(c.of->name,
                                  fmt::format("no case to {} has a figure at otherwise equal settings",
                                              divides() ? "divide it by" : "subtract from it"));
      out_.cases += others.size();
      for (const candidate& other : best_alone(others, quantity_.counterpart->best)) add(c, other);
    }
  }

  /// Whether the measure is a property of the workload, the same for every variant.
  static bool is_of_work(const std::vector<std::string>& value) {
    return value.size() == 1 && value.front().starts_with("work.");
  }

  /// For times alone, or rates at which the same work was done: the quantities that turns were taken for.
  std::optional<claim_figure> compared_in_turns(const measured_case& c, const measured_case& with) const {
    const claim_measure& of = quantity_.measure;
    const std::vector<std::string> time = {"time_us.median"};
    const bool is_time = of.value == time && of.per.empty(), is_rate = is_of_work(of.value) && of.per == time;
    if (quantity_.model || !divides() || !(is_time || is_rate) || c.operation != with.operation ||
        c.axes != with.axes)
      return std::nullopt;
    // A ratio of rates is the inverse ratio of times.
    const measured_case &one = is_time ? c : with, &other = is_time ? with : c;
    if (const auto ratio = reports::ratio_in_turns(one, other.variant))
      return claim_figure{ratio->ratio, ratio->low, ratio->high};
    if (const auto ratio = reports::ratio_in_turns(other, one.variant))
      return claim_figure{1 / ratio->ratio, 1 / ratio->high, 1 / ratio->low};
    return std::nullopt;
  }

  figure_or_reason compared(const candidate& c, const candidate& with) const {
    if (with.of == c.of) return divides() ? claim_figure{1, 1, 1} : claim_figure{0, 0, 0};
    if (const auto in_turns = compared_in_turns(*c.of, *with.of)) return settled(*c.of, *in_turns, {});
    // Two GPUs of a kind differ in times, and hardly in counts.
    const auto spread = is_of_time() ? spread_between(evidence_.facts, *c.of, *with.of) : std::optional(0.0);
    if (!spread)
      return fmt::format(
          "{} measured it and {} what it is compared with, and no calibration says by how much they differ",
          c.of->specimen, with.of->specimen);
    if (!divides()) {
      const claim_figure one = over_launches(c), other = over_launches(with);
      figure_or_reason out = difference(one, widened(other, *spread));
      if (auto* value = std::get_if<claim_figure>(&out))
        value->launches = std::min(one.launches, other.launches);
      return out;
    }
    const figure_or_reason within = quotient(c.figure, widened(with.figure, *spread));
    const auto* value = std::get_if<claim_figure>(&within);
    if (!value || !is_of_time()) return within;
    return *spread > 0 ? settled(*c.of, *value, {}) : over_launches(c, with, *value);
  }

  /// The interval of a time, or of a rate, that another GPU might have measured.
  static claim_figure widened(const claim_figure& of, double share) {
    return {of.value, of.low / (1 + share), of.high * (1 + share), of.launches};
  }

  void add(const candidate& c, const candidate& with) {
    const figure_or_reason figure = compared(c, with);
    if (const auto* value = std::get_if<claim_figure>(&figure))
      out_.pieces.push_back({*value, {c.of->name, with.of->name}});
    else
      out_.missing.emplace_back(c.of->name, std::get<std::string>(figure));
  }

  static constexpr std::array<std::string_view, 1> timed_ = {"time_us."};
  static constexpr std::array<std::string_view, 2> counted_times_ = {"gpu__time_duration",
                                                                     "sm__cycles_elapsed"};

  const claim_quantity& quantity_;
  const claim_evidence& evidence_;
  const claim_limits& limits_;
  reports::case_launches launches_;
  selected_figures out_;
};

}  // namespace

selected_figures figures_of(const claim_quantity& quantity, const claim_evidence& evidence,
                            const claim_limits& limits) {
  return selector(quantity, evidence, limits).figures();
}

}  // namespace ablate

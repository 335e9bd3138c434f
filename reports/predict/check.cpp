#include "reports/predict/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"

namespace ablate::predict {
namespace {

constexpr double differs = 0.1;
constexpr double same_instructions = 0.01;

using named_errors = std::pair<std::string, std::vector<double>>;

/// Of the record of a chip that is named last, by date.
std::map<std::string, std::pair<const seen_record*, const seen_case*>> latest(
    const std::vector<seen_record>& all, const std::string& chip) {
  std::map<std::string, std::pair<const seen_record*, const seen_case*>> out;
  for (const seen_record& r : all) {
    if (r.chip != chip) continue;
    for (const seen_case& c : r.cases) {
      if (c.is_rival) continue;
      auto& held = out[key_of(c)];
      if (!held.first || std::pair(held.first->date, held.first->folder) < std::pair(r.date, r.folder))
        held = {&r, &c};
    }
  }
  return out;
}

bool have_other_kernels(const seen_case& a, const seen_case& b) {
  return a.counters && b.counters &&
         std::fabs(std::log(a.counters->instructions / b.counters->instructions)) > same_instructions;
}

/// The greatest bound on the work, a launch among them, of each chip by its own ceilings.
double roofline(const compared& c) {
  const auto floor = [](const seen_record& r, const seen_case& of) {
    return std::max(of.floors ? of.floors->of_work() : 0, r.rates.launch_us.value_or(0));
  };
  const double a = floor(*c.from_record, *c.from), b = floor(*c.to_record, *c.to);
  return a > 0 && b > 0 ? std::log(b / a) : 0;
}

/// All of it by the resource with the greatest pressure.
double binding(const compared& c) {
  const auto& p = c.by.pressed.of;
  return c.by.ratios[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())];
}

std::vector<double> of_operation(const std::vector<double>& values,
                                 const std::vector<std::string>& operations, const std::string& operation) {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (operations[i] == operation) out.push_back(values[i]);
  return out;
}

double share(const std::vector<bool>& of) {
  return of.empty()
             ? 0
             : static_cast<double>(std::count(of.begin(), of.end(), true)) / static_cast<double>(of.size());
}

/// Judged cases: the errors of each way (the model last), and the half-width of the model's interval.
struct judged {
  std::vector<std::string> operations;
  std::vector<named_errors> ways;
  std::vector<bool> in_second;  ///< counts for `differing`
  std::vector<double> half;

  std::vector<bool> inside() const {
    std::vector<bool> out;
    for (std::size_t i = 0; i < half.size(); ++i) out.push_back(std::fabs(ways.back().second[i]) <= half[i]);
    return out;
  }
  std::vector<scored_way> scored_ways() const {
    std::vector<scored_way> out;
    for (const auto& [way, all] : ways) {
      std::vector<double> second;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (in_second[i]) second.push_back(all[i]);
      out.push_back({way, errors_of(all), errors_of(second)});
    }
    return out;
  }
  std::vector<scored_operation> scored_operations(std::size_t others) const {
    const std::vector<bool> in = inside();
    std::vector<scored_operation> out;
    for (const std::string& name : std::set<std::string>(operations.begin(), operations.end())) {
      scored_operation one{name, {}, {}, {}, "", 0, 0};
      one.no_change = errors_of(of_operation(ways.front().second, operations, name));
      one.model = errors_of(of_operation(ways.back().second, operations, name));
      for (std::size_t w = 0; w < others; ++w) {
        const errors of = errors_of(of_operation(ways[w].second, operations, name));
        if (one.best_other_way.empty() || of.median < one.best_other.median) {
          one.best_other = of;
          one.best_other_way = ways[w].first;
        }
      }
      std::vector<bool> covered;
      for (std::size_t i = 0; i < in.size(); ++i)
        if (operations[i] == name) covered.push_back(in[i]);
      one.covered = share(covered);
      one.half_width = gate::median(of_operation(half, operations, name));
      out.push_back(one);
    }
    return out;
  }
};

regrets regrets_of(const std::vector<compared>& cases, const std::vector<double>& predicted) {
  std::map<std::string, std::vector<std::size_t>> workloads;
  for (std::size_t i = 0; i < cases.size(); ++i) workloads[workload_of(*cases[i].from)].push_back(i);
  regrets out;
  std::size_t good = 0;
  for (const auto& [name, of] : workloads) {
    if (of.size() < 2) continue;
    const auto by = [&](auto value) {
      return *std::min_element(of.begin(), of.end(),
                               [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    };
    const std::size_t picked = by([&](std::size_t i) { return std::log(cases[i].from->us) + predicted[i]; });
    const std::size_t fastest = by([&](std::size_t i) { return cases[i].to->us; });
    const double regret = cases[picked].to->us / cases[fastest].to->us;
    ++out.workloads;
    if (regret <= 1.03) ++good;
    out.worst = std::max(out.worst, regret);
  }
  if (out.workloads) out.within_3 = static_cast<double>(good) / static_cast<double>(out.workloads);
  return out;
}

transfer with(transfer t, pressures p) {
  t.pressed = p;
  return t;
}

struct chip_cases {
  std::string from, to;
  std::vector<compared> cases;
};

chip_check judge_chips(const chip_cases& of, const check& so_far, const std::vector<held_out_error>& held,
                       const chip_sheets& sheets) {
  judged j;
  j.ways = {{"no change", {}},          {"roofline of the work", {}},   {"ratio of the binding ceiling", {}},
            {"model, data sheets", {}}, {"model without counters", {}}, {"model", {}}};
  std::vector<double> by_model;
  for (const compared& c : of.cases) {
    const double observed = c.by.observed;
    const weights& w = so_far.without.at(c.from->operation);
    const double model = c.by.predicted(w);
    transfer by_sheets = c.by;
    by_sheets.ratios = log_ratios({*sheets(of.from), {}, ""}, {*sheets(of.to), {}, ""});
    by_sheets.launches_us = 0;
    seen_case uncounted = *c.from;
    uncounted.counters.reset();
    const auto by_floors = pressures_of(uncounted, c.from_record->rates);
    const double predictions[] = {0,
                                  roofline(c),
                                  binding(c),
                                  by_sheets.predicted(w),
                                  by_floors ? with(c.by, *by_floors).predicted(w) : 0,
                                  model};
    for (std::size_t i = 0; i < j.ways.size(); ++i) j.ways[i].second.push_back(predictions[i] - observed);
    j.operations.push_back(c.from->operation);
    j.in_second.push_back(std::fabs(observed) > differs);
    j.half.push_back(quantile_of(held, c.from->operation) * scale_of(model));
    by_model.push_back(model);
  }
  constexpr std::size_t others = 3;
  std::vector<bool> narrow;
  for (const double half : j.half) narrow.push_back(half <= widest);
  return {of.from,
          of.to,
          j.scored_ways(),
          j.scored_operations(others),
          share(j.inside()),
          share(narrow),
          regrets_of(of.cases, by_model),
          regrets_of(of.cases, std::vector<double>(of.cases.size(), 0))};
}

/// A size that was measured, from the others of its series.
struct held_out_size {
  sized_time predicted;
  const seen_case* measured;
  double nearest_us, power_us, by_work_us;
};

std::vector<held_out_size> held_out_sizes(const std::vector<seen_record>& records, bool beyond) {
  std::vector<held_out_size> out;
  for (const seen_record& r : records)
    for (const size_series& series : series_in(r, 3)) {
      const std::size_t last = series.cases.size() - 1;
      for (std::size_t i = beyond ? last : 1; i <= (beyond ? last : last - 1); ++i) {
        std::vector<sized_case> others = series.cases;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const sized_case& asked = series.cases[i];
        const auto found = time_at(asked.size, others);
        if (!found || asked.of->is_rival || !asked.of->floors) continue;
        const sized_case &a = beyond ? others[last - 2] : others[i - 1],
                         &b = beyond ? others[last - 1] : others[i];
        const bool nearer_b =
            std::fabs(std::log(asked.size / b.size)) <= std::fabs(std::log(asked.size / a.size));
        const sized_case& near = nearer_b ? b : a;
        const double work = near.of->floors->of_work();
        out.push_back({*found, asked.of, near.of->us, power_law_us(asked.size, a, b),
                       near.of->us * (work > 0 ? asked.of->floors->of_work() / work : 1)});
      }
    }
  return out;
}

std::vector<held_out_error> errors_in(const std::vector<held_out_size>& sizes) {
  std::vector<held_out_error> out;
  for (const held_out_size& s : sizes)
    out.push_back(
        {s.measured->operation, std::log(s.predicted.us / s.measured->us), s.predicted.disagreement});
  return out;
}

size_check judge_sizes(const std::vector<held_out_size>& sizes, bool beyond) {
  const std::vector<held_out_error> held = errors_in(sizes);
  judged j;
  j.ways = {{"nearest size", {}}, {"nearest size by work", {}}, {"power law", {}}, {"line in work", {}}};
  for (const held_out_size& s : sizes) {
    const double t[] = {s.nearest_us, s.by_work_us, s.power_us, s.predicted.us};
    for (std::size_t i = 0; i < j.ways.size(); ++i)
      j.ways[i].second.push_back(std::log(t[i] / s.measured->us));
    j.operations.push_back(s.measured->operation);
    j.half.push_back(quantile_of(held, s.measured->operation) * scale_of(s.predicted.disagreement));
    j.in_second.push_back(j.half.back() <= widest);
  }
  const std::vector<bool> in = j.inside();
  std::vector<bool> in_where_narrow;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (j.in_second[i]) in_where_narrow.push_back(in[i]);
  return {beyond,    j.scored_ways(),    j.scored_operations(3),
          share(in), share(j.in_second), share(in_where_narrow)};
}

std::vector<repeated_check> repeated_in(const std::vector<seen_record>& records) {
  std::map<std::string, std::vector<double>> by_chip;
  std::map<std::string, std::map<std::string, const seen_case*>> seen;
  for (const seen_record& r : records)
    for (const seen_case& c : r.cases) {
      if (c.is_rival) continue;
      auto [found, is_first] = seen[r.chip].try_emplace(key_of(c), &c);
      if (!is_first && !have_other_kernels(*found->second, c))
        by_chip[r.chip].push_back(std::log(c.us / found->second->us));
    }
  std::vector<repeated_check> out;
  for (auto& [chip, ratios] : by_chip) out.push_back({chip, errors_of(std::move(ratios))});
  return out;
}

}  // namespace

errors errors_of(std::vector<double> logarithms) {
  errors out;
  out.cases = logarithms.size();
  if (logarithms.empty()) return out;
  for (double& one : logarithms) one = std::fabs(one);
  out.median = gate::median(logarithms);
  out.p90 = gate::quantile(logarithms, 0.9);
  const auto within = [&](double limit) {
    return static_cast<double>(
               std::count_if(logarithms.begin(), logarithms.end(), [&](double e) { return e <= limit; })) /
           static_cast<double>(logarithms.size());
  };
  out.within_5 = within(0.05);
  out.within_10 = within(0.1);
  out.within_20 = within(0.2);
  return out;
}

std::vector<compared> same_cases(const std::vector<seen_record>& records, const std::string& from,
                                 const std::string& to, const chip_sheets& sheets,
                                 std::size_t& other_kernels) {
  const auto of_to = latest(records, to);
  const auto first = sheets(from), second = sheets(to);
  std::vector<compared> out;
  if (!first || !second) return out;
  for (const auto& [key, a] : latest(records, from)) {
    const auto found = of_to.find(key);
    if (found == of_to.end()) continue;
    const auto& b = found->second;
    const auto pressed = pressures_of(*a.second, a.first->rates);
    if (!pressed || !pressed->counted || !a.first->rates.is_complete() || !b.first->rates.is_complete())
      continue;
    if (have_other_kernels(*a.second, *b.second)) {
      ++other_kernels;
      continue;
    }
    const chip_rates ran_on{*first, a.first->rates, a.first->folder},
        other{*second, b.first->rates, b.first->folder};
    out.push_back(
        {a.first, b.first, a.second, b.second,
         transfer{a.second->operation, *pressed, log_ratios(ran_on, other), a.second->us,
                  longer_launches_us(*a.second, ran_on, other), std::log(b.second->us / a.second->us)}});
  }
  return out;
}

check checked(const std::vector<seen_record>& records, const chip_sheets& sheets) {
  check out;
  std::map<std::string, std::vector<measured_rates>> rates;
  for (const seen_record& r : records) {
    if (r.cases.empty()) continue;
    out.records.push_back(r.folder);
    rates[r.chip].push_back(r.rates);
    for (const seen_case& c : r.cases) {
      std::vector<std::string>& of = out.folders[c.operation];
      if (of.empty() || of.back() != r.folder) of.push_back(r.folder);
    }
  }
  for (const auto& [chip, of] : rates) out.rates[chip] = medians_of(of);

  std::vector<chip_cases> directions;
  std::vector<transfer> all;
  for (const auto& [from, first] : rates)
    for (const auto& [to, second] : rates) {
      if (from == to) continue;
      std::size_t others = 0;
      chip_cases one{from, to, same_cases(records, from, to, sheets, others)};
      if (from < to) out.other_kernels += others;
      if (one.cases.empty()) continue;
      for (const compared& c : one.cases) {
        all.push_back(c.by);
        for (std::size_t i = 0; i < resources; ++i)
          out.most_ratio[i] = std::max(out.most_ratio[i], std::fabs(c.by.ratios[i]));
      }
      directions.push_back(std::move(one));
    }
  if (all.empty()) throw bad_input("predict", "", "expected cases that two chips ran, found none");
  out.fitted = fitted(all);
  std::vector<held_out_error> held;
  for (const transfer& one : all)
    if (!out.without.contains(one.operation)) out.without[one.operation] = fitted(all, one.operation);
  for (const transfer& one : all) {
    const double predicted = one.predicted(out.without.at(one.operation));
    held.push_back({one.operation, predicted - one.observed, predicted});
  }
  out.chip_quantile = quantile_of(held);
  for (const chip_cases& one : directions) out.chips.push_back(judge_chips(one, out, held, sheets));
  for (const bool beyond : {false, true}) {
    const std::vector<held_out_size> sizes = held_out_sizes(records, beyond);
    (beyond ? out.beyond_quantile : out.inside_quantile) = quantile_of(errors_in(sizes));
    (beyond ? out.beyond : out.inside) = judge_sizes(sizes, beyond);
  }
  out.repeated = repeated_in(records);
  return out;
}

}  // namespace ablate::predict

#include "reports/predict/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate::predict {
namespace {

/// Ratios of ceilings that the fit has not seen are extrapolation.
constexpr double beyond_seen = 1.25, beyond_seen_by = 0.05;
/// A resource with less of the time is not asked.
constexpr double some_share = 0.01;

/// Refused if that is too wide to say anything.
prediction around(prediction p, double us, double h) {
  p.us = us;
  p.low_us = us * std::exp(-h);
  p.high_us = us * std::exp(h);
  if (h > widest && p.is_tested) {
    p.refused = fmt::format("its interval would be a factor of {:.1f} to either side", std::exp(h));
    p.us.reset();
  }
  return p;
}

/// The axis, if any, whose size has to be made up; nothing at all if the case does not fit.
struct fit_of_case {
  bool fits = false;
  std::string size_axis;
};

const std::string& value_in(const seen_case& c, const std::string& name) {
  static const std::string none;
  if (name == "cache") return c.cache_state;
  if (name == "variant") return c.variant;
  const std::string* found = find_word(c.axes, name);
  return found ? *found : none;
}

fit_of_case fit(const seen_case& c, const question& asked) {
  fit_of_case out;
  if (c.operation != asked.operation || c.is_rival) return out;
  for (const selection_term& term : asked.terms) {
    const std::string& value = value_in(c, term.name);
    if (is_same_value(value, term.values.front())) continue;
    if (!size_of(value) || !size_of(term.values.front()) || !out.size_axis.empty()) return {};
    out.size_axis = term.name;
  }
  out.fits = true;
  return out;
}

struct candidate {
  const seen_record* record;
  const seen_case* of;
};

std::string group_of(const seen_case& c, const std::string& size_axis) {
  seen_case without = c;
  if (!size_axis.empty())
    std::erase_if(without.axes, [&](const auto& axis) { return axis.first == size_axis; });
  return workload_of(without);
}

const std::string& asked_value(const question& asked, const std::string& name) {
  return std::find_if(asked.terms.begin(), asked.terms.end(), [&](const auto& t) { return t.name == name; })
      ->values.front();
}

double half_width(const prediction& p) { return p.us ? std::log(p.high_us / *p.us) : 1e9; }

/// Of a chip that ran it at other sizes.
std::optional<std::pair<prediction, const seen_case*>> by_size(const seen_record& r,
                                                               const std::vector<sized_case>& cases,
                                                               double size, const model_file& model) {
  const auto found = time_at(size, cases);
  if (!found) return std::nullopt;
  prediction out;
  out.variant = cases.front().of->variant;
  out.folder = r.folder;
  out.chip = r.chip;
  out.on = found->beyond ? basis::beyond_sizes : basis::between_sizes;
  const double h =
      (found->beyond ? model.beyond_quantile : model.inside_quantile) * scale_of(found->disagreement);
  const auto nearest =
      std::min_element(cases.begin(), cases.end(), [&](const sized_case& a, const sized_case& b) {
        return std::fabs(std::log(a.size / size)) < std::fabs(std::log(b.size / size));
      });
  return std::pair(around(out, found->us, h), nearest->of);
}

basis with_transfer(basis of) {
  switch (of) {
    case basis::between_sizes:
      return basis::other_chip_between_sizes;
    case basis::beyond_sizes:
      return basis::other_chip_beyond_sizes;
    default:
      return basis::other_chip;
  }
}

/// All that the records of one folder say of one variant.
std::optional<prediction> from_record(const seen_record& r, const std::vector<candidate>& cases,
                                      const question& asked, const std::string& size_axis,
                                      const model_file& model, const chip_sheets& sheets) {
  const bool is_there = r.chip == asked.on.rates.sheet.chip;
  prediction out;
  const seen_case* nearest = cases.front().of;
  double h = 0;
  if (size_axis.empty()) {
    out.variant = nearest->variant;
    out.folder = r.folder;
    out.chip = r.chip;
    out.us = nearest->us;
    out.low_us = nearest->low_us;
    out.high_us = nearest->high_us;
  } else {
    std::vector<sized_case> sized;
    for (const candidate& c : cases) {
      const double size = *size_of(value_in(*c.of, size_axis));
      if (std::none_of(sized.begin(), sized.end(), [&](const sized_case& s) { return s.size == size; }))
        sized.push_back({size, c.of});
    }
    std::sort(sized.begin(), sized.end(),
              [](const sized_case& a, const sized_case& b) { return a.size < b.size; });
    auto found = by_size(r, sized, *size_of(asked_value(asked, size_axis)), model);
    if (!found) return std::nullopt;
    std::tie(out, nearest) = *found;
    if (!out.us) return out;
    h = half_width(out);
  }
  if (is_there) return out;
  prediction there = transferred(r, *nearest, *out.us, h, asked.on, model, sheets);
  there.on = with_transfer(out.on);
  return there;
}

/// Predictions of one variant: a measured one before others, else the surest.
bool is_better(const prediction& a, const prediction& b) {
  if (a.us.has_value() != b.us.has_value()) return a.us.has_value();
  if ((a.on == basis::measured) != (b.on == basis::measured)) return a.on == basis::measured;
  if (a.is_tested != b.is_tested) return a.is_tested;
  return half_width(a) < half_width(b);
}

[[noreturn]] void refuse(const question& asked, const std::vector<seen_record>& records) {
  std::set<std::string> operations;
  for (const seen_record& r : records)
    for (const seen_case& c : r.cases) operations.insert(c.operation);
  if (!operations.contains(asked.operation))
    throw bad_input("predict", "",
                    no_such("measured operation", asked.operation, {operations.begin(), operations.end()}));
  // Which word is it that no case has, nor a size beside it?
  for (const selection_term& term : asked.terms) {
    std::set<std::string> values;
    bool is_size = size_of(term.values.front()).has_value(), has_sizes = false;
    for (const seen_record& r : records)
      for (const seen_case& c : r.cases)
        if (c.operation == asked.operation && !value_in(c, term.name).empty()) {
          values.insert(value_in(c, term.name));
          has_sizes = has_sizes || size_of(value_in(c, term.name)).has_value();
        }
    if (values.empty())
      throw bad_input("--axes", "", fmt::format("no case of {} has '{}'", asked.operation, term.name));
    if (!(is_size && has_sizes) && !values.contains(term.values.front()))
      throw bad_input("--axes", "", no_such(term.name, term.values.front(), {values.begin(), values.end()}));
  }
  throw bad_input(
      "--axes", "",
      "no chip ran these values together, nor all but one size of them; an input that was never measured is "
      "not predicted");
}

}  // namespace

prediction transferred(const seen_record& r, const seen_case& c, double us, double how_sure, const target& to,
                       const model_file& model, const chip_sheets& sheets) {
  prediction out;
  out.variant = c.variant;
  out.on = basis::other_chip;
  out.folder = r.folder;
  out.chip = r.chip;
  const chip_sheet& there = to.rates.sheet;
  if (std::find(c.runs_on.begin(), c.runs_on.end(), there.architecture) == c.runs_on.end()) {
    out.refused =
        fmt::format("the record has no machine code of it for {} ({})", there.chip, there.architecture);
    return out;
  }
  const auto here = sheets(r.chip);
  const auto known = model.rates.find(r.chip);
  if (!here || known == model.rates.end()) {
    out.refused = fmt::format("nothing is known of {}", r.chip.empty() ? "its chip" : r.chip);
    return out;
  }
  const chip_rates ran_on{*here, with_missing_of(r.rates, known->second), r.folder};
  const auto pressed = pressures_of(c, *ran_on.measured);
  if (!pressed) {
    out.refused = "neither counters nor a floor say what bounds it";
    return out;
  }
  const transfer by{
      c.operation, *pressed, log_ratios(ran_on, to.rates), c.us, longer_launches_us(c, ran_on, to.rates), 0};
  out.shares = shares_of(*pressed, model.by);
  double least = by.ratios.back(), most = least;
  for (std::size_t i = 0; i < resources; ++i) {
    if (pressed->of[i] > some_share) {
      least = std::min(least, by.ratios[i]);
      most = std::max(most, by.ratios[i]);
    }
    if (out.shares[i] > some_share &&
        std::fabs(by.ratios[i]) > beyond_seen * model.most_ratio[i] + beyond_seen_by)
      out.is_tested = false;
  }
  const double moved = by.predicted(model.by);
  const double there_us = us * std::exp(moved);
  // Intervals were tested with counters and measured ceilings.
  if (!pressed->counted || to.by_data_sheet()) out.is_tested = false;
  if (out.is_tested) return around(out, there_us, how_sure + model.chip_quantile * scale_of(moved));
  // Each part of the time may go as the slowest, or the fastest, of what the case uses at all.
  out.us = there_us;
  const double h = how_sure + model.chip_quantile * scale_of(0);
  out.low_us = std::min(us * std::exp(least), there_us) * std::exp(-h);
  out.high_us = std::max(us * std::exp(most), there_us) * std::exp(h);
  return out;
}

answer answered(const question& asked, const std::vector<seen_record>& records, const model_file& model,
                const chip_sheets& sheets) {
  const std::string& chip = asked.on.rates.sheet.chip;
  std::vector<candidate> exact, sized;
  std::string size_axis;
  for (const seen_record& r : records) {
    if (asked.ignore_measured && r.chip == chip) continue;
    for (const seen_case& c : r.cases) {
      const fit_of_case of = fit(c, asked);
      if (!of.fits) continue;
      if (of.size_axis.empty()) {
        exact.push_back({&r, &c});
      } else if (size_axis.empty() || size_axis == of.size_axis) {
        size_axis = of.size_axis;
        sized.push_back({&r, &c});
      }
    }
  }
  if (!exact.empty()) size_axis.clear();
  const std::vector<candidate>& fitting = exact.empty() ? sized : exact;
  if (fitting.empty()) refuse(asked, records);

  // By workload, without the size; then by variant; then by record.
  std::map<std::string, std::map<std::string, std::map<const seen_record*, std::vector<candidate>>>>
      workloads;
  for (const candidate& c : fitting)
    workloads[group_of(*c.of, size_axis)][c.of->variant][c.record].push_back(c);
  const auto most = std::max_element(workloads.begin(), workloads.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });

  answer out{asked, {}, "", "", {}, workloads.size() - 1, size_axis};
  const seen_case& like = *most->second.begin()->second.begin()->second.front().of;
  out.axes = like.axes;
  out.cache_state = like.cache_state;
  out.method = like.method;
  for (auto& [axis, value] : out.axes)
    if (axis == size_axis) value = asked_value(asked, axis);
  for (const auto& [variant, by_record] : most->second) {
    std::optional<prediction> best;
    for (const auto& [r, cases] : by_record) {
      auto found = from_record(*r, cases, asked, size_axis, model, sheets);
      if (found && (!best || is_better(*found, *best))) best = std::move(found);
    }
    if (!best) {
      best.emplace();
      best->variant = variant;
      best->refused = "it was measured at no two sizes near enough";
    }
    out.ranked.push_back(std::move(*best));
  }
  std::stable_sort(out.ranked.begin(), out.ranked.end(), [](const prediction& a, const prediction& b) {
    if (a.us.has_value() != b.us.has_value()) return a.us.has_value();
    return a.us && *a.us < *b.us;
  });
  return out;
}

}  // namespace ablate::predict

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/predict/answer.h"

namespace ablate::predict {
namespace {

using nlohmann::ordered_json;

const char* name_of(basis on) {
  switch (on) {
    case basis::measured:
      return "measured";
    case basis::between_sizes:
      return "between sizes";
    case basis::beyond_sizes:
      return "beyond sizes";
    case basis::other_chip:
      return "other chip";
    case basis::other_chip_between_sizes:
      return "other chip, between sizes";
    case basis::other_chip_beyond_sizes:
      return "other chip, beyond sizes";
  }
  return "";
}

std::string interval_text(const prediction& p) {
  return fmt::format("{} to {}", reports::significant(p.low_us), reports::significant(p.high_us));
}

/// "62 % memory, 30 % waits"
std::string shares_text(const prediction& p) {
  by_resource<std::size_t> order;
  for (std::size_t i = 0; i < resources; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p.shares[a] > p.shares[b]; });
  std::string out;
  for (std::size_t k = 0; k < 2; ++k)
    if (const double share = p.shares[order[k]]; share >= 0.05)
      out += fmt::format("{}{:.0f} % {}", out.empty() ? "" : ", ", 100 * share,
                         predict::name_of(static_cast<resource>(order[k])));
  return out;
}

std::string axes_text(const answer& of) {
  std::vector<std::string> words;
  for (const auto& [axis, value] : of.axes) words.push_back(axis + "=" + value);
  return reports::joined(words, " ") + " " + of.cache_state;
}

}  // namespace

std::string basis_text(const prediction& p) {
  switch (p.on) {
    case basis::measured:
      return fmt::format("measured ({})", p.folder);
    case basis::between_sizes:
      return fmt::format("interpolated in size ({})", p.folder);
    case basis::beyond_sizes:
      return fmt::format("extrapolated in size ({})", p.folder);
    case basis::other_chip:
      return fmt::format("transferred from {} ({})", p.chip, p.folder);
    case basis::other_chip_between_sizes:
      return fmt::format("interpolated in size, transferred from {} ({})", p.chip, p.folder);
    case basis::other_chip_beyond_sizes:
      return fmt::format("extrapolated in size, transferred from {} ({})", p.chip, p.folder);
  }
  return "";
}

std::string answer_text(const answer& of, const reports::terminal& on) {
  using reports::ink;
  const chip_rates& to = of.asked.on.rates;
  std::string out =
      reports::wrapped(fmt::format("{} on {}: {}", of.asked.operation, to.sheet.chip, axes_text(of)), on);
  std::vector<std::vector<reports::terminal_cell>> rows = {{{"", ink::strong},
                                                            {"VARIANT", ink::strong},
                                                            {"TIME us", ink::strong},
                                                            {"90 % INTERVAL", ink::strong},
                                                            {"FROM", ink::strong},
                                                            {"BOUND BY", ink::strong}}};
  std::size_t rank = 0;
  bool any_untested = false, any_predicted = false;
  for (const prediction& p : of.ranked) {
    if (!p.us) continue;
    const bool is_measured = p.on == basis::measured;
    any_untested = any_untested || !p.is_tested;
    any_predicted = any_predicted || !is_measured;
    rows.push_back({{fmt::format("{}", ++rank)},
                    {p.variant},
                    {(is_measured ? "" : "~ ") + reports::significant(*p.us)},
                    {interval_text(p) + (p.is_tested ? "" : " ?")},
                    {basis_text(p)},
                    {shares_text(p)}});
  }
  if (rank > 0) out += "\n" + reports::laid_out(rows, {.right = {0, 2}, .wrap = {4, 5}}, on);
  for (const prediction& p : of.ranked)
    if (!p.us) out += reports::wrapped(fmt::format("{}: refused, {}", p.variant, p.refused), on, "  ");
  std::string notes;
  if (any_predicted) notes += "~ was predicted, not measured; of a measured time the interval is 95 %. ";
  if (any_untested)
    notes += fmt::format(
        "? no interval of this kind was ever held against a measurement: it spans all ratios of what the case uses"
        "{}. ",
        of.asked.on.by_data_sheet() ? ", by data sheets" : "");
  if (!of.size_axis.empty()) notes += fmt::format("This value of {} was measured nowhere. ", of.size_axis);
  if (of.other_workloads > 0)
    notes += fmt::format("{} further workload{} fit{}; name more axes for one of them. ", of.other_workloads,
                         of.other_workloads == 1 ? "" : "s", of.other_workloads == 1 ? "s" : "");
  notes += fmt::format("Ceilings of {}: {}.", to.sheet.chip, to.from);
  return out + "\n" + reports::wrapped(notes, on);
}

ordered_json answer_json(const answer& of) {
  ordered_json axes = ordered_json::object(), variants = ordered_json::array();
  for (const auto& [axis, value] : of.axes) axes[axis] = value;
  for (const prediction& p : of.ranked) {
    ordered_json shares = ordered_json::object();
    if (p.us && p.on >= basis::other_chip)
      for (std::size_t i = 0; i < resources; ++i)
        shares[predict::name_of(static_cast<resource>(i))] = std::round(1000 * p.shares[i]) / 1000;
    variants.push_back({{"variant", p.variant},
                        {"is_predicted", p.on != basis::measured},
                        {"us", reports::or_null(p.us)},
                        {"low_us", p.us ? ordered_json(p.low_us) : ordered_json()},
                        {"high_us", p.us ? ordered_json(p.high_us) : ordered_json()},
                        {"interval_is_tested", p.is_tested},
                        {"basis", name_of(p.on)},
                        {"record", p.folder},
                        {"chip", p.chip},
                        {"shares", std::move(shares)},
                        {"refused", p.us ? ordered_json() : ordered_json(p.refused)}});
  }
  return {{"predict_schema", "1.0.0"},
          {"operation", of.asked.operation},
          {"chip", of.asked.on.rates.sheet.chip},
          {"ceilings", of.asked.on.rates.from},
          {"axes", std::move(axes)},
          {"cache_state", of.cache_state},
          {"size_axis", of.size_axis.empty() ? ordered_json() : ordered_json(of.size_axis)},
          {"other_workloads", of.other_workloads},
          {"variants", std::move(variants)}};
}

}  // namespace ablate::predict

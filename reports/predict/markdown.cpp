#include <fmt/format.h>

#include <cmath>

#include "base/text/text.h"
#include "reports/predict/check.h"

namespace ablate::predict {
namespace {

std::string percent(double of) { return fmt::format("{:.1f}", 100 * of); }
std::string share_text(double of) { return fmt::format("{:.0f}", 100 * of); }

std::string ways_table(const std::vector<scored_way>& ways) {
  std::string out = reports::table_header({"way", "cases", "median %", "90th percentile %", "≤ 5 %", "≤ 10 %",
                                           "≤ 20 %", "cases that differ", "median %", "90th percentile %"},
                                          1);
  for (const scored_way& one : ways)
    out += reports::table_row(
        {one.way, fmt::format("{}", one.all.cases), percent(one.all.median), percent(one.all.p90),
         share_text(one.all.within_5), share_text(one.all.within_10), share_text(one.all.within_20),
         fmt::format("{}", one.differing.cases), percent(one.differing.median), percent(one.differing.p90)});
  return out;
}

std::string operations_table(const std::vector<scored_operation>& operations, const std::string& first) {
  std::string out = reports::table_header(
      {"operation, left out of the fit", "cases", first + ": median %", "90th %", "best other way",
       "median %", "model: median %", "90th %", "inside of the interval %", "half-width %"},
      1);
  for (const scored_operation& one : operations)
    out +=
        reports::table_row({one.operation, fmt::format("{}", one.model.cases), percent(one.no_change.median),
                            percent(one.no_change.p90), one.best_other_way, percent(one.best_other.median),
                            percent(one.model.median), percent(one.model.p90), share_text(one.covered),
                            percent(std::exp(one.half_width) - 1)});
  return out;
}

std::string sizes_text(const size_check& of, const std::string& title) {
  return fmt::format(
      "\n## {}\n\nIntervals hold {} % of the cases; {} % are narrow enough to answer, and hold {} % of those. \"Cases that "
      "differ\" are these.\n\n{}\n{}",
      title, percent(of.covered), percent(of.narrow), percent(of.covered_where_narrow), ways_table(of.ways),
      operations_table(of.operations, "nearest size"));
}

}  // namespace

std::string check_markdown(const check& of) {
  std::string out = fmt::format(
      "# Predictions held against measurements\n\nMade by `ablate dev predict-check --out results` from {} records. Errors are "
      "|ln(predicted / measured)|. Each operation is predicted by a model that was fitted without it.\n\n"
      "All operations give κ = {:.3f}, a = {:.2f}, b = {:.2f}. Intervals: q = {:.2f} to another chip, {:.2f} between sizes, "
      "{:.2f} beyond them. {} cases are left out, whose kernels execute other instructions on the two chips.\n",
      of.records.size(), of.fitted.kappa, of.fitted.tensor, of.fitted.issue, of.chip_quantile,
      of.inside_quantile, of.beyond_quantile, of.other_kernels);
  out += "\n## What two records of one chip differ by\n\n" +
         reports::table_header({"chip", "cases", "median %", "90th percentile %"}, 1);
  for (const repeated_check& one : of.repeated)
    out += reports::table_row({one.chip, fmt::format("{}", one.between.cases), percent(one.between.median),
                               percent(one.between.p90)});
  for (const chip_check& one : of.chips) {
    out += fmt::format(
        "\n## From {} to {}\n\nIntervals hold {} % of the cases; {} % are narrow enough to answer. \"Cases that differ\" are "
        "those by more than 10 %.\n\n{}\n",
        one.from, one.to, percent(one.covered), percent(one.narrow), ways_table(one.ways));
    out += fmt::format(
        "The variant that is predicted to be the fastest is within 3 % of the fastest in {} % of {} workloads, at worst "
        "{:.3f}× (no change: {} %, {:.3f}×).\n\n{}",
        percent(one.by_model.within_3), one.by_model.workloads, one.by_model.worst,
        percent(one.by_no_change.within_3), one.by_no_change.worst,
        operations_table(one.operations, "no change"));
  }
  out += sizes_text(of.inside, "Between sizes, the one in the middle left out");
  out += sizes_text(of.beyond, "Beyond sizes, the largest left out");
  return out;
}

}  // namespace ablate::predict

#include "reports/claims/claims_judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/todays_names.h"
#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "reports/claims/claims_select.h"
#include "reports/views/case_launches.h"

namespace ablate {
namespace {

using aggregation = claim_quantity::aggregation;
using piece = claim_result::piece;

claim_place place_in(const claim_bounds& bounds, const claim_figure& f) {
  if ((bounds.at_least && f.high < *bounds.at_least) || (bounds.at_most && f.low > *bounds.at_most))
    return claim_place::outside;
  const bool inside =
      (!bounds.at_least || f.low >= *bounds.at_least) && (!bounds.at_most || f.high <= *bounds.at_most);
  return inside ? claim_place::inside : claim_place::straddles;
}

/// Of the figures with a time.
std::size_t fewest_launches(const std::vector<claim_figure>& figures) {
  std::size_t out = 0;
  for (const claim_figure& f : figures)
    if (f.launches > 0) out = out == 0 ? f.launches : std::min(out, f.launches);
  return out;
}

template <class Pick>
claim_figure by_ends(const std::vector<claim_figure>& figures, Pick pick) {
  std::vector<double> values, lows, highs;
  for (const claim_figure& f : figures) {
    values.push_back(f.value);
    lows.push_back(f.low);
    highs.push_back(f.high);
  }
  return {pick(values), pick(lows), pick(highs), fewest_launches(figures)};
}

double smallest(const std::vector<double>& of) { return *std::min_element(of.begin(), of.end()); }
double largest(const std::vector<double>& of) { return *std::max_element(of.begin(), of.end()); }

/// How many figures are within: at least those whose whole interval is, at most those whose interval may be.
claim_figure counted(const std::vector<claim_figure>& figures, const claim_bounds& within) {
  claim_figure out{0, 0, 0, fewest_launches(figures)};
  for (const claim_figure& f : figures) {
    const claim_place whole = place_in(within, f);
    out.value += place_in(within, {f.value, f.value, f.value}) == claim_place::inside;
    out.low += whole == claim_place::inside;
    out.high += whole != claim_place::outside;
  }
  return out;
}

std::vector<claim_figure> figures_alone(const std::vector<piece>& pieces) {
  std::vector<claim_figure> out;
  for (const piece& p : pieces) out.push_back(p.figure);
  return out;
}

std::vector<piece> one_for_all(const std::vector<piece>& pieces, const claim_quantity& quantity) {
  piece out{aggregate(figures_alone(pieces), quantity), {}, claim_place::straddles};
  for (const piece& p : pieces)
    for (const std::string& id : p.cases)
      if (std::find(out.cases.begin(), out.cases.end(), id) == out.cases.end()) out.cases.push_back(id);
  return {out};
}

struct judgement {
  claim_verdict verdict;
  std::string why;
};

judgement judgement_of(const std::vector<piece>& pieces, const claim_bounds& bounds,
                       const std::optional<double>& holds_for) {
  std::size_t inside = 0, outside = 0;
  for (const piece& p : pieces) {
    const claim_place place = place_in(bounds, p.figure);
    inside += place == claim_place::inside;
    outside += place == claim_place::outside;
  }
  const std::size_t all = pieces.size(), straddling = all - inside - outside;
  const std::string counts =
      fmt::format("{} of {} within", inside, all) + (outside ? fmt::format(", {} outside", outside) : "") +
      (straddling ? fmt::format(", {} with an interval across the bound", straddling) : "");
  const double needed =
      holds_for ? std::max(*holds_for * static_cast<double>(all), 1.0) : static_cast<double>(all);
  if (static_cast<double>(inside) >= needed) return {claim_verdict::reproduced, counts};
  const bool cannot_hold = static_cast<double>(inside + straddling) < needed;
  if (holds_for ? cannot_hold : outside == all) return {claim_verdict::refuted, counts};
  return {claim_verdict::inconclusive,
          counts + (inside && outside ? "; the statement does not say where it holds" : "")};
}

std::string why_no_figure(const claim_quantity& quantity, const selected_figures& found) {
  if (!found.missing.empty()) {
    const std::size_t others = found.missing.size() - 1;
    return found.missing.front().second + (others ? fmt::format(" (and {} more)", others) : "");
  }
  return fmt::format("there is no case of '{}' that the claim selects", quantity.of.operation);
}

/// Adds to each kernel of the entries what the record holds about its compilation.
void add_compiled(nlohmann::ordered_json& entries, const nlohmann::ordered_json& facts) {
  const nlohmann::ordered_json& builds = facts.at("kernels");
  for (auto& entry : entries)
    for (auto& kernel : entry["kernels"])
      if (const auto build = builds.find(kernel["name"].get<std::string>()); build != builds.end())
        kernel["compiled"] = *build;
}

}  // namespace

std::string_view name_of(claim_verdict verdict) {
  switch (verdict) {
    case claim_verdict::reproduced:
      return "reproduced";
    case claim_verdict::refuted:
      return "refuted";
    case claim_verdict::inconclusive:
      return "inconclusive";
    case claim_verdict::not_measured:
      break;
  }
  return "not measured";
}

std::string launches_text(std::size_t launches) {
  return launches == 1 ? "one launch" : fmt::format("{} launches", launches);
}

std::string_view name_of(claim_place place) {
  switch (place) {
    case claim_place::inside:
      return "inside";
    case claim_place::outside:
      return "outside";
    case claim_place::straddles:
      break;
  }
  return "straddles";
}

claim_figure aggregate(const std::vector<claim_figure>& figures, const claim_quantity& quantity) {
  switch (quantity.aggregate) {
    case aggregation::smallest:
      return by_ends(figures, smallest);
    case aggregation::largest:
      return by_ends(figures, largest);
    case aggregation::count:
      return counted(figures, quantity.within);
    case aggregation::share: {
      const claim_figure count = counted(figures, quantity.within);
      const auto all = static_cast<double>(figures.size());
      return {count.value / all, count.low / all, count.high / all, count.launches};
    }
    case aggregation::each:
    case aggregation::median:
      break;
  }
  return by_ends(figures, gate::median);
}

namespace {

claim_evidence evidence_of(record read) {
  const std::filesystem::path path = read.path;
  claim_evidence out{std::move(read), {}, "", "", {}};
  nlohmann::ordered_json json = parse_todays_record(path);
  out.entries = std::move(json["benchmarks"]);
  add_compiled(out.entries, json["context"]["ablate"]);
  const auto word = [&](const char* key, const std::string& otherwise) {
    const auto found = out.facts.device.find(key);
    return found != out.facts.device.end() && found->is_string() ? found->get<std::string>() : otherwise;
  };
  out.chip = word("chip", out.facts.device_name);
  out.architecture = word("architecture", "unknown");
  return out;
}

}  // namespace

claim_evidence read_claim_evidence(const std::filesystem::path& path,
                                   const std::vector<std::filesystem::path>& further) {
  claim_evidence out = evidence_of(read_checked_record(path));
  for (const std::filesystem::path& launch : further) {
    out.further.push_back(evidence_of(read_record(launch)));
    reports::expect_launch_of(out.facts, out.further.back().facts);
  }
  return out;
}

claim_result judge(const claim& c, const claim_evidence& evidence, const claim_limits& limits) {
  claim_result out;
  if (c.waits_for) {
    out.why =
        fmt::format("waits for {}operation {}", c.waits_for->lacks.empty() ? "" : c.waits_for->lacks + " of ",
                    c.waits_for->operation);
    return out;
  }
  selected_figures found = figures_of(*c.quantity, evidence, limits);
  for (selected_figures::piece& p : found.pieces)
    out.pieces.push_back({p.figure, std::move(p.cases), claim_place::straddles});
  out.missing = found.missing;
  out.workloads = found.pieces.size();
  out.cases = found.cases;
  if (out.pieces.empty()) {
    out.why = why_no_figure(*c.quantity, found);
    return out;
  }
  if (c.quantity->aggregate != aggregation::each) out.pieces = one_for_all(out.pieces, *c.quantity);
  for (piece& p : out.pieces) p.place = place_in(*c.expectation, p.figure);
  const std::vector<claim_figure> figures = figures_alone(out.pieces);
  out.launches = fewest_launches(figures);
  const claim_figure typical = by_ends(figures, gate::median), low = by_ends(figures, smallest),
                     high = by_ends(figures, largest);
  out.figure = {typical.value, low.low, high.high, out.launches};

  const bool is_elsewhere = !c.chip.empty() && c.chip != evidence.chip;
  if (is_elsewhere && !c.quantity->unit.empty()) {
    out.why = fmt::format("the claim is about {} in {}; on {} only ratios can be judged", c.chip,
                          c.quantity->unit, evidence.chip);
    return out;
  }
  const judgement found_so = judgement_of(out.pieces, *c.expectation, c.holds_for);
  out.verdict = found_so.verdict;
  out.why = found_so.why;
  if (out.launches > 0) out.why += "; " + launches_text(out.launches);
  if (!out.missing.empty()) out.why += fmt::format("; without a figure: {}", out.missing.size());
  if (is_elsewhere) out.why += fmt::format("; about {}, judged by ratio only", c.chip);
  if (c.prediction) out.prediction = judgement_of(out.pieces, *c.prediction, c.holds_for).verdict;
  return out;
}

}  // namespace ablate

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "reports/fleet/fleet.h"

namespace ablate::fleet {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t digits_of_a_uuid = 8;

/// GPU-59e1ec54-... is 59e1ec54.
std::string short_name(std::string specimen) {
  if (specimen.starts_with("GPU-")) specimen = specimen.substr(4, digits_of_a_uuid);
  return specimen;
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string headline(const product& p) {
  std::string out = fmt::format("{}: {}, {}", p.name, counted(p.us.size(), "specimen", "specimens"),
                                counted(p.kinds.size(), "kind", "kinds"));
  for (const division& d : p.divisions)
    out += fmt::format("{}{} ({:.1f} % apart, {:.2f} % inside)", &d == &p.divisions.front() ? " by " : ", ",
                       d.calibration, d.gap_pct, d.spread_pct);
  return out;
}

std::string outlier_line(const outlier& o) {
  return fmt::format("{} is {:+.1f} % from its kind's median in {} (beyond {:.1f} %)", o.specimen,
                     o.deviation_pct, o.calibration, o.limit_pct);
}

/// The calibration in which the specimen is farthest from its kind.
std::pair<std::string, double> farthest(const product& p, const std::string& specimen) {
  std::pair<std::string, double> out;
  for (const std::string& calibration : p.calibrations)
    if (const auto d = p.deviation_pct(specimen, calibration); d && std::fabs(*d) >= std::fabs(out.second))
      out = {calibration, *d};
  return out;
}

}  // namespace

ordered_json fleet_json(const std::vector<product>& products) {
  ordered_json out = ordered_json::array();
  for (const product& p : products) {
    ordered_json kinds = ordered_json::array(), specimens = ordered_json::array(),
                 divisions = ordered_json::array(), outliers = ordered_json::array();
    for (const division& d : p.divisions)
      divisions.push_back(
          {{"calibration", d.calibration}, {"gap_pct", d.gap_pct}, {"spread_pct", d.spread_pct}});
    for (const kind& k : p.kinds)
      kinds.push_back({{"kind", k.name}, {"specimens", k.specimens}, {"median_us", k.median_us}});
    for (const auto& [specimen, us] : p.us) {
      ordered_json deviations = ordered_json::object();
      for (const std::string& calibration : p.calibrations)
        if (const auto d = p.deviation_pct(specimen, calibration)) deviations[calibration] = *d;
      specimens.push_back({{"specimen", specimen},
                           {"kind", p.kind_of(specimen).name},
                           {"runs", p.runs.at(specimen)},
                           {"us", us},
                           {"deviation_pct", std::move(deviations)}});
    }
    for (const outlier& o : p.outliers)
      outliers.push_back({{"specimen", o.specimen},
                          {"calibration", o.calibration},
                          {"deviation_pct", o.deviation_pct},
                          {"limit_pct", o.limit_pct}});
    out.push_back({{"product", p.name},
                   {"divisions", std::move(divisions)},
                   {"kinds", std::move(kinds)},
                   {"specimens", std::move(specimens)},
                   {"outliers", std::move(outliers)}});
  }
  return {{"products", std::move(out)}};
}

std::string fleet_markdown(const std::vector<product>& products) {
  std::string out;
  for (const product& p : products) {
    out += fmt::format("## {}\n\n{}. In percent of the kind's median; + is slower.\n\n", p.name, headline(p));
    std::vector<std::string> header = {"calibration"};
    for (const kind& k : p.kinds) {
      header.push_back(fmt::format("{} (us)", k.name));
      for (const std::string& specimen : k.specimens)
        header.push_back(fmt::format("{} {}", k.name, short_name(specimen)));
    }
    out += reports::table_header(header, 1);
    for (const std::string& calibration : p.calibrations) {
      std::vector<std::string> cells = {calibration};
      for (const kind& k : p.kinds) {
        const auto median = k.median_us.find(calibration);
        cells.push_back(median == k.median_us.end() ? "" : reports::significant(median->second));
        for (const std::string& specimen : k.specimens) {
          const auto d = p.deviation_pct(specimen, calibration);
          const bool is_out = std::any_of(p.outliers.begin(), p.outliers.end(), [&](const outlier& o) {
            return o.specimen == specimen && o.calibration == calibration;
          });
          const std::string text = d ? fmt::format("{:+.1f}", *d) : "";
          cells.push_back(is_out ? "**" + text + "**" : text);
        }
      }
      out += reports::table_row(cells);
    }
    out += "\n";
    for (const outlier& o : p.outliers) out += "- " + outlier_line(o) + "\n";
    if (!p.outliers.empty()) out += "\n";
  }
  return out;
}

std::string fleet_text(const std::vector<product>& products, const reports::terminal& on) {
  std::string out;
  for (const product& p : products) {
    out += reports::wrapped(headline(p), on, "  ") + "\n";
    std::vector<std::vector<reports::terminal_cell>> rows = {
        {{"kind"}, {"specimen"}, {"runs"}, {"farthest from its kind in"}, {"%"}}};
    for (const kind& k : p.kinds)
      for (const std::string& specimen : k.specimens) {
        const auto& [calibration, deviation] = farthest(p, specimen);
        const bool is_out = std::any_of(p.outliers.begin(), p.outliers.end(),
                                        [&](const outlier& o) { return o.specimen == specimen; });
        rows.push_back(
            {{k.name},
             {specimen},
             {fmt::format("{}", p.runs.at(specimen))},
             {calibration},
             {fmt::format("{:+.1f}", deviation), is_out ? reports::ink::doubtful : reports::ink::plain}});
      }
    out += reports::laid_out(rows, {.right = {2, 4}, .wrap = {3}, .indent = "  "}, on);
    for (const outlier& o : p.outliers) out += "  " + outlier_line(o) + "\n";
  }
  return out;
}

}  // namespace ablate::fleet

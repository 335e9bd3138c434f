#include "reports/fleet/across.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/record/facts.h"
#include "base/record/identity.h"
#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "reports/fleet/fleet.h"

namespace ablate::fleet {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* across_schema = "1.0.0";
constexpr double floor_quantile = 0.99;

double to_pct(double log_ratio) { return 100 * std::expm1(log_ratio); }

/// The kinds of the specimens, by fingerprint and specimen; a lone kind has no name.
class kinds_by_device {
 public:
  explicit kinds_by_device(const std::vector<record>& records) {
    std::vector<specimen_run> runs;
    for (const record& r : records)
      for (specimen_run& run : runs_of(r)) {
        run.product = history::device_fingerprint(r);
        runs.push_back(std::move(run));
      }
    for (product& p : fleet_of(runs)) {
      const std::string name = p.name;
      by_fingerprint_.emplace(name, std::move(p));
    }
  }
  std::string of(const std::string& fingerprint, const std::string& specimen) const {
    const auto found = by_fingerprint_.find(fingerprint);
    if (found == by_fingerprint_.end() || !found->second.us.contains(specimen)) return unknown_kind;
    return found->second.kind_of(specimen).name;
  }

 private:
  std::map<std::string, product> by_fingerprint_;
};

/// The times of one case, as long as its input and method are the same everywhere.
struct gathered_case {
  std::string input, method;
  bool is_one = true;
  std::map<std::string, std::vector<double>> us;
};

struct gathered_kind {
  std::string product;
  std::map<std::string, gathered_case> cases;
};

case_across summed_up(const gathered_case& of) {
  case_across out;
  std::vector<double> all, differences;
  for (const auto& [specimen, runs] : of.us) all.push_back(out.us[specimen] = gate::median(runs));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) differences.push_back(std::fabs(std::log(all[i] / all[j])));
  out.median_us = gate::median(std::move(all));
  out.specimen_floor_pct = to_pct(gate::quantile(std::move(differences), floor_quantile));
  return out;
}

/// The specimen farthest from the median.
std::string farthest_specimen(const case_across& c) {
  const auto far = std::max_element(c.us.begin(), c.us.end(), [&](const auto& a, const auto& b) {
    return std::fabs(c.deviation_pct(a.first)) < std::fabs(c.deviation_pct(b.first));
  });
  return far->first;
}

}  // namespace

double case_across::deviation_pct(const std::string& specimen) const {
  return 100 * (us.at(specimen) / median_us - 1);
}

const kind_across* across::kind_of(const std::string& specimen) const {
  for (const kind_across& k : kinds)
    if (std::find(k.specimens.begin(), k.specimens.end(), specimen) != k.specimens.end()) return &k;
  return nullptr;
}

across across_of(const std::vector<record>& records) {
  across out;
  const kinds_by_device kinds(records);
  std::map<std::pair<std::string, std::string>, gathered_kind> all;  // by fingerprint and kind
  std::set<std::string> without_kind;
  for (const record& r : records) {
    if (!r.on_gpu) continue;
    const std::string sources = r.build.sources();
    if (out.source_hash.empty()) out.source_hash = sources;
    if (sources != out.source_hash)
      throw bad_input(r.path.string(), "/context/ablate/build/source_hash",
                      fmt::format("expected the sources of the other records, {:.12}, found {:.12}",
                                  out.source_hash, sources));
    const std::string fingerprint = history::device_fingerprint(r);
    for (const measured_case& c : r.cases) {
      const std::string kind = kinds.of(fingerprint, c.specimen);
      if (c.specimen.empty()) continue;
      if (kind == unknown_kind) {
        without_kind.insert(c.specimen);
        continue;
      }
      gathered_kind& to = all[{fingerprint, kind}];
      to.product = r.device_name;
      gathered_case& entry = to.cases[c.name];
      if (entry.us.empty()) entry.input = reports::input_hash(c), entry.method = c.time.method;
      entry.is_one = entry.is_one && entry.input == reports::input_hash(c) && entry.method == c.time.method;
      entry.us[c.specimen].push_back(c.time.median_us);
    }
  }
  for (const auto& [key, of] : all) {
    kind_across kind{of.product, key.second, {}, {}};
    std::set<std::string> specimens;
    for (const auto& [name, c] : of.cases) {
      if (!c.is_one) {
        out.left_out.push_back(name + " has another input or method of timing on another GPU");
        continue;
      }
      if (c.us.size() < 2) continue;
      kind.cases[name] = summed_up(c);
      for (const auto& [specimen, us] : c.us) specimens.insert(specimen);
    }
    kind.specimens.assign(specimens.begin(), specimens.end());
    if (!kind.cases.empty()) out.kinds.push_back(std::move(kind));
  }
  for (const std::string& specimen : without_kind)
    out.left_out.push_back(specimen + " has no calibrations that tell its kind");
  if (out.kinds.empty())
    throw bad_input(records.empty() ? "--across" : records.front().path.string(), "/benchmarks",
                    "expected a case that two GPUs of a kind measured on one input, found none");
  return out;
}

ordered_json to_json(const across& of) {
  ordered_json kinds = ordered_json::array();
  for (const kind_across& k : of.kinds) {
    ordered_json cases = ordered_json::object();
    for (const auto& [name, c] : k.cases)
      cases[name] = {{"median_us", c.median_us}, {"specimen_floor_pct", c.specimen_floor_pct}, {"us", c.us}};
    kinds.push_back(
        {{"product", k.product}, {"kind", k.kind}, {"specimens", k.specimens}, {"cases", std::move(cases)}});
  }
  return {{"across_schema", across_schema},
          {"source_hash", of.source_hash},
          {"kinds", std::move(kinds)},
          {"left_out", of.left_out}};
}

across read_across(const std::filesystem::path& path) {
  const ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place root(json, file);
  const json_place version = root.at("across_schema");
  if (!version.text().starts_with("1."))
    version.refuse(
        fmt::format("expected floors across specimens of schema 1.x.y, found '{}'", version.text()));
  across out;
  out.path = path;
  out.source_hash = root.at("source_hash").text();
  for (const json_place& kind : root.at("kinds").elements()) {
    kind_across k{kind.at("product").text(), kind.at("kind").text(), {}, {}};
    for (const json_place& specimen : kind.at("specimens").elements()) k.specimens.push_back(specimen.text());
    for (const auto& [name, c] : kind.at("cases").members()) {
      case_across& to = k.cases[name];
      to.median_us = c.at("median_us").positive();
      to.specimen_floor_pct = c.at("specimen_floor_pct").not_negative();
      for (const auto& [specimen, us] : c.at("us").members()) to.us[specimen] = us.positive();
      if (to.us.empty()) c.at("us").refuse_value("a time for at least one specimen");
    }
    out.kinds.push_back(std::move(k));
  }
  for (const json_place& line : root.at("left_out").elements()) out.left_out.push_back(line.text());
  return out;
}

std::string across_text(const across& of, const reports::terminal& on) {
  std::string out;
  for (const kind_across& k : of.kinds) {
    out += fmt::format("{}, kind {}: {} specimens, {} cases\n", k.product, k.kind, k.specimens.size(),
                       k.cases.size());
    std::vector<std::pair<double, const std::string*>> order;
    for (const auto& [name, c] : k.cases) order.emplace_back(c.specimen_floor_pct, &name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::vector<reports::terminal_cell>> rows = {
        {{"FLOOR"}, {"TIME"}, {"GPUS"}, {"FARTHEST"}, {""}, {"CASE"}}};
    for (const auto& [floor_pct, name] : order) {
      const case_across& c = k.cases.at(*name);
      const std::string far = farthest_specimen(c);
      rows.push_back({{fmt::format("{:.2f} %", floor_pct)},
                      {reports::significant(c.median_us) + " us"},
                      {std::to_string(c.us.size())},
                      {fmt::format("{:+.2f} %", c.deviation_pct(far))},
                      {far},
                      {*name}});
    }
    out += reports::laid_out(rows, {.right = {0, 1, 2, 3}, .wrap = {5}, .indent = "  "}, on);
  }
  for (const std::string& line : of.left_out) out += line + "\n";
  return out;
}

}  // namespace ablate::fleet

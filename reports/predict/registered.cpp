#include "reports/predict/registered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate::predict {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* registration_schema = "1.0.0";
constexpr double near_fastest = 1.03;

double five_digits(double x) { return std::stod(fmt::format("{:.5g}", x)); }

}  // namespace

registration registered(const std::vector<seen_record>& records, const target& to, const model_file& model,
                        const chip_sheets& sheets) {
  registration out;
  out.chip = to.rates.sheet.chip;
  out.ceilings = to.rates.from;
  out.model_hash = model.hash;
  std::set<std::string> known;
  for (const seen_record& r : records)
    if (r.chip == out.chip)
      for (const seen_case& c : r.cases) known.insert(key_of(c));
  for (const seen_record& r : records) {
    if (r.chip == out.chip) continue;
    for (const seen_case& c : r.cases) {
      if (c.is_rival || !known.insert(key_of(c)).second) continue;
      const prediction p = transferred(r, c, c.us, 0, to, model, sheets);
      if (!p.us) {
        ++out.refused;
        continue;
      }
      out.cases.push_back(
          {key_of(c), workload_of(c), c.operation, c.variant, *p.us, p.low_us, p.high_us, p.is_tested});
    }
  }
  return out;
}

ordered_json registration_json(const registration& of) {
  ordered_json records = ordered_json::object(), cases = ordered_json::array();
  for (const auto& [folder, hash] : of.record_hashes) records[folder] = hash;
  for (const registered_case& c : of.cases)
    cases.push_back({{"case", c.key},
                     {"workload", c.workload},
                     {"operation", c.operation},
                     {"variant", c.variant},
                     {"us", five_digits(c.us)},
                     {"low_us", five_digits(c.low_us)},
                     {"high_us", five_digits(c.high_us)},
                     {"interval_is_tested", c.is_tested}});
  return {{"registration_schema", registration_schema},
          {"date", of.date},
          {"chip", of.chip},
          {"ceilings", of.ceilings},
          {"model", of.model_hash},
          {"records", std::move(records)},
          {"refused", of.refused},
          {"predictions", std::move(cases)}};
}

registration read_registration(const std::filesystem::path& path) {
  const ordered_json json = reports::parse_json_file(path);
  const std::string name = path.string();
  const json_place all(json, name);
  if (all.at("registration_schema").text() != registration_schema)
    all.at("registration_schema").refuse_value(fmt::format("\"{}\"", registration_schema));
  registration out;
  out.date = all.at("date").text();
  out.chip = all.at("chip").text();
  out.ceilings = all.at("ceilings").text();
  out.model_hash = all.at("model").text();
  out.refused = static_cast<std::size_t>(all.at("refused").count());
  for (const auto& [folder, hash] : all.at("records").members())
    out.record_hashes.emplace_back(folder, hash.text());
  for (const json_place& one : all.at("predictions").elements()) {
    registered_case c{one.at("case").text(),        one.at("workload").text(),
                      one.at("operation").text(),   one.at("variant").text(),
                      one.at("us").positive(),      one.at("low_us").positive(),
                      one.at("high_us").positive(), one.at("interval_is_tested").boolean()};
    if (c.low_us > c.us) one.at("low_us").refuse_value("at most \"us\"");
    if (c.high_us < c.us) one.at("high_us").refuse_value("at least \"us\"");
    out.cases.push_back(std::move(c));
  }
  return out;
}

double judged_case::error() const { return std::log(predicted->us / measured_us); }

judgement judged_by(const registration& of, const std::vector<seen_record>& records) {
  std::map<std::string, double> measured;
  for (const seen_record& r : records) {
    if (r.chip != of.chip)
      throw bad_input(r.folder, "", fmt::format("expected a record of {}, found {}", of.chip, r.chip));
    // Both are written in UTC, year first.
    if (r.date < of.date)
      throw bad_input(r.folder, "",
                      fmt::format("it was made on {}, before the predictions of {}", r.date, of.date));
    for (const seen_case& c : r.cases) measured.try_emplace(key_of(c), c.us);
  }
  judgement out;
  std::vector<double> errors;
  std::map<std::string, std::vector<const judged_case*>> workloads;
  out.cases.reserve(of.cases.size());
  for (const registered_case& c : of.cases) {
    const auto found = measured.find(c.key);
    if (found == measured.end()) {
      ++out.not_measured;
      continue;
    }
    const judged_case& judged = out.cases.emplace_back(judged_case{&c, found->second});
    errors.push_back(std::fabs(judged.error()));
    if (c.is_tested) {
      ++out.tested;
      if (judged.is_inside()) ++out.tested_inside;
    }
    workloads[c.workload].push_back(&judged);
  }
  if (errors.empty()) return out;
  out.median = gate::median(errors);
  out.p90 = gate::quantile(errors, 0.9);
  for (const auto& [name, of_workload] : workloads) {
    if (of_workload.size() < 2) continue;
    ++out.workloads;
    const auto picked =
        *std::min_element(of_workload.begin(), of_workload.end(),
                          [](const auto* a, const auto* b) { return a->predicted->us < b->predicted->us; });
    const auto fastest =
        *std::min_element(of_workload.begin(), of_workload.end(),
                          [](const auto* a, const auto* b) { return a->measured_us < b->measured_us; });
    if (picked->measured_us <= near_fastest * fastest->measured_us) ++out.picked;
  }
  return out;
}

std::string judgement_text(const registration& of, const judgement& found) {
  std::string out = fmt::format("Predicted on {} for {}, {} cases; measured since: {}, not yet: {}.\n",
                                of.date, of.chip, of.cases.size(), found.cases.size(), found.not_measured);
  if (found.cases.empty()) return out;
  out += fmt::format("|ln(predicted / measured)|: median {:.3f}, 90th percentile {:.3f}.\n", found.median,
                     found.p90);
  if (found.tested > 0)
    out += fmt::format("Inside of their 90 % interval: {} of {}.\n", found.tested_inside, found.tested);
  if (found.workloads > 0)
    out += fmt::format("The pick is within 3 % of the fastest on {} of {} workloads.\n", found.picked,
                       found.workloads);
  return out;
}

}  // namespace ablate::predict

#include <fmt/format.h>

#include <utility>

#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/sha256.h"
#include "base/text/text_file.h"
#include "reports/predict/answer.h"
#include "reports/predict/check.h"

namespace ablate::predict {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* model_schema = "1.0.0";

using named_rate = std::pair<const char*, std::optional<double> measured_rates::*>;
constexpr named_rate rate_names[] = {{"dram_copy_bytes", &measured_rates::dram_copy},
                                     {"dram_read_bytes", &measured_rates::dram_read},
                                     {"dram_write_bytes", &measured_rates::dram_write},
                                     {"l2_bytes", &measured_rates::l2},
                                     {"random_read_sectors_16mib", &measured_rates::random_sectors},
                                     {"atomics_distinct", &measured_rates::atomics},
                                     {"launch_us", &measured_rates::launch_us},
                                     {"launch_hot_us", &measured_rates::launch_hot_us}};

/// Six digits: what a table or a reader needs, and no more than a rewrite reproduces.
double six_digits(double x) { return std::stod(fmt::format("{:.6g}", x)); }

ordered_json weights_json(const weights& w) {
  return {{"kappa", six_digits(w.kappa)}, {"tensor", six_digits(w.tensor)}, {"issue", six_digits(w.issue)}};
}

ordered_json errors_json(const errors& e) {
  return {{"cases", e.cases},
          {"median", six_digits(e.median)},
          {"p90", six_digits(e.p90)},
          {"within_5", six_digits(e.within_5)},
          {"within_10", six_digits(e.within_10)},
          {"within_20", six_digits(e.within_20)}};
}

ordered_json ways_json(const std::vector<scored_way>& ways, const char* second) {
  ordered_json out = ordered_json::array();
  for (const scored_way& one : ways)
    out.push_back({{"way", one.way}, {"all", errors_json(one.all)}, {second, errors_json(one.differing)}});
  return out;
}

ordered_json operations_json(const std::vector<scored_operation>& operations) {
  ordered_json out = ordered_json::array();
  for (const scored_operation& one : operations)
    out.push_back({{"operation", one.operation},
                   {"no_change", errors_json(one.no_change)},
                   {"best_other", errors_json(one.best_other)},
                   {"best_other_way", one.best_other_way},
                   {"model", errors_json(one.model)},
                   {"covered", six_digits(one.covered)},
                   {"half_width", six_digits(one.half_width)}});
  return out;
}

ordered_json regrets_json(const regrets& of) {
  return {{"workloads", of.workloads},
          {"within_3_percent", six_digits(of.within_3)},
          {"worst", six_digits(of.worst)}};
}

ordered_json sizes_json(const size_check& of) {
  return {{"ways", ways_json(of.ways, "answered")},
          {"operations", operations_json(of.operations)},
          {"covered", six_digits(of.covered)},
          {"answered", six_digits(of.narrow)},
          {"covered_where_answered", six_digits(of.covered_where_narrow)}};
}

weights weights_in(const json_place& place) {
  return {place.at("kappa").positive(), place.at("tensor").not_negative(), place.at("issue").not_negative()};
}

}  // namespace

ordered_json check_json(const check& of) {
  ordered_json rates = ordered_json::object(), without = ordered_json::object(),
               ratios = ordered_json::object(), folders = ordered_json::object(),
               chips = ordered_json::array(), repeated = ordered_json::array();
  for (const auto& [chip, measured] : of.rates) {
    ordered_json one = ordered_json::object();
    for (const auto& [name, member] : rate_names)
      if (measured.*member) one[name] = six_digits(*(measured.*member));
    rates[chip] = std::move(one);
  }
  for (const auto& [operation, w] : of.without) without[operation] = weights_json(w);
  for (std::size_t i = 0; i < resources; ++i)
    ratios[name_of(static_cast<resource>(i))] = six_digits(of.most_ratio[i]);
  for (const auto& [operation, names] : of.folders) folders[operation] = names;
  for (const chip_check& one : of.chips)
    chips.push_back({{"from", one.from},
                     {"to", one.to},
                     {"ways", ways_json(one.ways, "differing")},
                     {"operations", operations_json(one.operations)},
                     {"covered", six_digits(one.covered)},
                     {"answered", six_digits(one.narrow)},
                     {"regret", regrets_json(one.by_model)},
                     {"regret_without_change", regrets_json(one.by_no_change)}});
  for (const repeated_check& one : of.repeated)
    repeated.push_back({{"chip", one.chip}, {"between_records", errors_json(one.between)}});
  return {{"prediction_schema", model_schema},
          {"weights", weights_json(of.fitted)},
          {"quantiles",
           {{"other_chip", six_digits(of.chip_quantile)},
            {"between_sizes", six_digits(of.inside_quantile)},
            {"beyond_sizes", six_digits(of.beyond_quantile)}}},
          {"most_ratio", std::move(ratios)},
          {"rates", std::move(rates)},
          {"folders", std::move(folders)},
          {"weights_without", std::move(without)},
          {"other_kernels", of.other_kernels},
          {"chips", std::move(chips)},
          {"between_sizes", sizes_json(of.inside)},
          {"beyond_sizes", sizes_json(of.beyond)},
          {"repeated", std::move(repeated)}};
}

model_file read_model(const std::filesystem::path& path) {
  const std::string text = reports::read_text_file(path);
  const ordered_json json = reports::parse_json(text, path.string());
  const std::string name = path.string();
  const json_place all(json, name);
  model_file out;
  out.hash = reports::sha256_base64(text);
  if (all.at("prediction_schema").text() != model_schema)
    all.at("prediction_schema").refuse_value(fmt::format("\"{}\"", model_schema));
  out.by = weights_in(all.at("weights"));
  const json_place quantiles = all.at("quantiles");
  out.chip_quantile = quantiles.at("other_chip").positive();
  out.inside_quantile = quantiles.at("between_sizes").positive();
  out.beyond_quantile = quantiles.at("beyond_sizes").positive();
  for (std::size_t i = 0; i < resources; ++i)
    out.most_ratio[i] = all.at("most_ratio").at(name_of(static_cast<resource>(i))).not_negative();
  for (const auto& [chip, of] : all.at("rates").members()) {
    measured_rates rates;
    for (const auto& [rate, member] : rate_names)
      if (const auto found = of.find(rate)) rates.*member = found->positive();
    out.rates[chip] = rates;
  }
  for (const auto& [operation, names] : all.at("folders").members())
    for (const json_place& one : names.elements()) out.folders[operation].push_back(one.text());
  return out;
}

}  // namespace ablate::predict

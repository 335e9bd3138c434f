#include "harness/cli/prediction_files.h"

#include <fmt/format.h>

#include "base/process/data_directory.h"
#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "harness/cli/chip_option.h"
#include "harness/cli/record_files.h"
#include "harness/device/chip.h"

namespace ablate {
namespace {

/// Two FLOPs per lane and clock; GA100 has 64 lanes per multiprocessor, others 128.
double mhz_of(const chip& of) {
  const int lanes = of.silicon == "GA100" ? 64 : 128;
  return of.fma_f32_flops_per_s / (2.0 * lanes * of.multiprocessors) / 1e6;
}

}  // namespace

std::optional<predict::chip_sheet> sheet_of_chip(const std::string& name) {
  const chip* of = find_chip(name);
  if (!of) return std::nullopt;
  return predict::chip_sheet{of->name,
                             of->architecture,
                             of->dram_bytes_per_s,
                             of->tensor_bf16_flops_per_s,
                             of->fma_f32_flops_per_s,
                             mhz_of(*of)};
}

std::filesystem::path shipped_model() { return process::data_directory() / "results" / "prediction.json"; }

predict::seen_record seen_of(const record& of) {
  const std::filesystem::path folder = of.path.parent_path();
  return predict::seen_in(of, (folder.parent_path().filename() / folder.filename()).string());
}

predict::seen_record read_seen(const std::filesystem::path& file) { return seen_of(read_record(file)); }

std::vector<predict::seen_record> read_seen_folders(const std::filesystem::path& model,
                                                    const std::vector<std::string>& folders) {
  std::vector<predict::seen_record> out;
  for (const std::string& folder : folders)
    out.push_back(read_seen(reports::file_of_record(model.parent_path() / folder / "record.json")));
  return out;
}

std::vector<selection_term> predicted_terms(const std::vector<std::string>& words) {
  std::vector<selection_term> out;
  for (const std::string& word : words) {
    selection_term term = written_term(word, "--axes");
    term.name = canonical_name(term.name);
    if (term.values.size() > 1)
      throw bad_input("--axes", "",
                      fmt::format("'{}' names several values; a prediction is of one workload", word));
    out.push_back(std::move(term));
  }
  refuse_repeated(out, "--axes");
  return out;
}

predict::target prediction_target(const std::string& name, const std::string& ceilings,
                                  const predict::model_file& model) {
  const chip& of = chip_named(name);
  predict::target out{{*sheet_of_chip(of.name), std::nullopt, "data sheet"}};
  if (!ceilings.empty()) {
    const std::filesystem::path file = files_of_records({ceilings}).front();
    const predict::seen_record from = predict::seen_in(read_record(file), ceilings);
    if (from.chip != of.name)
      throw bad_input(ceilings, "", fmt::format("expected ceilings of {}, found {}", of.name, from.chip));
    if (!from.rates.is_complete())
      throw bad_input(ceilings, "", "expected all ceilings that suites/ceilings.json measures");
    out.rates.measured = from.rates;
    out.rates.from = ceilings;
  } else if (const auto known = model.rates.find(of.name); known != model.rates.end()) {
    out.rates.measured = known->second;
    out.rates.from = "medians over its records";
  }
  return out;
}

}  // namespace ablate

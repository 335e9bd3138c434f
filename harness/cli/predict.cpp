#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/terminal.h"
#include "harness/cli/commands.h"
#include "harness/cli/prediction_files.h"
#include "harness/cli/record_files.h"

namespace ablate {
namespace {

struct predict_arguments {
  std::string operation, on, ceilings, model;
  std::vector<std::string> axes, from;
  bool json = false, ignore_measured = false;
};

void show_prediction(const predict_arguments& given) {
  const std::filesystem::path file =
      given.model.empty() ? shipped_model() : std::filesystem::path(given.model);
  const predict::model_file model = predict::read_model(file);
  std::vector<predict::seen_record> records;
  if (given.from.empty()) {
    const auto found = model.folders.find(given.operation);
    if (found == model.folders.end()) {
      std::vector<std::string> known;
      for (const auto& [operation, folders] : model.folders) known.push_back(operation);
      throw bad_input("predict", "", no_such("measured operation", given.operation, known));
    }
    records = read_seen_folders(file, found->second);
  } else {
    for (const std::filesystem::path& path : files_of_collections(given.from))
      records.push_back(read_seen(path));
  }
  const predict::answer found =
      predict::answered({given.operation, predicted_terms(given.axes),
                         prediction_target(given.on, given.ceilings, model), given.ignore_measured},
                        records, model, sheet_of_chip);
  fmt::print("{}", given.json ? reports::json_text(predict::answer_json(found), 1) + "\n"
                              : predict::answer_text(found, reports::standard_output()));
}

}  // namespace

void add_predict_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "predict",
      "Which variant would be fastest on a chip or at a size that was not measured, and how sure that is. Needs no GPU");
  const auto given = std::make_shared<predict_arguments>();
  command->add_option("operation", given->operation, "An operation that some record has")
      ->required()
      ->type_name("OPERATION");
  command
      ->add_option(
          "--axes", given->axes,
          "The workload: --axes points=300000 distribution=lidar; one size may be a value that was not measured")
      ->type_name("AXIS=VALUE...");
  command->add_option("--on", given->on, "The chip: a100, h100, h200, or another board of their silicon")
      ->required()
      ->type_name("CHIP");
  command
      ->add_option(
          "--from", given->from,
          "Records to predict from [all of results/ that have the operation, the chip's own among them]")
      ->type_name("RECORD...");
  command
      ->add_option(
          "--ceilings", given->ceilings,
          "A record of this chip whose ceilings count, such as one of suites/ceilings.json [medians over its "
          "records; without any its data sheet]")
      ->type_name("RECORD");
  command
      ->add_option("--model", given->model, "What `dev predict-check --out` wrote [results/prediction.json]")
      ->type_name("FILE");
  command->add_flag("--ignore-measured", given->ignore_measured, "As if the chip had run nothing of it");
  command->add_flag("--json", given->json, "Print JSON");
  command->footer(
      "A variant that was measured is shown as measured. Others are interpolated in size, or transferred from another chip by "
      "the counters of the case and the ceilings of both; intervals are those that held 90 % of such predictions for "
      "operations that the model had not seen. Refused are kernels without machine code for the chip, inputs that were "
      "never measured, and what would be off by more than half.");
  command->callback([given] { show_prediction(*given); });
}

}  // namespace ablate

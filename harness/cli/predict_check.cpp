#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/sha256.h"
#include "base/text/text_file.h"
#include "harness/cli/check_files.h"
#include "harness/cli/commands.h"
#include "harness/cli/prediction_files.h"
#include "harness/device/host_facts.h"
#include "reports/predict/check.h"
#include "reports/predict/registered.h"

namespace ablate {
namespace {

struct predict_check_arguments {
  std::vector<std::string> records;
  std::string out, on, ceilings, to_register, judge;
};

std::vector<predict::seen_record> seen_in_files(const std::vector<std::filesystem::path>& files) {
  std::vector<predict::seen_record> out;
  for (const std::filesystem::path& file : files) out.push_back(read_seen(file));
  return out;
}

void write_registration(const predict_check_arguments& given) {
  if (given.on.empty()) throw bad_input("--register", "", "expected --on CHIP beside it");
  const predict::model_file model = predict::read_model(shipped_model());
  const std::vector<std::filesystem::path> files = files_to_check(given.records);
  const std::vector<predict::seen_record> records = seen_in_files(files);
  predict::registration made =
      predict::registered(records, prediction_target(given.on, given.ceilings, model), model, sheet_of_chip);
  made.date = date_now();
  for (std::size_t i = 0; i < files.size(); ++i)
    if (records[i].chip != made.chip)
      made.record_hashes.emplace_back(records[i].folder,
                                      reports::sha256_base64(reports::read_text_file(files[i])));
  reports::write_text_file(given.to_register, reports::json_text(predict::registration_json(made), 1) + "\n");
  fmt::print("{}: {} predictions, {} refused\n", given.to_register, made.cases.size(), made.refused);
}

void predict_check(const predict_check_arguments& given) {
  if (!given.to_register.empty()) return write_registration(given);
  if (!given.judge.empty()) {
    if (given.records.empty()) throw bad_input("--judge", "", "expected records that were made since");
    const predict::registration of = predict::read_registration(given.judge);
    fmt::print("{}", predict::judgement_text(
                         of, predict::judged_by(of, seen_in_files(files_to_check(given.records)))));
    return;
  }
  const predict::check found = predict::checked(seen_in_files(files_to_check(given.records)), sheet_of_chip);
  write_or_print_check(given.out, "prediction", predict::check_json(found), predict::check_markdown(found));
}

}  // namespace

void add_predict_check_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "predict-check",
      "Fit what `predict` uses, held against all records with whole operations left out; register predictions and judge "
      "them. Needs no GPU");
  const auto given = std::make_shared<predict_check_arguments>();
  command->add_option("records", given->records, "Records [all of results/]")->type_name("RECORD...");
  command
      ->add_option("--out", given->out, "Write prediction.json and prediction.md there instead of printing")
      ->type_name("DIR");
  CLI::Option* const to_register =
      command
          ->add_option("--register", given->to_register,
                       "Write what every case of these records would take on a chip that has not run it")
          ->type_name("FILE");
  command->add_option("--on", given->on, "With --register: the chip")->type_name("CHIP");
  command
      ->add_option("--ceilings", given->ceilings,
                   "With --register: a record of the chip whose ceilings count")
      ->type_name("RECORD");
  command
      ->add_option("--judge", given->judge,
                   "Hold registered predictions against these records, which must have been made since")
      ->excludes(to_register)
      ->type_name("FILE");
  command->callback([given] { predict_check(*given); });
}

}  // namespace ablate

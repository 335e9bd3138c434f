#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/predict/answer.h"

namespace ablate {

/// Of harness/device/chip.h, by name: a100, h100, h200 and other boards of these.
std::optional<predict::chip_sheet> sheet_of_chip(const std::string& name);

/// results/prediction.json beside this program.
std::filesystem::path shipped_model();

/// A record as predictions see it, by the names of its two folders: h200/voxelization.
predict::seen_record seen_of(const record&);

/// A folder of the model, in results/ beside the model's file.
predict::seen_record read_seen(const std::filesystem::path& record);
std::vector<predict::seen_record> read_seen_folders(const std::filesystem::path& model,
                                                    const std::vector<std::string>& folders);

/// AXIS=VALUE, each with one value. Throws bad_input.
std::vector<selection_term> predicted_terms(const std::vector<std::string>& words);

/// The chip of that name, with the ceilings of a record, of the model, or of its data sheet alone. Throws
/// bad_input.
predict::target prediction_target(const std::string& chip, const std::string& ceilings,
                                  const predict::model_file&);

}  // namespace ablate

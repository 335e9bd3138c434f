#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace ablate {

/// Adds `--data DIR`, which may be repeated.
void add_data_option(CLI::App& command, std::vector<std::string>& directories);

/// The directories of `--data`, then those of ABLATE_DATA (separated by colons). Throws bad_input for a
/// `--data` that is no directory.
std::vector<std::filesystem::path> data_directories(const std::vector<std::string>& given);

input_library make_input_library(const suite&, const std::vector<std::string>& data);

/// `--together operation`: for suite::keeps_operations_together.
void add_together_option(CLI::App&, std::string& together);

/// `--durations`: for shard_request (harness/runner/plan_shards.h).
void add_durations_option(CLI::App&, std::vector<std::string>& records);

}  // namespace ablate

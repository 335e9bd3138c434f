#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "harness/device/chip.h"

namespace ablate {

/// `--chip NAME`, for chip_named.
CLI::Option* add_chip_option(CLI::App&, std::string& name, const std::string& help);

/// Throws bad_input with the nearest name.
const chip& chip_named(const std::string& name);

}  // namespace ablate

#pragma once

#include <filesystem>
#include <vector>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// The tables that a summary may truncate, whole: out/answer.csv (if anything is asked),
/// out/ladder.csv (of a suite with a ladder), out/exhibit-NAME.csv (of its exhibits), out/ceilings.csv,
/// out/kernels.csv and out/work.csv. A file that would be empty is not there; an earlier one is removed.
void write_table_csv(const std::vector<record_report>&, const std::filesystem::path& out);

}  // namespace ablate::reports

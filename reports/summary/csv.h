#pragma once

#include <filesystem>
#include <vector>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// out/cases.csv (one row per measured case), out/unmeasured.csv, out/speedup.csv, and out/turns.csv if
/// rivals took turns; every axis of the records is a column, empty if an operation does not have it. With
/// several records, each row says which one it is from.
void write_csv(const std::vector<record_report>&, const std::filesystem::path& out);

/// out/ablation.csv: one row for each effect of a switch and for each square of two switches.
void write_ablation_csv(const std::vector<record_report>&, const std::filesystem::path& out);

}  // namespace ablate::reports

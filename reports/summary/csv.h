#pragma once

#include <filesystem>
#include <vector>

#include "reports/sections/record_report.h"

namespace ablate::reports {

/// out/cases.csv (a row a measured case), out/unmeasured.csv, out/speedup.csv, and out/turns.csv where rivals
/// took turns; every axis of the records is a column, empty where an operation does not have it. Of several
/// records each row says which one it is of.
void write_csv(const std::vector<record_report>&, const std::filesystem::path& out);

/// out/ablation.csv: a row for each effect of a switch, and for each square of two switches.
void write_ablation_csv(const std::vector<record_report>&, const std::filesystem::path& out);

}  // namespace ablate::reports

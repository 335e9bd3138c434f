#pragma once

#include <filesystem>
#include <vector>

#include "reports/ablation/ablation.h"
#include "reports/record.h"

namespace ablate::reports {

/// out/cases.csv (a row a measured case), out/unmeasured.csv, out/speedup.csv; every axis of the records is a
/// column, empty where an operation does not have it.
void write_csv(const std::vector<record>&, const std::filesystem::path& out);

/// out/ablation.csv: a row for each effect of a switch, and for each square of two switches. `ablations` has
/// one element for each operation of each record.
void write_ablation_csv(const std::vector<record>&, const std::vector<std::vector<operation_view>>&,
                        const std::vector<std::vector<operation_ablation>>& ablations,
                        const std::filesystem::path& out);

}  // namespace ablate::reports

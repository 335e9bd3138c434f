#pragma once

#include <filesystem>
#include <vector>

#include "reports/record.h"

namespace ablate::reports {

/// out/cases.csv (a row a measured case), out/unmeasured.csv, out/speedup.csv; every axis of the records is a
/// column, empty where an operation does not have it.
void write_csv(const std::vector<record>&, const std::filesystem::path& out);

}  // namespace ablate::reports

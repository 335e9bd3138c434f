#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// What every form of the report says about a record as a whole, as text; kernels are in `backticks`.
struct table_line {
  std::vector<std::string> cells;
  std::vector<std::string> cases;  ///< names of those that the line rests on; empty for all
};

struct table {
  std::vector<std::string> header;
  std::size_t left;  ///< number of leading word columns; the others are numbers
  std::vector<table_line> lines;
};

/// Device, driver, host, build, suite, command, date, cases, missing evidence: name and text.
std::vector<std::pair<std::string, std::string>> record_facts(const record&);

table cache_state_table(const record&);
/// Empty if no ceiling was measured.
table ceiling_table(const record&);
/// Registers, spills, shared memory and theoretical occupancy of each launch's kernel and architecture.
table kernel_table(const record&, const operation_view&);

bool has_energy(const record&);

/// A sentence or two for each kind of number, whose name is in **stars**.
std::vector<std::string> how_measured(const record&);

}  // namespace ablate::reports

#pragma once

#include "kernels/common/launcher.h"
#include "kernels/unique_rows/unique_rows.h"

// What from_table (launches.h) picks from, by the file that compiles it.

namespace ablate::unique_rows {

/// How a row claims its slot of the table.
enum class claiming { cas_first, load_first };

// build.cu: phase build
void build_table(launcher&, const problem&, claiming);

// flags.cu: from a table that is there, but flag_winners
void flag_slots(launcher&, const problem&);
void flag_found(launcher&, const problem&);
/// Both phases in one.
void flag_winners(launcher&, const problem&, claiming);

// search_back.cu: from a table that is there
void search_back(launcher&, const problem&);

}  // namespace ablate::unique_rows

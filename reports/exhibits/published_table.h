#pragma once

#include "reports/exhibits/shown_exhibit.h"

namespace ablate::reports {

/// A published table: for each quantity and row what was published, and each column's case. A cell without a
/// value says why.
std::optional<shown_exhibit> published_table(const record&, const suite_exhibit&);

}  // namespace ablate::reports

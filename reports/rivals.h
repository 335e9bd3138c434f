#pragma once

#include <string>

#include "reports/record.h"

namespace ablate::reports {

/// The rivals of the record to which this variant belongs: a kernel of others, which a script added; null
/// where it is a variant of `ablate run`.
const record::rival_facts* rival_of(const record&, const std::string& operation, const std::string& variant);

}  // namespace ablate::reports

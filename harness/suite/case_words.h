#pragma once

#include <vector>

#include "base/record/selection.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What a selection knows a case by: all of its axes, those too that its id leaves out.
case_words case_words_of(const suite_case&);
std::vector<case_words> case_words_of(const std::vector<suite_case>&);

}  // namespace ablate

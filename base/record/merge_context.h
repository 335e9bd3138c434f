#pragma once

#include <set>
#include <vector>

#include "base/record/merge.h"

namespace ablate {

/// Throws bad_input for the input's file unless the record says what merging needs, which it does
/// since 1.12.0.
void expect_mergeable(const merge_input&);

/// Gives a record of one run its own `context.ablate.parts`, as a merged record has them.
void make_part(record&);

/// The context of the first of two records with parts, with what the second adds. Throws bad_input that names
/// the second's file and the place where they must agree and do not.
void merge_contexts(merge_input& into, const merge_input& from, const std::set<merge_difference>& allowed);

}  // namespace ablate

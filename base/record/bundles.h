#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/record/comparison.h"
#include "base/record/ladder.h"
#include "base/record/question.h"
#include "base/record/record.h"

namespace ablate {

/// A case, as far as it decides with which others it is compared.
struct bundle_member {
  std::string operation;
  named_words axes;
  bool is_calibration = false;
};

/// What joins cases that differ in more than variant and cache state: the suite's comparisons, its question
/// where its families differ in axes or stand in several operations, and its ladder where steps differ in
/// axes.
std::vector<comparison> joins_of(const std::vector<comparison>&, const std::optional<suite_question>&,
                                 const std::optional<suite_ladder>&);

/// What joins all cases of each operation among these.
std::vector<comparison> operation_joins(const std::vector<bundle_member>&);

/// The bundle of each case, numbered in the order of their first cases. A bundle is what must be measured on
/// one GPU: the cases with the same operation and axes, all variants and cache states of them, and those that
/// a comparison joins, which agree on every axis that its operations have in common and it does not cross.
/// A calibration is a bundle of its own.
std::vector<std::size_t> bundles_of(const std::vector<bundle_member>&, const std::vector<comparison>& joins);

}  // namespace ablate

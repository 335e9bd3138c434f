#pragma once

#include <string>
#include <vector>

#include "reports/attribute/attribution.h"

namespace ablate::attribute {

/// An interaction in words: what holds, "`pdl=on` pays only with `merge=warp`", and by which figures.
struct said_pair {
  std::string what, figures;
};
said_pair said(const workload_shares&, const share_pair&);

/// What follows from the shares: interactions that are certain, with the workloads where they hold; switches
/// that have one share together or follow another; what is missing. Names are in `backticks`.
std::vector<std::string> sentences_of(const attribution&);

/// What a share is, how its interval is made and what holds where points cannot be run.
std::string about_shares(const attribution&, const reports::effect_limits&);

/// "points=65536, cold-clean"
std::string workload_text(const reports::operation_view&, const reports::comparable_cases&);

}  // namespace ablate::attribute

#pragma once

#include <optional>
#include <string>

#include "oracles/pool/checked_problem.h"
#include "oracles/pool/index_answer.h"

namespace ablate::pool {

/// What every correct index satisfies, whatever the variant (docs/operations/pool.md, "Check"):
///   P1 each row is in one cluster, and `cluster` says so
///   P2 in buckets a cluster has `ratio` members, but the last of a block; after the three steps at most so
///      many, in as few clusters
///   P3 clusters stay within their block or cell, and those of an instance are together
///   P4 the padding's coordinates are 0
/// In buckets, cluster k of a block has the cells of ranks k · ratio … of the block's sorted cells; on a grid
/// members, cells, codes, orders and inverses are the answer's, up to the clusters' numbers where the variant
/// does not promise those. Means: within an ulp of fp16, in fp32 within the roundings of their sum.
/// `whole`: also what only the phase `index` writes for the check: coordinates, cells, codes, orders. Takes a
/// problem with host pointers; reports the place, what was expected and what was found.
std::optional<std::string> violated_index(const checked_problem&, const index_answer&, bool whole);

}  // namespace ablate::pool

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/record/neighbors.h"
#include "harness/runner/keyed_case.h"
#include "harness/timing/sampling.h"

namespace ablate {

/// What busy neighbors do to a case: its times in turns alone and beside them, a pair each.
struct neighbor_influence {
  std::string name;  ///< of the case
  std::vector<double> alone_us, beside_us;

  double ratio() const;  ///< beside over alone, the median of the pairs
  double low() const;    ///< the least pair
  double high() const;
  /// More than `neighbor_limit_pct`, and all times alone on one side of all times beside.
  bool matters() const;
  /// Whether no further times can make it matter: some alone and some beside are already on one another's
  /// side.
  bool cannot_matter() const;
};

/// From where on devices take turns.
inline constexpr double neighbor_limit_pct = 1;

/// The calibrations of a specimen by which the influence is measured, and the one that keeps it busy while
/// another's are. Numbers of the run's cases.
struct neighbor_probe {
  std::vector<std::size_t> cases;
  std::size_t load = 0;
};

/// Of the calibrations that the run has: launch, L2, streaming and random reads, tensor cores and FMA to
/// measure, and the tensor cores to be busy with. Nothing if it has none of them.
std::optional<neighbor_probe> neighbor_probe_of(const std::vector<keyed_case>&, const std::string& specimen);

/// So often the cases are measured alone, beside, beside, alone: chance tells four times alone from four
/// beside in 3 % of cases, two from two in every third.
inline constexpr int neighbor_rounds = 2;

/// How each of these is sampled: the effect of interest is a percent, and nobody else measures meanwhile.
sampling neighbor_sampling(sampling of_suite);

/// Measures all cases twice alone and twice beside busy neighbors in each round (ABBA), except those that
/// earlier rounds have shown to be irrelevant to the judgment. Neighbors stay busy while all cases of a round
/// are measured, so that slow effects, such as a shared power limit, show, too. `time_us` measures
/// the case of a number. `set_busy` returns once all neighbors are busy, or idle; false if they no longer can
/// be, upon which there is no result.
std::optional<std::vector<neighbor_influence>> measure_influence(
    const std::vector<std::string>& names, int rounds, const std::function<double(std::size_t)>& time_us,
    const std::function<bool(bool)>& set_busy);

/// As `neighbors` in the record; `specimens` are all of the run, the first is the one that was measured.
neighbor_facts facts_of(const std::vector<neighbor_influence>&, const std::vector<std::string>& specimens,
                        const std::string& load);
/// As its `at_end`.
neighbor_facts::ending ending_of(const std::vector<neighbor_influence>&, const std::string& specimen);

/// Whether such a result is of exactly these specimens.
bool is_of_specimens(const neighbor_facts&, std::vector<std::string> specimens);

}  // namespace ablate

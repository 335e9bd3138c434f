#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel_map/kernel_map.h"
#include "kernels/kernel_map/scratch.h"

namespace ablate::kernel_map {

/// Rules that choose a variant for a map (docs/operations/kernel_map.md, "Variants"). They look at the
/// problem's sizes, kernel and output, never at its pointers.

/// The published rule: `hierarchical` for 125 or more offsets if all edges are odd, nothing is dilated and
/// all lists are wanted; else `flat`. Also `flat` where the offsets reach more than 27 cells, which the
/// published code refuses.
std::string published_choice(const problem&);

struct estimated_time {
  std::string variant;
  double us;
};
/// Estimated times of the map on an H200, for the variants that can make it, `flat` first. `cells`: occupied
/// cells of 4³ voxels.
std::vector<estimated_time> estimated_times(const problem&, double cells);

/// What counting the cells takes on an H200, with the wait of the host.
double survey_us(std::int64_t rows);

/// Whether cells are counted before the choice: not if the variant that is best on average, over all cell
/// densities, is over the best time there by less than the count.
bool depends_on_density(const problem&);

/// The variant that is best on average, over all cell densities: what measured_choice takes where cells are
/// not counted.
std::string choice_by_sizes(const problem&);

/// The variant with the least estimated time; where cells are not counted, the best on average, whatever
/// `cells`.
std::string measured_choice(const problem&, double cells);

/// One cell in 2^bits is counted, so that few rows write and few cells share a bit.
int survey_sample_bits(std::int64_t rows);

/// The number of cells by linear counting (Whang, Vander-Zanden and Taylor 1990): n random keys leave e^(−n
/// / bits) of the bits empty. At least as many as hold the rows, at most one per row.
double cells_of(const cell_survey&, std::int64_t rows);

}  // namespace ablate::kernel_map

#pragma once

#include <string>
#include <vector>

#include "kernels/kernel_map/kernel_map.h"
#include "kernels/kernel_map/scratch.h"

namespace ablate::kernel_map {

/// Rules that choose a variant for a map (specification: packed_hash §4.4 and §9, dispatch rule). They look
/// at the problem's sizes, kernel and output, never at its pointers.

/// By the published rule: `hierarchical` from 125 offsets on, where all edges are odd, without dilation and
/// when all lists are wanted; else `flat`. Where the offsets reach more than 27 cells, which the published
/// code refuses, `flat`.
std::string published_choice(const problem&);

struct estimated_time {
  std::string variant;
  double us;
};
/// What a map would take on an H200, of the variants that can make it, `flat` first. `cells`: of 4³ voxels
/// that are occupied.
std::vector<estimated_time> estimated_times(const problem&, double cells);

/// Whether cells are counted before the choice. Not where the variant that is best on average, over all that
/// cells may hold, leaves less to be gained than the count costs.
bool depends_on_density(const problem&);

/// The variant of the least estimated time; where cells are not counted, the best on average, whatever
/// `cells`.
std::string measured_choice(const problem&, double cells);

/// Of the cells one in 2^bits is counted, so that few rows write and a bit stands for few of them.
int survey_sample_bits(std::int64_t rows);

/// Cells by linear counting (Whang, Vander-Zanden and Taylor 1990): n random keys leave the share
/// e^(−n / bits) of the bits empty. At least as many as hold the rows, at most one a row.
double cells_of(const cell_survey&, std::int64_t rows);

}  // namespace ablate::kernel_map

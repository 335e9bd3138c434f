// Variants that choose among variants (dispatch.h). The published rule needs only the kernel. A rule by sizes
// chooses the best on average over all numbers of rows per cell. The measured rule first counts the occupied
// cells, if that pays: a row of a cell sampled by its hash sets one of 2^14 bits, chosen by other bits of the
// hash; the host reads the bits, 2 KiB, counts them and chooses. All of a cell's rows are sampled or none, so
// the fraction of set bits suffices, without a table of cells. Traffic: 16 bytes per row; the following build
// finds many of them in L2. Should move: only time, the cost of the choice against its gain.
#include "kernels/kernel_map/dispatch.h"

#include <stdexcept>
#include <string>

#include "kernels/common/switches.h"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/kernel_map/coarse_cells.cuh"
#include "kernels/kernel_map/launches.h"

namespace ablate::kernel_map {

constexpr int survey_threads = 256;

__global__ __launch_bounds__(survey_threads) void clear_survey(view v) {
  for (int i = static_cast<int>(threadIdx.x); i < cell_survey::bits / 64; i += survey_threads)
    v.scratch.survey->words[i] = 0;
}

/// Samples cells whose hash ends in `sample_bits` zeros; its top bits select the bit to set.
__global__ __launch_bounds__(survey_threads) void survey_cells(view v, cell_box box, int sample_bits) {
  const long long row = static_cast<long long>(blockIdx.x) * survey_threads + threadIdx.x;
  if (row >= v.rows) return;
  const std::uint64_t hash = hash_table::splitmix_of(hash_table::pack(box.cell_of(v.rows_at[row])));
  if ((hash & ((1ull << sample_bits) - 1)) != 0) return;
  constexpr int shift = 64 - cell_survey::log2_bits;
  const auto bit = static_cast<unsigned>(hash >> shift);
  auto* const word = reinterpret_cast<unsigned long long*>(v.scratch.survey->words) + bit / 64;
  const unsigned long long mine = 1ull << bit % 64;
  // Most rows find their cell's bit already set.
  if ((__ldcg(word) & mine) == 0) atomicOr(word, mine);
}

/// A variant that a rule may pick, by its name in variants/kernel_map.cpp and the switches that it has there.
struct choosable {
  const char* name;
  void (*launch)(launcher&, const problem&, const switches&);
  std::initializer_list<named_word> by;
};

void launch_choice(launcher& to, const problem& p, const switches& s, const std::string& name) {
  static const std::initializer_list<named_word> whole = {{"driver", "grid"}, {"prune", "cells"}},
                                                 half = {{"driver", "grid"}, {"symmetry", "on"}},
                                                 by_blocks = {{"match", "by_line"},
                                                              {"symmetry", "on"},
                                                              {"numbering", "by_block"}};
  const choosable variants[] = {{"flat", row_table, whole},
                                {"flat_symmetric", row_table, half},
                                {"hierarchical", hierarchy, whole},
                                {"hierarchical_bitmap", hierarchy_of_bitmaps, whole},
                                {"hierarchical_bitmap_symmetric", hierarchy_of_bitmaps, half},
                                {"cells", bitmaps, whole},
                                {"cells_symmetric", bitmaps, by_blocks}};
  for (const choosable& variant : variants)
    if (name == variant.name) return variant.launch(to, p, s.with(variant.by));
  throw std::logic_error("no launch function of '" + name + "'");
}

double survey(launcher& to, const problem& p) {
  const dim3 block(survey_threads);
  launch(to, clear_survey, dim3(1), block, 0, view(p));
  launch(to, survey_cells, dim3(blocks_for(p.rows, survey_threads)), block, 0, view(p), box_of(p, map_edge),
         survey_sample_bits(p.rows));
  return cells_of(to.read(scratch(p).survey, cell_survey()), p.rows);
}

void dispatch(launcher& to, const problem& p, const switches& s) {
  if (s.word("rule") == "published") return launch_choice(to, p, s, published_choice(p));
  if (s.word("rule") == "sizes") return launch_choice(to, p, s, choice_by_sizes(p));
  const double found = depends_on_density(p) ? survey(to, p) : 0;
  launch_choice(to, p, s, measured_choice(p, found));
}

}  // namespace ablate::kernel_map

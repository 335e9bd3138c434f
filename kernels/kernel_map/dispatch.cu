// Variants that choose a variant (dispatch.h). The published rule needs the kernel alone. The measured one
// makes the table of occupied cells first, which the variants with cells need anyway, takes one out row in
// 1024, counts how many of its offsets lie in occupied cells, and the host reads both numbers, 16 bytes, and
// chooses. Where no density could make up for the table, nothing is measured. Should move: nothing but time:
// what the choice costs against what it gains.
#include "kernels/kernel_map/dispatch.h"

#include <stdexcept>

#include "kernels/hash_table/hashes.cuh"
#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

void flat(launcher&, const problem&, const switches&);
void flat_exchanged(launcher&, const problem&, const switches&);
void hierarchical(launcher&, const problem&, const switches&);
void cells(launcher&, const problem&, const switches&);

constexpr int survey_threads = 256, out_rows_per_sample = 1024;

__global__ void begin_survey(view v) { *v.scratch.survey = {v.scratch.cell_count[0], 0}; }

/// Of the offsets along one axis those that lead from a place in its cell to cell `d`, relative to its own.
__device__ unsigned offsets_into(const view& v, const cell_box& box, int axis, int place, int d) {
  unsigned count = 0;
  for (int i = 0; i < v.kernel[axis]; ++i)
    count += (place + (i - v.centre[axis]) * v.dilation[axis]) >> box.shift == d;
  return count;
}

/// A warp a sample, a lane a cell of its box.
__global__ __launch_bounds__(survey_threads) void survey_cells(view v, const cell_table table, cell_box box,
                                                               long long samples) {
  const long long sample = (static_cast<long long>(blockIdx.x) * survey_threads + threadIdx.x) / 32;
  if (sample >= samples) return;
  // Any of its rows: those at regular distances may all stand at the same place in their cells.
  const long long first = sample * out_rows_per_sample;
  const long long rows = min(static_cast<long long>(out_rows_per_sample), v.outs - first);
  const auto pick = hash_table::splitmix_of(static_cast<std::uint64_t>(sample + 1));
  const coordinate at =
      v.wanted(v.outs_at[first + static_cast<long long>(pick % static_cast<std::uint64_t>(rows))], {0, 0, 0});
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned survivors_here = 0;
  if (lane < box.cells()) {
    constexpr int low = map_edge - 1;
    const int3 d = box.cell(lane);
    const unsigned weight = offsets_into(v, box, 0, at.y & low, d.x) *
                            offsets_into(v, box, 1, at.z & low, d.y) *
                            offsets_into(v, box, 2, at.w & low, d.z);
    unsigned looked = 0;
    if (weight > 0 && table.find(neighbor(box.cell_of(at), d, box.shift, v.guards), looked) >= 0)
      survivors_here = weight;
  }
  const unsigned all = __reduce_add_sync(~0u, survivors_here);
  if (lane == 0 && all > 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&v.scratch.survey->survivors),
              static_cast<unsigned long long>(all));
}

void launch_choice(launcher& to, const problem& p, const switches& s, const std::string& name) {
  constexpr std::pair<const char*, void (*)(launcher&, const problem&, const switches&)> variants[] = {
      {"flat", flat}, {"flat_exchanged", flat_exchanged}, {"hierarchical", hierarchical}, {"cells", cells}};
  for (const auto& [variant, launch_variant] : variants)
    if (name == variant) return launch_variant(to, p, s);
  throw std::logic_error("no launch function of '" + name + "'");
}

void dispatch_published(launcher& to, const problem& p, const switches& s) {
  launch_choice(to, p, s, published_choice(p));
}

void dispatch_measured(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::read_back)) return sum_digests(to, p);
  if (!depends_on_density(p)) return launch_choice(to, p, s, measured_choice(p, {}));
  number_all_cells(to, p, map_edge);
  const scratch own(p);
  const long long samples = blocks_for(p.outs, out_rows_per_sample);
  launch(to, begin_survey, dim3(1), dim3(1), 0, view(p));
  launch(to, survey_cells, dim3(blocks_for(32 * samples, survey_threads)), dim3(survey_threads), 0, view(p),
         table_of_cells(own), box_of(p, map_edge), samples);
  const cell_survey found = to.read(
      own.survey, {static_cast<std::uint64_t>(p.rows), static_cast<std::uint64_t>(samples * p.offsets())});
  const double asked = static_cast<double>(samples) * p.offsets();
  const cell_density density = {static_cast<double>(found.cells),
                                samples > 0 ? static_cast<double>(found.survivors) / asked : 0};
  problem rest = p;
  rest.first = phase::build;
  launch_choice(to, rest, s, measured_choice(p, density));
}

}  // namespace ablate::kernel_map

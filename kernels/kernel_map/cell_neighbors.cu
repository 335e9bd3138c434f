// The numbers of the cells around each occupied cell of 4³ voxels:
//   dense[i][id] = number of the cell at place i of the box around cell id, or −1,
// [cells of the box][rows], so that both passes of the matchers read contiguous numbers instead of looking
// cells up again. A block handles 32 cells, one per lane, whose neighbors eight warps share. Should move:
// look-ups, to one per cell and neighbor; sectors of each, to one where the key and what is found are side
// by side (numbered_maps.cuh).
#include "kernels/kernel_map/cell_matches.cuh"
#include "kernels/kernel_map/numbered_maps.cuh"

namespace ablate::kernel_map {

constexpr int neighbor_threads = 8;  ///< that split the neighbors of a cell

template <class Table, bool Instrumented>
__global__ __launch_bounds__(32 * neighbor_threads) void find_neighbors(view v, const Table table,
                                                                        cell_box box) {
  tally<Instrumented> events;
  const unsigned cells = v.scratch.cell_count[0], groups = groups_of(v);
  for (unsigned group = blockIdx.x; group < groups; group += gridDim.x) {
    const unsigned id = group * 32 + threadIdx.x;
    if (id >= cells) continue;
    const coordinate at = reinterpret_cast<const coordinate*>(v.scratch.cell_coordinates)[id];
    for (int i = static_cast<int>(threadIdx.y); i < box.cells(); i += neighbor_threads) {
      const int3 d = box.cell(i);
      unsigned looked = 0;
      const bool itself = d.x == 0 && d.y == 0 && d.z == 0;
      v.scratch.dense[i * v.rows + id] =
          itself ? static_cast<int>(id) : table.find(neighbor(at, d, box.shift, v.guards), looked);
      events.add(coarse_probes, looked);
    }
  }
  events.write(v.events);
}

namespace {

template <class Table>
void find_all_in(launcher& to, const problem& p, const Table& table, const cell_box& box) {
  with_form(p, [&](auto instrumented) {
    launch(to, find_neighbors<Table, instrumented>, dim3(match_blocks(to, p)), dim3(32, neighbor_threads), 0,
           view(p), table, box);
  });
}

}  // namespace

void find_all_neighbors(launcher& to, const problem& p, cell_numbering numbering, const cell_box& box) {
  const scratch s(p);
  if (numbering == cell_numbering::by_block)
    find_all_in(to, p, numbered_maps_in(s), box);
  else
    find_all_in(to, p, table_of_cells(s), box);
}

}  // namespace ablate::kernel_map

// offsets as the published form finds them: one block of threads a head counts all entries of its lists and
// sums the counts, however many there are; so 16 heads keep 16 multiprocessors busy. The published kernel has
// all counts of a head in registers, and does not compile where there are too many of them; here they are
// in device memory, and any number of blocks will do. Should move, against mark_beginnings: SM active.
#include <cub/block/block_scan.cuh>

#include "kernels/common/fill.h"
#include "kernels/list_transpose/view.cuh"

namespace ablate::list_transpose {

constexpr int head_threads = 512;

/// blockIdx.x: head. first_of_head[head] becomes the number of its entries.
__global__ __launch_bounds__(head_threads) void count_head(const __grid_constant__ view v,
                                                           std::uint32_t* counts, long long* first_of_head) {
  const long long of_head = static_cast<long long>(v.blocks) * v.selected, first = blockIdx.x * of_head;
#pragma unroll 1
  for (long long i = threadIdx.x; i < of_head; i += head_threads) {
    const list_entry entry(v, first + i);
    if (entry.is_there) atomicAdd(counts + entry.row(v), 1u);
  }
  using scan = cub::BlockScan<long long, head_threads>;
  __shared__ typename scan::TempStorage storage;
  __syncthreads();  // all counts of the head are in device memory
  long long carried = 0;
#pragma unroll 1
  for (int begin = 0; begin < v.blocks; begin += head_threads) {
    const int key = begin + static_cast<int>(threadIdx.x);
    const long long row = blockIdx.x * static_cast<long long>(v.blocks) + key;
    long long before, sum;
    // Atomics leave what they add in L2.
    scan(storage).ExclusiveSum(key < v.blocks ? static_cast<long long>(__ldcg(counts + row)) : 0, before,
                               sum);
    if (key < v.blocks) v.offsets[row] = carried + before;
    carried += sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) first_of_head[blockIdx.x] = carried;
}

/// Rows begin after the entries of all heads before theirs.
__global__ __launch_bounds__(head_threads) void move_heads(const __grid_constant__ view v,
                                                           const long long* entries_of_head) {
  const int head = static_cast<int>(blockIdx.x);
  long long before = 0;
  for (int i = 0; i < head; ++i) before += entries_of_head[i];
  for (int key = static_cast<int>(threadIdx.x); key < v.blocks; key += head_threads)
    v.offsets[head * static_cast<long long>(v.blocks) + key] += before;
  if (head + 1 == v.heads && threadIdx.x == 0) v.offsets[v.rows] = before + entries_of_head[head];
}

void count_by_head(launcher& to, const problem& p) {
  const view v(p);
  const count_memory memory = cut_count_memory(p);
  auto* const of_head = reinterpret_cast<long long*>(memory.first_of_head);
  fill(to, {{memory.counts, p.rows() + 1, 0}});
  const dim3 heads(static_cast<unsigned>(v.heads));
  launch(to, count_head, heads, dim3(head_threads), 0, v, memory.counts, of_head);
  launch(to, move_heads, heads, dim3(head_threads), 0, v, of_head);
}

}  // namespace ablate::list_transpose

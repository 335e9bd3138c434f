// The yardstick on the device: each row judged by scores and masses in fp64, a block of threads a row; and
// the inputs, which are made on the device. Nothing here is measured. How a row is judged is held against the
// oracle at the sampled rows.
#include <cub/block/block_reduce.cuh>

#include "kernels/block_sparse_selection/view.cuh"
#include "oracles/block_sparse_selection/generated_inputs.h"
#include "oracles/block_sparse_selection/launches.h"
#include "oracles/block_sparse_selection/row_facts.h"

namespace ablate::block_sparse_selection {

struct exact_score {
  double score, bound;  ///< bound: Σ|q·k|
};

__device__ inline exact_score exact_score_of(const double (&query)[width], const uint4* key_row) {
  exact_score sum{};
  for (int i = 0; i < width / 8; ++i) {
    float key[8];
    widen(key_row[i], key);
#pragma unroll
    for (int d = 0; d < 8; ++d) {
      const double product = query[8 * i + d] * static_cast<double>(key[d]);
      sum.score += product;
      sum.bound += fabs(product);
    }
  }
  return sum;
}

struct combine_facts {
  __device__ row_facts operator()(row_facts a, const row_facts& b) const {
    a.add(b);
    return a;
  }
};
struct greater_score {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};

__device__ inline void note(const row_facts& row, row_fault fault, long long number, findings* found) {
  constexpr double units = 4294967296.0;  // 2^32
  atomicAdd(&found->rows, 1ull);
  atomicAdd(&found->summed_rows, 1ull);
  atomicAdd(&found->kept_blocks, static_cast<unsigned long long>(row.count));
  atomicAdd(&found->kept_mass, static_cast<unsigned long long>(row.kept / row.total * units));
  if (fault == row_fault::none) return;
  atomicAdd(&found->wrong_rows, 1ull);
  atomicMin(&found->first_wrong,
            static_cast<unsigned long long>(number) << 3 | static_cast<unsigned long long>(fault));
}

/// blockIdx.x: a row of all heads.
__global__ __launch_bounds__(row_threads) void judge(const __grid_constant__ view v, demand asked,
                                                     findings* found) {
  using most = cub::BlockReduce<double, row_threads>;
  using all = cub::BlockReduce<row_facts, row_threads>;
  __shared__ typename most::TempStorage max_storage;
  __shared__ typename all::TempStorage all_storage;
  __shared__ double query[width];
  __shared__ double shared_greatest;
  const int thread = static_cast<int>(threadIdx.x);
  const long long number = blockIdx.x;
  const int head = static_cast<int>(number / v.queries);
  if (thread < width) query[thread] = element_of_query(v, head, static_cast<int>(number % v.queries), thread);
  __syncthreads();

  double mine = -INFINITY;
  for (int key = thread; key < v.keys; key += row_threads)
    mine = fmax(mine, exact_score_of(query, v.key_row(head, key)).score);
  mine = most(max_storage).Reduce(mine, greater_score());
  if (thread == 0) shared_greatest = mine;
  __syncthreads();
  const double greatest = shared_greatest;

  row_facts facts;
  const std::uint32_t* const kept = v.kept + number * v.words;
  for (int key = thread; key < v.keys; key += row_threads) {
    const exact_score of = exact_score_of(query, v.key_row(head, key));
    facts.add(key, (kept[key / 32] >> key % 32 & 1) != 0, of.score, of.bound, exp((of.score - greatest) / 8));
  }
  if (thread == 0 && v.keys % 32 != 0 && kept[v.keys / 32] >> v.keys % 32 != 0) facts.strays = 1;
  facts = all(all_storage).Reduce(facts, combine_facts());
  if (thread == 0) note(facts, fault_of(facts, asked, v.counts[number], greatest), number, found);
}

__global__ void clear_findings(findings* found) { *found = {0, 0, ~0ull, 0, 0, 0}; }

/// blockIdx.x: a sample.
__global__ __launch_bounds__(row_threads) void copy_samples(const __grid_constant__ view v,
                                                            const sampled_row* samples, std::uint32_t* kept,
                                                            std::int32_t* counts) {
  const sampled_row at = samples[blockIdx.x];
  const long long row = v.row(at.head, at.row);
  for (int word = static_cast<int>(threadIdx.x); word < v.words; word += row_threads)
    kept[static_cast<long long>(blockIdx.x) * v.words + word] = v.kept[row * v.words + word];
  if (threadIdx.x == 0) counts[blockIdx.x] = v.counts[row];
}

void judge_with_fp64(launcher& to, const checked_problem& p, const switches&) {
  const view v(p);
  launch(to, clear_findings, dim3(1), dim3(1), 0, p.found);
  launch(to, judge, dim3(static_cast<unsigned>(p.rows())), dim3(row_threads), 0, v, p.asked(), p.found);
  launch(to, copy_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(row_threads), 0, v, p.samples,
         p.sampled_kept, p.sampled_counts);
}

/// Of q or, `is_key`, of k.
__global__ __launch_bounds__(row_threads) void make_rows(checked_problem p, bool is_key) {
  auto* const to = const_cast<std::uint16_t*>(is_key ? p.k : p.q);
  const long long blocks = is_key ? p.keys : p.queries;
  for (long long i = blockIdx.x * static_cast<long long>(row_threads) + threadIdx.x;
       i < p.heads * blocks * width; i += gridDim.x * static_cast<long long>(row_threads)) {
    const long long row = i / width;
    to[i] = generated_bits(p, is_key ? tensor::k : tensor::q, row / blocks, row % blocks,
                           static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors));
  launch(to, make_rows, grid, dim3(row_threads), 0, p, false);
  launch(to, make_rows, grid, dim3(row_threads), 0, p, true);
}

}  // namespace ablate::block_sparse_selection

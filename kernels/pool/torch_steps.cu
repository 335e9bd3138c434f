// Pooling by grid (Point Transformer V2, §3.4) in the steps of PTv3's code, a launch or a call of the library
// each, with 64-bit codes and indices as PyTorch has them:
//   shift all codes · unique of the first curve's: a sort with the rows, flags, sums of them, the inverse,
//   the counts · sort of the cluster ids for the members · sums of the counts · heads · codes of the heads ·
//   a sort of these on each curve · a scatter for each inverse.
// The published code waits for the number of unique codes, twice more for the instances' counts. Where the
// host is absent, the number of clusters is known beforehand, so that the sorts take no more words.
// The first sort is stable, so the members ascend within a cluster, as they do in the second.
// Should move: launches and bytes, against flags of orders that exist.
#include <thrust/iterator/constant_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/pool/launches.h"
#include "kernels/pool/number_flags.cuh"
#include "kernels/pool/phases.h"

namespace ablate::pool {

constexpr int step_threads = 256;

__global__ __launch_bounds__(step_threads) void shift_codes(const __grid_constant__ grid_view v,
                                                            std::uint64_t* shifted) {
  const int row = static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  if (row < v.points) shifted[blockIdx.y * v.pitch + row] = v.code_of(static_cast<int>(blockIdx.y), row);
}

__global__ __launch_bounds__(step_threads) void write_numbers(std::int64_t* numbers, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * step_threads + threadIdx.x;
  if (i < count) numbers[i] = i;
}

/// 1 where another code begins, but not at the first.
__global__ __launch_bounds__(step_threads) void flag_other_codes(const std::uint64_t* sorted, int points,
                                                                 std::int64_t* flags) {
  const int i = static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  if (i < points) flags[i] = i > 0 && sorted[i] != sorted[i - 1] ? 1 : 0;
}

/// `ids[i]`: cluster of the i-th sorted row. Each row's cluster, the number of clusters, and where each
/// begins.
__global__ __launch_bounds__(step_threads) void scatter_ids(const __grid_constant__ grid_view v,
                                                            const std::int64_t* ids, const std::int64_t* rows,
                                                            std::int64_t* cluster_of_row) {
  const int i = static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  if (i >= v.points) return;
  const std::int64_t id = ids[i];
  cluster_of_row[rows[i]] = id;
  v.cluster[rows[i]] = static_cast<std::uint32_t>(id);
  if (i == v.points - 1) v.count[v.instances] = static_cast<std::int32_t>(id + 1);
}

__global__ __launch_bounds__(step_threads) void zero_counts(std::uint32_t* counts, unsigned rows) {
  const unsigned j = blockIdx.x * step_threads + threadIdx.x;
  if (j <= rows) counts[j] = 0;
}

__global__ __launch_bounds__(step_threads) void count_members(const __grid_constant__ grid_view v,
                                                              std::uint32_t* counts) {
  const int row = static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  if (row < v.points) atomicAdd(counts + v.cluster[row], 1u);
}

__global__ __launch_bounds__(step_threads) void write_members(const __grid_constant__ grid_view v,
                                                              const std::int64_t* rows) {
  const int i = static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  if (i < v.points) v.member[i] = static_cast<std::uint32_t>(rows[i]);
}

/// Cells of the heads, the first members of the clusters, and where instances begin.
__global__ __launch_bounds__(step_threads) void describe_heads(const __grid_constant__ grid_view v) {
  const unsigned j = blockIdx.x * step_threads + threadIdx.x, rows = v.rows();
  if (j >= rows) return;
  const int head = static_cast<int>(v.member[v.start[j]]);
  v.write_cell(j, head);
  const int instance = v.instance_of(v.code_of(0, head));
  const int before = j == 0 ? -1 : v.instance_of(v.code_of(0, static_cast<int>(v.member[v.start[j - 1]])));
  if (instance != before) v.begin_instances(before + 1, instance, j);
  // The last instances may have no points.
  if (j == rows - 1) v.begin_instances(instance + 1, v.instances - 1, rows);
}

/// For segments' means.
__global__ __launch_bounds__(step_threads) void average_positions(const __grid_constant__ grid_view v) {
  const unsigned j = blockIdx.x * step_threads + threadIdx.x;
  if (j < v.rows()) v.write_position(j);
}

__global__ __launch_bounds__(step_threads) void gather_codes(const __grid_constant__ grid_view v,
                                                             const std::uint64_t* shifted) {
  const unsigned j = blockIdx.x * step_threads + threadIdx.x;
  if (j >= v.rows()) return;
  const long long of_curve = blockIdx.y * v.pitch;
  v.code_out[of_curve + j] = shifted[of_curve + v.member[v.start[j]]];
}

__global__ __launch_bounds__(step_threads) void scatter_inverse(const __grid_constant__ grid_view v,
                                                                int curve, const std::int64_t* order) {
  const unsigned j = blockIdx.x * step_threads + threadIdx.x;
  if (j >= v.rows()) return;
  const std::int64_t cluster = order[j];
  v.order_out[curve * v.pitch + j] = static_cast<std::int32_t>(cluster);
  v.inverse_out[curve * v.pitch + cluster] = static_cast<std::int32_t>(j);
}

__global__ void count_nothing(const __grid_constant__ grid_view v) {
  v.start[0] = 0;
  v.begin_instances(0, v.instances, 0);
}

class published_chain {
 public:
  published_chain(launcher& to, const problem& p) : to_(to), p_(p), v_(p), s_(p) {}

  void run() {
    const dim3 points(blocks_for(p_.points, step_threads)), block(step_threads);
    const dim3 of_curves(points.x, static_cast<unsigned>(p_.curves));
    launch(to_, shift_codes, of_curves, block, 0, v_, s_.words);

    launch(to_, write_numbers, points, block, 0, s_.numbers, p_.points);
    sort(s_.words, s_.sorted, s_.numbers, s_.indices, p_.points);
    launch(to_, flag_other_codes, points, block, 0, s_.sorted, static_cast<int>(p_.points), s_.sums);
    scan(s_.sums, s_.ids, p_.points, true);
    // The rows' clusters, where the sorted codes were.
    auto* const cluster_of_row = reinterpret_cast<std::int64_t*>(s_.sorted);
    launch(to_, scatter_ids, points, block, 0, v_, s_.ids, s_.indices, cluster_of_row);
    const unsigned rows = waited_for();
    const dim3 clusters(blocks_for(rows, step_threads));
    launch(to_, zero_counts, dim3(blocks_for(rows + 1ll, step_threads)), block, 0, s_.counts, rows);
    launch(to_, count_members, points, block, 0, v_, s_.counts);

    launch(to_, write_numbers, points, block, 0, s_.numbers, p_.points);
    sort(reinterpret_cast<std::uint64_t*>(cluster_of_row), reinterpret_cast<std::uint64_t*>(s_.ids),
         s_.numbers, s_.indices, p_.points);
    launch(to_, write_members, points, block, 0, v_, s_.indices);
    scan(s_.counts, p_.start, rows + 1ll, false);
    launch(to_, describe_heads, clusters, block, 0, v_);
    wait();  // the largest of the instances' counts, then the counts
    wait();
    launch(to_, average_positions, clusters, block, 0, v_);

    launch(to_, gather_codes, dim3(clusters.x, of_curves.y), block, 0, v_, s_.words);
    for (int curve = 0; curve < p_.curves; ++curve) {
      launch(to_, write_numbers, clusters, block, 0, s_.numbers, static_cast<long long>(rows));
      sort(p_.code_out + curve * p_.pitch(), s_.sorted, s_.numbers, s_.indices, rows);
      launch(to_, scatter_inverse, clusters, block, 0, v_, curve, s_.indices);
    }
  }

 private:
  void sort(const std::uint64_t* keys, std::uint64_t* sorted, const std::int64_t* values, std::int64_t* to,
            std::int64_t items) {
    call_cub(to_, "cub::DeviceRadixSort", s_.temporary, s_.temporary_bytes,
             [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
               return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sorted, values, to,
                                                      points_to_sort(items), 0, 64, stream);
             });
  }

  template <class In, class Out>
  void scan(const In* from, Out* sums, std::int64_t items, bool inclusive) {
    call_cub(to_, "cub::DeviceScan", s_.temporary, s_.temporary_bytes,
             [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
               return inclusive ? cub::DeviceScan::InclusiveSum(memory, bytes, from, sums,
                                                                points_to_sort(items), stream)
                                : cub::DeviceScan::ExclusiveSum(memory, bytes, from, sums,
                                                                points_to_sort(items), stream);
             });
  }

  /// The number of clusters, read from the device or known.
  unsigned waited_for() {
    const auto known = static_cast<std::int32_t>(p_.rows);
    return static_cast<unsigned>(p_.host == host_role::published ? to_.read(p_.count + p_.instances, known)
                                                                 : known);
  }
  void wait() { waited_for(); }

  launcher& to_;
  const problem& p_;
  const grid_view v_;
  const scratch s_;
};

void index_by_torch_steps(launcher& to, const problem& p, const switches&) {
  if (p.points == 0) return launch(to, count_nothing, dim3(1), dim3(1), 0, grid_view(p));
  published_chain(to, p).run();
}

void torch_steps(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_by_torch_steps);
}

}  // namespace ablate::pool

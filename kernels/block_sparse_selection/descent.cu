// Chooses a row's key blocks without a sort: finds the least kept score from the top down, and keeps as many
// of its ties as needed, from the first key block on.
//   A thread block has one query block (or two, `rows_a_block`); its scores with all key blocks stay in
// shared memory as unsigned numbers of the same order: up to 64 KiB a row, at 1024 images. Only the bitmap is
// written.
//   `descent=histogram`: digit by digit, 8 bits at a time: key blocks that match the digits so far are
// counted by their next digit, with their mass, by atomics in shared memory; a scan from the greatest digit
// down finds where the row has enough. Scores have few exponents, so the first digit's atomics contend.
//   `descent=bisection`: bit by bit, without atomics: 32 passes count the scores at or above a threshold,
// with their mass.
//   `descent=quarters`: two bits at a time: a pass counts for three thresholds; 16 passes with one barrier
// each.
// Masses are integers, so the order of additions is irrelevant.
// Should move, against the sort: DRAM bytes,
// to those of pooled rows and bitmap.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "kernels/block_sparse_selection/launches.h"
#include "kernels/block_sparse_selection/view.cuh"

namespace ablate::block_sparse_selection {

constexpr int digit_bits = 8, digits = 1 << digit_bits;
static_assert(digits == row_threads, "a thread a digit");

struct greater_image {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return max(a, b); }
};

using sum_of_block = cub::BlockReduce<block_sum, row_threads>;
using scan_of_block = cub::BlockScan<block_sum, row_threads>;
using max_of_block = cub::BlockReduce<unsigned, row_threads>;

/// What threads of a row share beside its scores.
struct shared_choice {
  union {
    sum_of_block::TempStorage sum;
    scan_of_block::TempStorage scan;
    max_of_block::TempStorage most;
  } storage;
  unsigned long long masses[digits];
  int counts[digits];
  block_sum found;
  unsigned image;
  int last_tie;
};
/// The same as raw memory: shared variables have no constructors.
struct alignas(16) shared_choice_memory {
  unsigned char bytes[sizeof(shared_choice)];
};

/// One row: its scores in shared memory, and what all of them are beside.
struct scored_row {
  const unsigned* images;
  int keys;
  float greatest;
  unsigned long long total;

  /// The block's sum of the key blocks that `is_taken` says, in all threads.
  template <class Taken>
  __device__ block_sum sum_of(shared_choice& shared, Taken is_taken) const {
    block_sum mine;
    for (int key = static_cast<int>(threadIdx.x); key < keys; key += row_threads)
      if (const unsigned image = images[key]; is_taken(image))
        mine = mine + block_sum{mass_of(image, greatest), 1};
    const block_sum all = sum_of_block(shared.storage.sum).Reduce(mine, add_sums());
    if (threadIdx.x == 0) shared.found = all;
    __syncthreads();
    const block_sum result = shared.found;
    __syncthreads();
    return result;
  }
};

/// The least score that is kept, what scores more, and how many score as much.
struct least_score {
  unsigned image;
  block_sum above;
  int ties;
};

struct by_histogram {
  __device__ static least_score find(const view& v, const scored_row& row, shared_choice& shared) {
    const int thread = static_cast<int>(threadIdx.x);
    least_score least{};
    for (int shift = 32 - digit_bits; shift >= 0; shift -= digit_bits) {
      shared.counts[thread] = 0;
      shared.masses[thread] = 0;
      __syncthreads();
      for (int key = thread; key < row.keys; key += row_threads) {
        const unsigned image = row.images[key];
        const unsigned long long upper_difference = image ^ least.image;
        if (upper_difference >> (shift + digit_bits) != 0) continue;
        const unsigned digit = image >> shift & (digits - 1);
        atomicAdd(shared.counts + digit, 1);
        atomicAdd(shared.masses + digit, mass_of(image, row.greatest));
      }
      __syncthreads();
      const int digit = digits - 1 - thread;
      const block_sum mine{shared.masses[digit], shared.counts[digit]};
      block_sum from_top;
      scan_of_block(shared.storage.scan).InclusiveScan(mine, from_top, add_sums());
      const block_sum with = least.above + from_top, without = with - mine;
      if (v.has_all(with, row.total) && !v.has_all(without, row.total)) {
        shared.image = least.image | static_cast<unsigned>(digit) << shift;
        shared.found = without;
      }
      __syncthreads();
      least.image = shared.image;
      least.above = shared.found;
      least.ties = shared.counts[least.image >> shift & (digits - 1)];
      __syncthreads();
    }
    return least;
  }
};

/// After a search that found the number alone.
__device__ inline least_score with_what_is_above(const scored_row& row, shared_choice& shared,
                                                 unsigned found) {
  least_score least{found};
  least.above = row.sum_of(shared, [=](unsigned image) { return image > found; });
  least.ties = row.sum_of(shared, [=](unsigned image) { return image == found; }).count;
  return least;
}

struct by_bisection {
  __device__ static least_score find(const view& v, const scored_row& row, shared_choice& shared) {
    least_score least{};
    for (int bit = 31; bit >= 0; --bit) {
      const unsigned tried = least.image | 1u << bit;
      if (v.has_all(row.sum_of(shared, [=](unsigned image) { return image >= tried; }), row.total))
        least.image = tried;
    }
    return with_what_is_above(row, shared, least.image);
  }
};

struct by_quarters {
  static constexpr int bits = 2, numbers = (1 << bits) - 1;  ///< that a pass tries
  static constexpr int sums_of_pass = row_warps * numbers;
  static_assert(2 * sums_of_pass <= digits, "two passes have their sums beside each other");

  __device__ static block_sum sum_of_warp(block_sum sum) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      sum = sum +
            block_sum{__shfl_xor_sync(~0u, sum.mass, distance), __shfl_xor_sync(~0u, sum.count, distance)};
    return sum;
  }

  /// How many of a pass's numbers, from the least on, the row has all that is asked for at.
  __device__ static unsigned numbers_reached(const view& v, const scored_row& row, shared_choice& shared,
                                             unsigned from, int shift, int first_sum) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    block_sum mine[numbers];
    for (int key = thread; key < row.keys; key += row_threads) {
      const unsigned image = row.images[key];
      const unsigned quarter = image < from ? 0 : (image - from) >> shift;
      if (quarter == 0) continue;
      const block_sum here{mass_of(image, row.greatest), 1};
#pragma unroll
      for (int i = 0; i < numbers; ++i)
        if (quarter > static_cast<unsigned>(i)) mine[i] = mine[i] + here;
    }
#pragma unroll
    for (int i = 0; i < numbers; ++i) {
      const block_sum of_warp = sum_of_warp(mine[i]);
      if (lane != 0) continue;
      shared.masses[first_sum + i * row_warps + warp] = of_warp.mass;
      shared.counts[first_sum + i * row_warps + warp] = of_warp.count;
    }
    __syncthreads();
    unsigned reached = 0;
#pragma unroll
    for (int i = 0; i < numbers; ++i) {
      block_sum all;
      for (int w = 0; w < row_warps; ++w) {
        const int at = first_sum + i * row_warps + w;
        all = all + block_sum{shared.masses[at], shared.counts[at]};
      }
      if (v.has_all(all, row.total)) reached = static_cast<unsigned>(i) + 1;
    }
    return reached;
  }

  /// Sums of every other pass are in the same place: whoever writes there has met all threads after the
  /// last pass that read from it.
  __device__ static least_score find(const view& v, const scored_row& row, shared_choice& shared) {
    least_score least{};
    for (int shift = 32 - bits; shift >= 0; shift -= bits) {
      const int first_sum = shift / bits % 2 * sums_of_pass;
      least.image |= numbers_reached(v, row, shared, least.image, shift, first_sum) << shift;
    }
    return with_what_is_above(row, shared, least.image);
  }
};

/// Of the key blocks that tie at the least score that is kept, how many are. What is above them is not
/// enough, and all of them are.
__device__ inline int ties_to_keep(const view& v, const scored_row& row, const least_score& least) {
  int needed = max(v.least_kept - least.above.count, 1);
  const unsigned long long asked = v.mass_percent * row.total, there = 100 * least.above.mass,
                           each = 100 * mass_of(least.image, row.greatest);
  if (asked > there && each > 0) needed = max(needed, static_cast<int>((asked - there + each - 1) / each));
  return needed;
}

/// The place of the last tie that is kept. One warp.
__device__ inline int place_of_tie(const scored_row& row, unsigned image, int number) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int first = 0; first < row.keys; first += 32) {
    const int key = first + lane;
    const unsigned here = __ballot_sync(~0u, key < row.keys && row.images[key] == image);
    if (number <= __popc(here)) return first + static_cast<int>(__fns(here, 0, number));
    number -= __popc(here);
  }
  return row.keys;
}

template <class Descent>
__device__ void choose_row(const view& v, const unsigned* images, long long number, shared_choice& shared) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  unsigned most = 0;
  for (int key = thread; key < v.keys; key += row_threads) most = max(most, images[key]);
  most = max_of_block(shared.storage.most).Reduce(most, greater_image());
  if (thread == 0) shared.image = most;
  __syncthreads();
  scored_row row{images, v.keys, score_of(shared.image), 0};
  row.total = row.sum_of(shared, [](unsigned) { return true; }).mass;

  const least_score least = Descent::find(v, row, shared);
  const int ties = ties_to_keep(v, row, least);
  if (warp == 0) {
    const int last = ties < least.ties ? place_of_tie(row, least.image, ties) : v.keys;
    if (lane == 0) shared.last_tie = last;
  }
  __syncthreads();
  const int last_tie = shared.last_tie;
  for (int word = warp; word < v.words; word += row_warps) {
    const int key = 32 * word + lane;
    const unsigned image = key < v.keys ? images[key] : 0;
    const bool is_kept = key < v.keys && (image > least.image || (image == least.image && key <= last_tie));
    const unsigned bits = __ballot_sync(~0u, is_kept);
    if (lane == 0) v.kept[number * v.words + word] = bits;
  }
  if (thread == 0) v.counts[number] = least.above.count + ties;
  __syncthreads();  // the next row's choice has this memory
}

/// blockIdx.x: query blocks; blockIdx.y: head.
template <int Rows, class Descent>
__global__ __launch_bounds__(row_threads) void choose_rows(const __grid_constant__ view v) {
  extern __shared__ unsigned images[];  // [Rows][keys]
  __shared__ __align__(16) float query[Rows][width];
  __shared__ shared_choice_memory memory;
  auto& shared = reinterpret_cast<shared_choice&>(memory);
  const int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * Rows;
  load_queries(v, head, first, query);
  for (int key = static_cast<int>(threadIdx.x); key < v.keys; key += row_threads) {
    float scores[Rows];
    score_key(v.key_row(head, key), query, scores);
#pragma unroll
    for (int r = 0; r < Rows; ++r) images[r * v.keys + key] = image_of(scores[r]);
  }
  __syncthreads();
  for (int r = 0; r < Rows && first + r < v.queries; ++r)
    choose_row<Descent>(v, images + r * v.keys, v.row(head, first + r), shared);
}

template <int Rows>
void run_descent(launcher& to, const problem& p, const switches& s) {
  const view v(p);
  const text_view descent = s.word("descent");
  launch(to,
         descent == "bisection"  ? choose_rows<Rows, by_bisection>
         : descent == "quarters" ? choose_rows<Rows, by_quarters>
                                 : choose_rows<Rows, by_histogram>,
         dim3(blocks_for(v.queries, Rows), static_cast<unsigned>(v.heads)), dim3(row_threads),
         sizeof(unsigned) * static_cast<std::size_t>(Rows * v.keys), v);
}

void descent(launcher& to, const problem& p, const switches& s) {
  if (s.integer("rows_per_block") == 2)
    run_descent<2>(to, p, s);
  else
    run_descent<1>(to, p, s);
}

}  // namespace ablate::block_sparse_selection

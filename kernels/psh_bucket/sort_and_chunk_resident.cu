// sort_and_chunk in one launch. The points are sorted only by the leading bits of their key (a cell), few
// enough for counters in shared memory, and cut into chunks of S. One cooperative kernel with one persistent
// block per multiprocessor: (1) box; (2) each block counts its points by cell, commits the counts in bulk and
// keeps the returned values; (3) each block sums all cells for itself, which yields every point's rank,
// bucket and row. A grid barrier between phases replaces a launch. A block keeps its points in shared memory,
// sorts them by cell while the commit is in flight, and writes its rows as runs; parts that do not fit pass
// through device memory. `holds=coordinates`: a block keeps only its points' coordinates, 6 bytes each
// instead of 12, so that parts more than twice as large fit. A point's state between phases is stored in
// place of its later offset, and rows are written in the order of the points: in a scan neighbors share a
// cell, so their rows are contiguous without a sort. Should move: launches, from four to one; L2 atomics, to
// one a cell and block; L2 write sectors, down.
#include <cooperative_groups.h>

#include "kernels/psh_bucket/grid_share.cuh"
#include "kernels/psh_bucket/key_order.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/staging.cuh"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

namespace {

/// Divides ranks by the capacity: a product with 2^32 / capacity, rounded up, is the quotient or one more.
struct rank_divisor {
  unsigned by, inverse;

  /// `by` is 2 or more.
  __device__ explicit rank_divisor(unsigned by) : by(by), inverse(0xffffffffu / by + 1) {}

  __device__ unsigned quotient(unsigned rank) const {
    const unsigned at_most = __umulhi(rank, inverse);
    return at_most * by > rank ? at_most - 1 : at_most;
  }
};

/// What a block keeps in shared memory of a part that fits.
enum class holding {
  rows,        ///< coordinates, the row of each point and their order
  coordinates  ///< those alone
};

template <bool Instrumented, holding Holds>
class resident_ranking {
 public:
  __device__ resident_ranking(const view& v, bool isotropic, int cell_bits, unsigned held,
                              std::uint32_t* shared)
      : v_(v),
        isotropic_(isotropic),
        cells_(1 << cell_bits),
        cell_shift_(16 - cell_bits),
        held_(held),
        count_(shared),
        base_(shared + cells_),
        rows_(base_ + cells_, held) {}

  __device__ void run() {
    const auto grid = cooperative_groups::this_grid();
    const unsigned thread = blockIdx.x * block_points + threadIdx.x, threads = gridDim.x * block_points;
    extremes mine = no_extremes();
    if (held_ > 0)
      for_each_part(v_, [&](const instance_part& part) { mine = rows_.load(v_, part); });
    else
      mine = extremes_of_parts(v_);
    for (unsigned i = thread; i < static_cast<unsigned>(v_.instances) * cells_; i += threads)
      v_.scratch.key_histogram[i] = 0;
    for (int c = threadIdx.x; c < cells_; c += block_points) count_[c] = 0;
    store_extremes(v_, mine);
    auto arrived = grid.barrier_arrive();
    write_chunk_counts(v_, thread, threads);
    pad_chunk_rows(v_, thread, threads);
    grid.barrier_wait(std::move(arrived));
    box_ = scale_of_all(v_, isotropic_);
    for_each_part(v_, [&](const instance_part& part) { held_ > 0 ? count_held(part) : count(part); });
    arrived = grid.barrier_arrive();
    if (held_ > 0) for_each_part(v_, [&](const instance_part& part) { order_held(part); });
    grid.barrier_wait(std::move(arrived));
    for_each_part(v_, [&](const instance_part& part) { held_ > 0 ? cut_held(part) : cut(part); });
    events_.write(v_.events);
  }

 private:
  __device__ void count_held(const instance_part& part) {
    for (unsigned i = threadIdx.x; i < part.end - part.begin; i += block_points) {
      const unsigned cell = cell_of(rows_.coordinates(i));
      const unsigned state = rank_in_block(cell) << 16 | cell;
      if constexpr (Holds == holding::rows)
        rows_.row(i) = state;
      else
        v_.bucket_off[part.begin + i] = state;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cells_; c += block_points) base_[c] = commit(part, c);
  }

  /// While other blocks count: the order of this block's rows, by cell.
  __device__ void order_held(const instance_part& part) {
    if constexpr (Holds == holding::coordinates) return;
    sum_in_order<unsigned>(
        cells_, [&](int c) { return count_[c]; },
        [&](int c, unsigned before, unsigned) { count_[c] = before; });
    for (unsigned i = threadIdx.x; i < part.end - part.begin; i += block_points)
      rows_.put(count_[rows_.row(i) & 0xffff] + (rows_.row(i) >> 16), i);
  }

  __device__ void cut_held(const instance_part& part) {
    sum_cells(part, [&](int c, unsigned before) { base_[c] += before; });
    if constexpr (Holds == holding::coordinates) return write_in_order_of_points(part);
    const auto rank_of = [&](unsigned i) { return base_[rows_.row(i) & 0xffff] + (rows_.row(i) >> 16); };
    const unsigned first_row = first_row_of(part), chunk = v_.capacity;
    for (unsigned i = threadIdx.x; i < part.end - part.begin; i += block_points) {
      const unsigned rank = rank_of(i), bucket = rank / chunk;
      v_.bucket_id[part.begin + i] = static_cast<std::uint16_t>(bucket);
      v_.bucket_off[part.begin + i] = rank - bucket * chunk;
    }
    rows_.write(v_, part, [&](unsigned i) { return first_row + rank_of(i); });
  }

  __device__ void write_in_order_of_points(const instance_part& part) {
    const unsigned first_row = first_row_of(part), points = part.end - part.begin;
    const rank_divisor chunk(v_.capacity);
    // A thread's own states, from the counting; each is read a round before it is needed.
    unsigned next = threadIdx.x < points ? v_.bucket_off[part.begin + threadIdx.x] : 0;
    for (unsigned i = threadIdx.x; i < points; i += block_points) {
      const unsigned state = next, point = part.begin + i;
      if (i + block_points < points) next = v_.bucket_off[point + block_points];
      const unsigned rank = base_[state & 0xffff] + (state >> 16), bucket = chunk.quotient(rank);
      v_.bucket_id[point] = static_cast<std::uint16_t>(bucket);
      v_.bucket_off[point] = rank - bucket * v_.capacity;
      write_row_of(first_row + rank, rows_.coordinates(i), point);
    }
  }

  /// Six bytes by two stores: whichever two of the numbers begin at a multiple of four bytes go together.
  __device__ void write_row_of(unsigned row, const __half* coordinates, unsigned point) const {
    const unsigned x = __half_as_ushort(coordinates[0]), y = __half_as_ushort(coordinates[1]),
                   z = __half_as_ushort(coordinates[2]);
    auto* const to = reinterpret_cast<std::uint16_t*>(v_.scattered) + 3ull * row;
    const bool is_odd = row % 2 == 1;
    *reinterpret_cast<std::uint32_t*>(to + is_odd) = is_odd ? z << 16 | y : y << 16 | x;
    to[is_odd ? 0 : 2] = static_cast<std::uint16_t>(is_odd ? x : z);
    v_.source[row] = point;
  }

  __device__ void count(const instance_part& part) {
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points) {
      const unsigned cell = cell_of(v_.coordinates + 3ull * point);
      v_.bucket_id[point] = static_cast<std::uint16_t>(cell);
      v_.bucket_off[point] = rank_in_block(cell);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < cells_; c += block_points) base_[c] = commit(part, c);
    __syncthreads();
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
      v_.bucket_off[point] += base_[v_.bucket_id[point]];
    for (int c = threadIdx.x; c < cells_; c += block_points) count_[c] = 0;
    __syncthreads();
  }

  __device__ void cut(const instance_part& part) {
    sum_cells(part, [&](int c, unsigned before) { base_[c] = before; });
    for (unsigned point = part.begin + threadIdx.x; point < part.end; point += block_points)
      write_ranked(v_, part.instance, part.instance_begin, base_[v_.bucket_id[point]] + v_.bucket_off[point],
                   point);
    __syncthreads();
  }

  __device__ unsigned cell_of(const __half* coordinates) {
    events_.add(points);
    return ordered_key(v_, v_.key_of(view::voxel_at(coordinates, box_))) >> cell_shift_;
  }

  __device__ unsigned rank_in_block(unsigned cell) {
    events_.add(shared_atomics);
    return atomicAdd(count_ + cell, 1u);
  }

  /// Adds the block's count of a cell; the points that the cell had before.
  __device__ unsigned commit(const instance_part& part, int cell) {
    if (count_[cell] == 0) return 0;
    events_.add(global_atomics);
    return atomicAdd(counters_of(part) + cell, count_[cell]);
  }

  template <class Use>
  __device__ void sum_cells(const instance_part& part, Use use) {
    const std::uint32_t* counters = counters_of(part);
    sum_in_order<unsigned>(
        cells_, [&](int c) { return __ldcg(counters + c); },
        [&](int c, unsigned before, unsigned) { use(c, before); });
  }

  __device__ std::uint32_t* counters_of(const instance_part& part) const {
    return v_.scratch.key_histogram + static_cast<std::int64_t>(part.instance) * cells_;
  }
  __device__ unsigned first_row_of(const instance_part& part) const {
    return v_.strided ? part.instance * v_.buckets * v_.capacity : part.instance_begin;
  }

  const view& v_;
  const bool isotropic_;
  const int cells_, cell_shift_;
  const unsigned held_;  ///< points for which the block has shared memory; 0 = none is held
  std::uint32_t* const
      count_;  ///< [cells]: of the block; then the cell's first place in the order of its rows
  std::uint32_t* const base_;  ///< [cells]: points of the cell in other blocks; then of the cells before, too
  staging rows_;
  voxel_scale box_{};
  tally<Instrumented> events_;
};

}  // namespace

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void rank_and_cut(view v, bool isotropic, int cell_bits,
                                                             unsigned held) {
  extern __shared__ uint4 shared_words[];
  resident_ranking<Instrumented, holding::rows>(v, isotropic, cell_bits, held,
                                                reinterpret_cast<std::uint32_t*>(shared_words))
      .run();
}

template <bool Instrumented>
__global__ __launch_bounds__(block_points, 1) void rank_and_scatter(view v, bool isotropic, int cell_bits,
                                                                    unsigned held) {
  extern __shared__ uint4 shared_words[];
  resident_ranking<Instrumented, holding::coordinates>(v, isotropic, cell_bits, held,
                                                       reinterpret_cast<std::uint32_t*>(shared_words))
      .run();
}

void sort_and_chunk_resident(launcher& to, const problem& p, const switches& s) {
  const int cell_bits = static_cast<int>(s.integer("key_bits"));
  const unsigned blocks = resident_blocks(to, p);
  const bool coordinates_alone = s.has("holds");
  const held_part held(to, p, blocks, 2 * sizeof(std::uint32_t) << cell_bits,
                       coordinates_alone ? staging::coordinate_bytes : staging::bytes_per_point);
  with_form(p, [&](auto instrumented) {
    launch(to, coordinates_alone ? rank_and_scatter<instrumented> : rank_and_cut<instrumented>,
           geometry{.grid = dim3(blocks),
                    .block = dim3(block_points),
                    .dynamic_shared_bytes = held.dynamic_shared_bytes,
                    .cooperative = true},
           view(p), p.quantization == quantization::isotropic, cell_bits, held.points);
  });
  scatter_features(to, p);
}

}  // namespace ablate::psh_bucket

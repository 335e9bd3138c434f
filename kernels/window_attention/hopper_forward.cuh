// Forward attention on Hopper: tensor memory accelerator, warpgroup products, warp specialization.
//   S = Q·Kᵀ (64 queries of a warpgroup × 128 keys, fp32 in registers), P = 2^(c·s − m) with c = log2(e) /
//   √D, O += P·V with P as the register operand: accumulators of S are, packed to bf16, fragments of A.
// One thread of the first warpgroup copies: the block's queries, then tiles of 128 keys and of their values
// around a ring of stages, each with a barrier for "full" and one for "empty". Where a tile's rows stand is
// looked up in the scope table, one word for as many rows as a bucket has; that is all that redirection
// costs. The other warpgroups own 64 queries each. Blocks are persistent and take query tiles in turn, tiles
// of one (window, head) together, so that its keys and values come from L2. Should move: the tensor pipe's
// activity; DRAM reads, down to each row once.
#pragma once

#include <cuda_bf16.h>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention/fixed_maximum.cuh"
#include "kernels/window_attention/redo_list.cuh"
#include "kernels/window_attention/row_walk.cuh"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// How P is kept in range. What leaves it with a fixed maximum (fixed_maximum.cuh) puts the query tile on a
/// list, from which a second launch does it again, online. Finite scores must stay below 2^30: their product
/// with c is rounded where it is subtracted and not where it is subtracted from.
enum class softmax_form {
  online,  ///< the running maximum of each row is subtracted, outputs are rescaled when it rises
  /// Nothing is subtracted where c · ‖q‖ · ‖k‖ stays below 100 for all keys of a window: bf16 has the
  /// exponents of fp32, so P loses nothing; outputs overflow with values above 2^11 alone. Elsewhere, query
  /// tile by query tile, online.
  bounded,
  /// The maximum of each row over the first 128 keys is subtracted, whatever comes: only scores 120 powers of
  /// two above it overflow, or fewer where values are large.
  first_tile
};

/// `SoftwareExp2`: of 16 exponentials those that a polynomial computes on the FMA pipe (bounded only), so
/// that the other unit has fewer. `PingPong`: warpgroups issue their products one after the other, so that
/// some are in their softmax while others multiply.
/// `SumsByProduct`: eight columns of ones beside the values make the product sum the probabilities too
/// (not online). `FromList`: only the query tiles of the list.
template <softmax_form Form, int SoftwareExp2 = 0, bool PingPong = false, bool SumsByProduct = false,
          bool FromList = false>
struct forward_options {
  static constexpr bool from_list = FromList;
  static constexpr bool scattered_rows = false;  ///< outputs go to rows found through the index
  static constexpr bool sums_by_product = SumsByProduct;
  static constexpr softmax_form form = Form;
  static constexpr int software_exp2 = SoftwareExp2;
  static constexpr bool ping_pong = PingPong;
};

constexpr int keys_per_tile = 128, rows_per_group = 64;

/// The shape of a block. `Overlaps`: the products of the next scores are issued before the softmax of these.
/// `ListedRows`: queries of a tile that is done again, by the shape that does so.
template <int Width, int Groups, int Stages, bool Overlaps, int ProducerRegisters, int ConsumerRegisters,
          int ListedRows = rows_per_group* Groups>
struct forward_shape {
  static constexpr int width = Width, groups = Groups, stages = Stages;
  static constexpr bool overlaps = Overlaps;
  static constexpr int producer_registers = ProducerRegisters, consumer_registers = ConsumerRegisters;
  static constexpr int threads = 128 * (1 + Groups), query_rows = rows_per_group * Groups;
  static constexpr int listed_rows = ListedRows;
  static constexpr int span_bytes = Width >= 64 ? 128 : 2 * Width;
  static constexpr int panels = Width > 64 ? 2 : 1;  ///< of 128-byte rows
  using swizzle = hopper::swizzle<span_bytes>;
  static constexpr unsigned group_bytes = rows_per_group * Width * 2, tile_bytes = keys_per_tile * Width * 2;
};

/// Queries of this tile and of the next; `WithOnes`: columns of ones beside the values.
template <class Shape, bool WithOnes>
struct forward_memory {
  alignas(1024) unsigned char queries[2][Shape::groups][Shape::group_bytes];
  alignas(1024) unsigned char keys[Shape::stages][Shape::tile_bytes];
  alignas(1024) unsigned char values[Shape::stages][Shape::tile_bytes];
  alignas(1024) unsigned char ones[WithOnes ? keys_per_tile * Shape::span_bytes : 16];
  alignas(1024) unsigned char outputs[Shape::groups][Shape::group_bytes];
  hopper::barrier queries_full[2], queries_empty[2];
  hopper::barrier keys_full[Shape::stages], keys_empty[Shape::stages];
  hopper::barrier values_full[Shape::stages], values_empty[Shape::stages];
  /// Where the queries of four tiles in turn begin, as the copying thread looked it up: it may be two ahead
  /// of a tile whose outputs are stored.
  int query_rows[4][Shape::groups];
  float greatest_key[Shape::groups][4], greatest_query[Shape::groups][4];  ///< squared norms, by warp
};

/// The maps of the four tensors: boxes of 64 rows (queries, outputs) and of 128 (keys, values).
struct forward_maps {
  CUtensorMap queries, keys, values, outputs;
};

/// One query tile of one head of one window.
struct query_tile {
  int batch, head;
  long long window;
  int first_block;  ///< of 64 rows, in the window
};

template <class Shape>
__device__ inline query_tile tile_of(const view& v, long long index) {
  const int tiles = (v.window + Shape::query_rows - 1) / Shape::query_rows;
  query_tile t;
  t.first_block = static_cast<int>(index % tiles) * Shape::groups;
  index /= tiles;
  t.head = static_cast<int>(index % v.heads);
  index /= v.heads;
  t.window = index % v.windows;
  t.batch = static_cast<int>(index / v.windows);
  return t;
}

/// Puts the tile of `Rows` queries with this token of the window on the list, by the index that tile_of
/// takes.
template <int Rows>
__device__ inline void list_again(const view& v, const query_tile& t, int token) {
  const int tiles = (v.window + Rows - 1) / Rows;
  redo_list(v).add(((t.batch * v.windows + t.window) * v.heads + t.head) * tiles + token / Rows);
}

/// How many query tiles there are to do, and which one comes i-th.
template <bool FromList>
__device__ inline long long tile_count(const view& v) {
  return FromList ? static_cast<long long>(redo_list(v).count()) : v.query_tiles;
}
template <bool FromList>
__device__ inline long long tile_index(const view& v, long long i) {
  return FromList ? static_cast<long long>(redo_list(v).tile(i)) : i;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The thread that copies.
template <class Shape, bool FromList, class Memory>
__device__ void produce(const forward_maps& maps, const view& v, Memory& shared) {
  using namespace hopper;
  ring_position at, queries_at;
  const int key_tiles = v.window / keys_per_tile, last_block = v.window / rows_per_group - 1;
  const long long tiles = tile_count<FromList>(v);
  for (long long i = blockIdx.x; i < tiles; i += gridDim.x) {
    const query_tile t = tile_of<Shape>(v, tile_index<FromList>(v, i));
    barrier& queries_full = shared.queries_full[queries_at.stage];
    wait(shared.queries_empty[queries_at.stage], queries_at.parity ^ 1);
    int(&query_rows)[Shape::groups] = shared.query_rows[2 * queries_at.parity + queries_at.stage];
    // A group behind the window's end repeats its last block, and stores nothing.
    for (int g = 0; g < Shape::groups; ++g)
      query_rows[g] = v.row_of(t.window, min(t.first_block + g, last_block) * rows_per_group);
    arrive_expecting(queries_full, Shape::groups * Shape::group_bytes);
    for (int g = 0; g < Shape::groups; ++g)
      copy_box_in<Shape::width>(shared.queries[queries_at.stage][g], maps.queries, query_rows[g], t.head,
                                t.batch, queries_full);
    queries_at.advance<2>();
    row_walk<keys_per_tile> rows(v.scope, t.window, v.buckets_per_window, v.bucket);
    for (int tile = 0; tile < key_tiles; ++tile) {
      const int row = rows.next();
      wait(shared.keys_empty[at.stage], at.parity ^ 1);
      arrive_expecting(shared.keys_full[at.stage], Shape::tile_bytes);
      copy_box_in<Shape::width>(shared.keys[at.stage], maps.keys, row, t.head, t.batch,
                                shared.keys_full[at.stage]);
      wait(shared.values_empty[at.stage], at.parity ^ 1);
      arrive_expecting(shared.values_full[at.stage], Shape::tile_bytes);
      copy_box_in<Shape::width>(shared.values[at.stage], maps.values, row, t.head, t.batch,
                                shared.values_full[at.stage]);
      at.advance<Shape::stages>();
    }
  }
}

/// The softmax of two rows a thread (see wgmma.cuh for which), key tile after key tile.
template <softmax_form Form, int SoftwareExp2, bool SumsByProduct>
struct row_softmax {
  float most[2],
      sum[2];  ///< of raw scores (first_tile: times c, what is subtracted); of this thread's columns

  __device__ void begin() {
    most[0] = most[1] = -INFINITY;
    sum[0] = sum[1] = 0;
  }

  /// first_tile: the scores of the first keys tell what is subtracted. Where all of them are −∞ no sum is in
  /// range.
  template <int Count>
  __device__ void look_at_first(const float (&s)[Count], float c) {
    if constexpr (Form == softmax_form::first_tile) {
#pragma unroll
      for (int i = 0; i < Count; ++i) most[i >> 1 & 1] = fmaxf(most[i >> 1 & 1], s[i]);
#pragma unroll
      for (int r = 0; r < 2; ++r) most[r] = most_of_quad(most[r]) * c;
    }
  }

  /// Scores to probabilities; `rescale` is what outputs up to now must be multiplied by (online only).
  template <int Count>
  __device__ void apply(float (&s)[Count], float c, float (&rescale)[2]) {
    if constexpr (Form == softmax_form::first_tile) {
      // Outside of what the polynomial takes: a sum that is too large shows, what is too small does not
      // count. The minimum comes first, since of NaN and a number it is the number: NaN too makes a sum that
      // is too large.
      constexpr float lowest = -127, highest = 127;
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        const float x = fmaf(s[i], c, -most[i >> 1 & 1]);
        s[i] = i % 16 < SoftwareExp2 ? exp2_by_polynomial(fmaxf(fminf(x, highest), lowest), 1) : exp2_of(x);
        if constexpr (!SumsByProduct) sum[i >> 1 & 1] += s[i];
      }
    } else if constexpr (Form == softmax_form::bounded) {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        s[i] = i % 16 < SoftwareExp2 ? exp2_by_polynomial(s[i], c) : exp2_of(s[i] * c);
        if constexpr (!SumsByProduct) sum[i >> 1 & 1] += s[i];
      }
    } else {
      float most_now[2] = {most[0], most[1]}, subtracted[2];
#pragma unroll
      for (int i = 0; i < Count; ++i) most_now[i >> 1 & 1] = fmaxf(most_now[i >> 1 & 1], s[i]);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        most_now[r] = most_of_quad(most_now[r]);
        // A row of −∞ up to now: nothing to subtract, and all its probabilities are 0.
        subtracted[r] = most_now[r] == -INFINITY ? 0 : most_now[r] * c;
        rescale[r] = exp2_of(most[r] * c - subtracted[r]);
        sum[r] *= rescale[r];
        most[r] = most_now[r];
      }
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        s[i] = exp2_of(fmaf(s[i], c, -subtracted[i >> 1 & 1]));
        if constexpr (!SumsByProduct) sum[i >> 1 & 1] += s[i];
      }
    }
  }

  /// After the last tile: the whole row's sum, and its log-sum-exp.
  __device__ float whole_sum(int r) const { return sum_of_quad(sum[r]); }
  __device__ float lse(int r, float whole, float c) const {
    constexpr float ln2 = 0.693147180559945f;
    // All scores are −∞; outputs are 0 / 0.
    if (whole == 0) return NAN;
    const float subtracted = Form == softmax_form::online       ? most[r] * c
                             : Form == softmax_form::first_tile ? most[r]
                                                                : 0;
    return (subtracted + log2f(whole)) * ln2;
  }
};

template <class Shape>
__device__ inline void issue_scores(float (&s)[keys_per_tile / 2], std::uint64_t queries,
                                    std::uint64_t keys) {
  using namespace hopper;
#pragma unroll
  for (int k = 0; k < Shape::width / 16; ++k) {
    const int panel = k / 4, in_panel = 32 * (k % 4);
    wgmma<keys_per_tile>::shared_a<operand_major::k_major>(
        s, moved_by(queries, panel * rows_per_group * 128 + in_panel),
        moved_by(keys, panel * keys_per_tile * 128 + in_panel), k > 0);
  }
  wgmma_commit();
}

/// Columns: the values', and eight of ones where these are summed by the product too.
template <class Shape, int Columns>
__device__ inline void issue_outputs(float (&o)[Columns / 2], const unsigned (&p)[keys_per_tile / 4],
                                     std::uint64_t values, bool accumulates) {
  using namespace hopper;
#pragma unroll
  for (int k = 0; k < keys_per_tile / 16; ++k)
    wgmma<Columns>::template register_a<operand_major::mn_major>(
        o, p + 4 * k, moved_by(values, k * 16 * Shape::span_bytes), accumulates || k > 0);
  wgmma_commit();
}

template <int Count>
__device__ inline void pack_probabilities(unsigned (&p)[Count / 2], const float (&s)[Count]) {
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) p[i] = packed(s[2 * i], s[2 * i + 1]);
}

/// Outputs of a group to its 64 rows of shared memory, swizzled as the copy to device memory expects them.
template <class Shape, int Count>
__device__ inline void stage_outputs(unsigned char* to, const float (&o)[Count], const float (&inverse)[2]) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const unsigned row = 16 * warp + (lane & 15);
#pragma unroll
  for (int j = 0; j < Shape::width / 16; ++j) {
    const unsigned chunk = 2 * j + (lane >> 4), panel = chunk / 8;
    const unsigned offset = Shape::swizzle::place(row * Shape::span_bytes + chunk % 8 * 16);
    const unsigned a = packed(o[8 * j] * inverse[0], o[8 * j + 1] * inverse[0]),
                   b = packed(o[8 * j + 2] * inverse[1], o[8 * j + 3] * inverse[1]),
                   c = packed(o[8 * j + 4] * inverse[0], o[8 * j + 5] * inverse[0]),
                   d = packed(o[8 * j + 6] * inverse[1], o[8 * j + 7] * inverse[1]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     hopper::shared_address(to + panel * rows_per_group * 128 + offset)),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
}

/// Staged outputs of a group to rows found through the index, 16 bytes a thread and step.
template <class Shape>
__device__ inline void store_by_index(const view& v, const query_tile& t, int block,
                                      const unsigned char* from, const float (&lse)[2]) {
  constexpr int chunks = Shape::width / 8;
  const std::int32_t* const rows = v.index + t.window * v.window + block * rows_per_group;
  // Read here, not before: places of chunks worked out ahead of the products would take registers from these.
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  thread %= 128;
  for (int i = thread; i < rows_per_group * chunks; i += 128) {
    const int row = i / chunks, chunk = i % chunks;
    const unsigned offset = Shape::swizzle::place(row * Shape::span_bytes + chunk % 8 * 16);
    *reinterpret_cast<uint4*>(v.out + ((t.batch * v.tokens + rows[row]) * v.heads + t.head) * Shape::width +
                              chunk * 8) =
        *reinterpret_cast<const uint4*>(from + chunk / 8 * rows_per_group * 128 + offset);
  }
  if (thread % 4 != 0) return;
  float* const to = v.lse + (static_cast<long long>(t.batch) * v.heads + t.head) * v.tokens;
  for (int r = 0; r < 2; ++r) to[rows[thread / 32 * 16 + thread % 32 / 4 + 8 * r]] = lse[r];
}

/// By all threads of the block, before its barrier.
template <class Shape, unsigned Bytes>
__device__ inline void write_ones(unsigned char (&ones)[Bytes]) {
  constexpr unsigned two_ones = 0x3f803f80;
  for (unsigned i = threadIdx.x; i < Bytes / sizeof(unsigned); i += Shape::threads)
    reinterpret_cast<unsigned*>(ones)[i] = two_ones;
  hopper::fence_shared_for_async();
}

/// A warpgroup with its 64 queries.
template <class Shape, class Options>
class consumer {
 public:
  using memory = forward_memory<Shape, Options::sums_by_product>;

  __device__ consumer(const forward_maps& maps, const view& v, memory& shared, int group)
      : maps_(maps),
        v_(v),
        shared_(shared),
        group_(group),
        queries_(hopper::matrix_descriptor<swizzle>(hopper::shared_address(shared.queries[0][group]))),
        keys_(hopper::matrix_descriptor<swizzle>(hopper::shared_address(shared.keys[0])), shared.keys_full,
              shared.keys_empty),
        // The ones stand at one place, the less far behind the values the later the stage.
        values_(hopper::matrix_descriptor<swizzle>(
                    hopper::shared_address(shared.values[0]),
                    Options::sums_by_product
                        ? hopper::shared_address(shared.ones) - hopper::shared_address(shared.values[0])
                        : keys_per_tile * Shape::span_bytes),
                shared.values_full, shared.values_empty) {}

  __device__ void run() {
    if (Options::ping_pong && group_ == Shape::groups - 1) pass_turn();
    const long long tiles = tile_count<Options::from_list>(v_);
    if (blockIdx.x >= tiles) return;
    float s[keys_per_tile / 2];
    if constexpr (Shape::overlaps) compute_first_scores(s);
    for (long long i = blockIdx.x; i < tiles; i += gridDim.x) {
      const query_tile t = tile_of<Shape>(v_, tile_index<Options::from_list>(v_, i));
      const bool is_last = i + gridDim.x >= tiles;
      if constexpr (Options::form == softmax_form::bounded) {
        if (scores_are_bounded(t))
          attend<softmax_form::bounded>(t, s, is_last);
        else
          attend<softmax_form::online>(t, s, is_last);
      } else {
        attend<Options::form>(t, s, is_last);
      }
    }
    if (leads_group()) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 private:
  using swizzle = typename Shape::swizzle;
  static constexpr int columns = Shape::width + (Options::sums_by_product ? 8 : 0);

  __device__ static bool leads_group() { return threadIdx.x % 128 == 0; }
  __device__ static void release(hopper::barrier& empty) {
    if (threadIdx.x % 32 == 0) hopper::arrive(empty);
  }
  __device__ void await_turn() { hopper::named_barrier_wait(8 + group_, 256); }
  __device__ void pass_turn() { hopper::named_barrier_arrive(8 + (group_ + 1) % Shape::groups, 256); }

  __device__ void issue_scores_of(float (&s)[keys_per_tile / 2]) {
    keys_.await();
    hopper::wgmma_fence();
    issue_scores<Shape>(s, hopper::moved_by(queries_, queries_at_.stage * Shape::groups * Shape::group_bytes),
                        keys_.descriptor());
  }
  __device__ void issue_first_scores(float (&s)[keys_per_tile / 2]) {
    hopper::wait(shared_.queries_full[queries_at_.stage], queries_at_.parity);
    issue_scores_of(s);
  }
  __device__ void compute_first_scores(float (&s)[keys_per_tile / 2]) {
    issue_first_scores(s);
    hopper::wgmma_wait<0>();
    take_scores(s);
  }
  /// To the next queries, once the last product with these is through.
  __device__ void leave_queries() {
    release(shared_.queries_empty[queries_at_.stage]);
    queries_at_.template advance<2>();
  }
  __device__ void issue_outputs_of(float (&o)[columns / 2], const unsigned (&p)[keys_per_tile / 4],
                                   bool accumulates) {
    values_.await();
    hopper::wgmma_fence();
    issue_outputs<Shape, columns>(o, p, values_.descriptor(), accumulates);
  }
  /// Behind a wait for the product.
  __device__ void take_scores(float (&s)[keys_per_tile / 2]) {
    hopper::keep_behind(s);
    keys_.leave();
  }
  __device__ void take_outputs(float (&o)[columns / 2]) {
    hopper::keep_behind(o);
    values_.leave();
  }

  /// Whether c · ‖q‖ · ‖k‖ stays below 100 for all queries of the group and all keys of the window.
  __device__ bool scores_are_bounded(const query_tile& t) const {
    constexpr float most_exponent = 100;
    hopper::wait(shared_.queries_full[queries_at_.stage], queries_at_.parity);
    const int thread = static_cast<int>(threadIdx.x) % 128, tiles = v_.window / keys_per_tile;
    float keys = 0;
    for (int i = thread; i < tiles; i += 128)
      keys = fmaxf(
          keys,
          v_.key_norms[(static_cast<long long>(t.batch) * v_.heads + t.head) * (v_.tokens / keys_per_tile) +
                       v_.row_of(t.window, i * keys_per_tile) / keys_per_tile]);
    // Every thread has some of the keys' norms and half of a query: each warp takes the greatest of both.
    const unsigned char* const row =
        shared_.queries[queries_at_.stage][group_] + thread / 2 * Shape::span_bytes;
    float query = 0;
    for (int chunk = thread % 2; chunk < Shape::span_bytes / 16 * Shape::panels; chunk += 2) {
      const auto words =
          *reinterpret_cast<const uint4*>(row + chunk / (Shape::span_bytes / 16) * rows_per_group * 128 +
                                          chunk % (Shape::span_bytes / 16) * 16);
      for (const unsigned word : {words.x, words.y, words.z, words.w}) {
        const float low = __uint_as_float(word << 16), high = __uint_as_float(word & 0xffff0000u);
        query = fmaf(low, low, fmaf(high, high, query));
      }
    }
    query += __shfl_xor_sync(~0u, query, 1);
    // A norm that is no number must not look small.
    if (!(query <= INFINITY)) query = INFINITY;
    for (int lane = 16; lane > 0; lane /= 2) {
      keys = fmaxf(keys, __shfl_xor_sync(~0u, keys, lane));
      query = fmaxf(query, __shfl_xor_sync(~0u, query, lane));
    }
    if (threadIdx.x % 32 == 0) {
      shared_.greatest_key[group_][thread / 32] = keys;
      shared_.greatest_query[group_][thread / 32] = query;
    }
    hopper::named_barrier_wait(1 + group_, 128);
    float all_keys = 0, all_queries = 0;
    for (int warp = 0; warp < 4; ++warp) {
      all_keys = fmaxf(all_keys, shared_.greatest_key[group_][warp]);
      all_queries = fmaxf(all_queries, shared_.greatest_query[group_][warp]);
    }
    return v_.scale_log2 * sqrtf(all_keys * all_queries) <= most_exponent;
  }

  /// Where products overlap, `s` holds the scores of the first keys, and after it those of the next tile's.
  template <softmax_form Form>
  __device__ void attend(const query_tile& t, float (&s)[keys_per_tile / 2], bool is_last) {
    using namespace hopper;
    const int key_tiles = v_.window / keys_per_tile;
    row_softmax<Form, Options::software_exp2, Options::sums_by_product> softmax;
    softmax.begin();
    float o[columns / 2], rescale[2];
    unsigned p[keys_per_tile / 4];
    if constexpr (!Shape::overlaps) compute_first_scores(s);
    softmax.look_at_first(s, v_.scale_log2);
    softmax.apply(s, v_.scale_log2, rescale);
    pack_probabilities(p, s);
#pragma unroll 1
    for (int tile = 1; tile < key_tiles; ++tile) {
      if constexpr (Options::ping_pong) await_turn();
      if constexpr (Shape::overlaps) {
        issue_scores_of(s);
        issue_outputs_of(o, p, tile > 1);
        if constexpr (Options::ping_pong) pass_turn();
        wgmma_wait<1>();
        take_scores(s);
        softmax.apply(s, v_.scale_log2, rescale);
        wgmma_wait<0>();
        take_outputs(o);
      } else {
        issue_outputs_of(o, p, tile > 1);
        wgmma_wait<0>();
        take_outputs(o);
        issue_scores_of(s);
        wgmma_wait<0>();
        take_scores(s);
        if constexpr (Options::ping_pong) pass_turn();
        softmax.apply(s, v_.scale_log2, rescale);
      }
      if constexpr (Form == softmax_form::online) {
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) o[i] *= rescale[i >> 1 & 1];
      }
      pack_probabilities(p, s);
    }
    leave_queries();
    if (!Shape::overlaps || is_last) {
      issue_outputs_of(o, p, key_tiles > 1);
      wgmma_wait<0>();
    } else {
      // The next tile's first scores are there when these outputs are stored.
      issue_first_scores(s);
      issue_outputs_of(o, p, key_tiles > 1);
      wgmma_wait<0>();
      take_scores(s);
    }
    take_outputs(o);

    float sums[2];
    for (int r = 0; r < 2; ++r)
      sums[r] = Options::sums_by_product ? o[Shape::width / 2 + 2 * r] : softmax.whole_sum(r);
    if constexpr (Form != softmax_form::online) {
      // A group behind the window's end has nothing to do again.
      const int token = (t.first_block + group_) * rows_per_group;
      const bool is_right = sum_is_in_range(sums[0]) && sum_is_in_range(sums[1]) && all_finite(o);
      if (!__all_sync(~0u, is_right) && token < v_.window && threadIdx.x % 32 == 0)
        list_again<Shape::listed_rows>(v_, t, token);
    }
    const float inverse[2] = {1 / sums[0], 1 / sums[1]};
    const float lse[2] = {softmax.lse(0, sums[0], v_.scale_log2), softmax.lse(1, sums[1], v_.scale_log2)};
    store(t, o, inverse, lse);
  }

  __device__ void store(const query_tile& t, const float (&o)[columns / 2], const float (&inverse)[2],
                        const float (&lse)[2]) {
    using namespace hopper;
    const int block = t.first_block + group_;
    const bool is_there = block * rows_per_group < v_.window;
    // The copy before this one has read the buffer when its issuer arrives.
    if (leads_group()) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    named_barrier_wait(1 + group_, 128);
    stage_outputs<Shape>(shared_.outputs[group_], o, inverse);
    fence_shared_for_async();
    named_barrier_wait(1 + group_, 128);
    if (!is_there) return;
    if constexpr (Options::scattered_rows)
      return store_by_index<Shape>(v_, t, block, shared_.outputs[group_], lse);
    const int row = shared_.query_rows[(2 * queries_at_.parity + queries_at_.stage + 3) % 4][group_];
    if (leads_group()) {
      copy_box_out<Shape::width>(maps_.outputs, row, t.head, t.batch, shared_.outputs[group_]);
      cuda::ptx::cp_async_bulk_commit_group();
    }
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    if (lane % 4 != 0) return;
    float* const to = v_.lse + (static_cast<long long>(t.batch) * v_.heads + t.head) * v_.tokens + row;
    for (int r = 0; r < 2; ++r) to[16 * warp + lane / 4 + 8 * r] = lse[r];
  }

  const forward_maps& maps_;
  const view& v_;
  memory& shared_;
  int group_;
  std::uint64_t queries_;  ///< descriptor of the first buffer's
  hopper::ring_position queries_at_;
  static constexpr unsigned tile_step = Shape::tile_bytes >> 4;
  hopper::tile_ring<Shape::stages, tile_step> keys_;
  hopper::tile_ring<Shape::stages, Options::sums_by_product ? tile_step - (tile_step << 16) : tile_step>
      values_;
};

#endif

template <class Shape, class Options>
__global__ __launch_bounds__(Shape::threads,
                             1) void attend_on_hopper(const __grid_constant__ forward_maps maps, view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<typename consumer<Shape, Options>::memory*>(
      raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * Shape::groups;
    for (int s = 0; s < 2; ++s) {
      hopper::initialize(shared.queries_full[s], 1);
      hopper::initialize(shared.queries_empty[s], consumer_warps);
    }
    for (int s = 0; s < Shape::stages; ++s) {
      hopper::initialize(shared.keys_full[s], 1);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], 1);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  if constexpr (Options::sums_by_product) write_ones<Shape>(shared.ones);
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == 0) {
    hopper::give_registers<Shape::producer_registers>();
    if (threadIdx.x == 0) produce<Shape, Options::from_list>(maps, v, shared);
  } else {
    hopper::take_registers<Shape::consumer_registers>();
    consumer<Shape, Options>(maps, v, shared, group - 1).run();
  }
#endif
}

}  // namespace ablate::window_attention

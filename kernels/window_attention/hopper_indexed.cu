// Forward attention on Hopper whose loads follow the index themselves, row by row
// (docs/operations/attention_on_hopper.md): points are in input order, with no separate gather before or
// after. The core is that of hopper_forward.cuh, but TMA cannot gather rows here, so all 128 threads of the
// first warpgroup copy: 16 bytes per thread and step by cp.async, to swizzled addresses, with as many
// neighboring threads per row as it has 16-byte chunks. Each lane looks up one row of 32 and shuffles it to
// the others. A tile's barrier is signaled once the next tile's copies have been issued: wait for one's own
// copies, then the proxy fence. Outputs are stored row by row, too. Against hopper_gathered_vectorized,
// should move: bytes of L2 and DRAM, by the 8 tensors that are not written and read; LSU instructions, up by
// the copies.

#include "kernels/common/min_max.h"
#include "kernels/window_attention/hopper_run.cuh"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

/// Rows are copied by all of the first warpgroup, which takes more registers.
constexpr block_shape indexed_block_128 = {.width = 128,
                                           .groups = 2,
                                           .stages = 2,
                                           .producer_registers = 40,
                                           .consumer_registers = 232,
                                           .overlaps = true};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ inline void copy_16_bytes(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Copies 32 rows of one head with one warp, to rows `first` … of a shared tile of `Rows` rows; lane l holds
/// the number of row l. `from`: the head in row 0; rows are `stride` elements apart.
template <block_shape Block, int Rows>
__device__ inline void copy_32_rows(unsigned tile, unsigned first, const __nv_bfloat16* from, unsigned stride,
                                    int row_of_lane) {
  constexpr int chunks = Block.width / 8, rows_at_once = 32 / chunks;
  const int lane = static_cast<int>(threadIdx.x) % 32, chunk = lane % chunks;
  from += chunk * 8;
  const unsigned panel = tile + static_cast<unsigned>(chunk / 8) * Rows * 128;
#pragma unroll 4
  for (int step = 0; step < 32 / rows_at_once; ++step) {
    const int place = step * rows_at_once + lane / chunks;
    const int row = __shfl_sync(~0u, row_of_lane, place);
    copy_16_bytes(
        panel + row_swizzle<Block.width>::place((first + place) * Block.span_bytes() + chunk % 8 * 16),
        from + static_cast<unsigned long long>(static_cast<unsigned>(row)) * stride);
  }
}

/// The producer warpgroup.
template <forward_config C>
class row_copier {
 public:
  using memory = memory_of<C>;

  __device__ row_copier(const view& v, memory& shared)
      : v_(v), shared_(shared), stride_(static_cast<unsigned>(v.qkv_stride)) {}

  __device__ void run() {
    using namespace hopper;
    const int key_tiles = v_.window / keys_per_tile;
    for (long long i = blockIdx.x; i < v_.query_tiles; i += gridDim.x) {
      const query_tile t = tile_of<C.block>(v_, i);
      const std::int32_t* const rows = v_.index + t.window * v_.window;
      const long long head = v_.qkv_place(t.batch, 0, t.head);
      int row = rows[threadIdx.x];
      for (int tile = 0; tile < key_tiles; ++tile) {
        const int next_row = tile + 1 < key_tiles ? rows[(tile + 1) * keys_per_tile + threadIdx.x] : 0;
        if (tile == 0) copy_queries(t, rows, v_.q + head);
        wait(shared_.keys_empty[at_.stage], at_.parity ^ 1);
        copy_32_rows<C.block, keys_per_tile>(shared_address(shared_.keys[at_.stage]), first_row(),
                                             v_.k + head, stride_, row);
        commit_copies();
        // The keys of all tiles up to the last one are in shared memory.
        wait_for_copies<2>();
        if (has_last_) announce_keys();
        last_queries_ = no_queries;
        if (tile == 0) {
          last_queries_ = queries_at_.stage;
          queries_at_.template advance<2>();
        }
        wait(shared_.values_empty[at_.stage], at_.parity ^ 1);
        copy_32_rows<C.block, keys_per_tile>(shared_address(shared_.values[at_.stage]), first_row(),
                                             v_.v + head, stride_, row);
        commit_copies();
        wait_for_copies<2>();
        if (has_last_) announce(shared_.values_full[last_stage_]);
        has_last_ = true;
        last_stage_ = at_.stage;
        at_.template advance<C.block.stages>();
        row = next_row;
      }
    }
    wait_for_copies<0>();
    if (!has_last_) return;
    announce_keys();
    announce(shared_.values_full[last_stage_]);
  }

 private:
  static constexpr unsigned no_queries = 2;  ///< after the two buffers

  __device__ static unsigned first_row() { return threadIdx.x / 32 * 32; }

  /// Copies the block's queries; a group past the window's end re-reads its last block and stores nothing.
  __device__ void copy_queries(const query_tile& t, const std::int32_t* rows, const __nv_bfloat16* from) {
    hopper::wait(shared_.queries_empty[queries_at_.stage], queries_at_.parity ^ 1);
    const int last_block = v_.window / rows_per_group - 1;
    for (unsigned half = threadIdx.x / 32; half < 2 * C.block.groups; half += 4) {
      const unsigned group = half / 2, first = half % 2 * 32;
      const int block = min(t.first_block + static_cast<int>(group), last_block);
      const int row = rows[block * rows_per_group + first + threadIdx.x % 32];
      copy_32_rows<C.block, rows_per_group>(hopper::shared_address(shared_.queries[queries_at_.stage][group]),
                                            first, from, stride_, row);
    }
  }

  /// Each warp signals that its own copies into the tile are complete.
  __device__ static void announce(hopper::barrier& full) {
    hopper::fence_shared_for_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) hopper::arrive(full);
  }
  /// Signals the last tile's keys; queries are signaled with the keys of their first tile.
  __device__ void announce_keys() {
    if (last_queries_ != no_queries) announce(shared_.queries_full[last_queries_]);
    announce(shared_.keys_full[last_stage_]);
  }

  const view& v_;
  memory& shared_;
  unsigned stride_;
  hopper::ring_position at_, queries_at_;
  unsigned last_stage_ = 0, last_queries_ = no_queries;  ///< of the tile not yet announced
  bool has_last_ = false;
};

#endif

template <class Configured>
__global__ __launch_bounds__(Configured::config.block.threads(), 1) void attend_by_index_on_hopper(view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr forward_config C = Configured::config;
  using memory = typename row_copier<C>::memory;
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<memory*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned producer_warps = 4, consumer_warps = 4 * C.block.groups;
    for (int s = 0; s < 2; ++s) {
      hopper::initialize(shared.queries_full[s], producer_warps);
      hopper::initialize(shared.queries_empty[s], consumer_warps);
    }
    for (int s = 0; s < C.block.stages; ++s) {
      hopper::initialize(shared.keys_full[s], producer_warps);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], producer_warps);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == 0) {
    hopper::setmaxnreg_dec<C.block.producer_registers>();
    row_copier<C>(v, shared).run();
  } else {
    hopper::setmaxnreg_inc<C.block.consumer_registers>();
    const forward_maps none{};  // outputs are stored by index
    consumer<C>(none, v, shared, group - 1).run();
  }
#endif
}

namespace {

template <block_shape Block>
void run_by_index(launcher& to, const problem& p) {
  constexpr forward_config C = {.block = Block, .softmax = {}, .scattered_rows = true};
  const view v(p, C.block.query_rows());
  const auto blocks = static_cast<unsigned>(
      std::min<long long>(v.query_tiles, static_cast<long long>(to.device().multiprocessors)));
  launch(to, attend_by_index_on_hopper<configured<C>>, dim3(blocks), dim3(C.block.threads()),
         sizeof(memory_of<C>) + 1024, v);
}

}  // namespace

void hopper_indexed(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) switch (p.width) {
      case 16:
        run_by_index<block_16>(to, p);
        break;
      case 32:
        run_by_index<block_32>(to, p);
        break;
      case 64:
        run_by_index<block_64>(to, p);
        break;
      default:
        run_by_index<indexed_block_128>(to, p);
    }
}

}  // namespace ablate::window_attention

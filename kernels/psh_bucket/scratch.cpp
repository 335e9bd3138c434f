#include "kernels/psh_bucket/scratch.h"

namespace ablate::psh_bucket {

namespace {

constexpr std::size_t alignment = 256;

/// Cuts arrays off a piece of memory, one after the other.
struct cutter {
  std::byte* base;
  std::size_t used = 0;

  template <class T>
  void cut(T*& array, std::int64_t count) {
    array = base == nullptr ? nullptr : reinterpret_cast<T*>(base + used);
    used += (sizeof(T) * static_cast<std::size_t>(count) + alignment - 1) / alignment * alignment;
  }
};

}  // namespace

scratch::scratch(const problem& p) {
  cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t all_buckets = static_cast<std::int64_t>(p.instances) * p.buckets;
  memory.cut(box, 1);
  memory.cut(tickets, 1);
  memory.cut(block_extremes, extreme_count * most_prepare_blocks);
  memory.cut(insert_count, all_buckets);
  memory.cut(leftover_count, all_buckets);
  memory.cut(claim_count, all_buckets);
  memory.cut(free_end, all_buckets);
  memory.cut(leftover_begin, all_buckets);
  memory.cut(found, p.points);
  memory.cut(block_histogram, blocks_of(p) * all_buckets);
  memory.cut(key_histogram, static_cast<std::int64_t>(p.instances) * key_count);
  memory.cut(key_begin, static_cast<std::int64_t>(p.instances) * key_count);
  memory.cut(chunk_total, static_cast<std::int64_t>(p.instances) * key_chunks);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

}  // namespace ablate::psh_bucket

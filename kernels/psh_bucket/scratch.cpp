#include "kernels/psh_bucket/scratch.h"

#include "kernels/common/memory_cutter.h"

namespace ablate::psh_bucket {

scratch::scratch(const problem& p) : tickets(p.tickets) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t all_buckets = static_cast<std::int64_t>(p.instances) * p.buckets;
  memory.cut(box, 1);
  memory.cut(block_extremes, extreme_count * max_prepare_blocks);
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

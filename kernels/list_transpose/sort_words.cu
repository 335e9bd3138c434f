// Lists transposed by a sort of words, with an entry's key block above its query block. They are in the order
// of query blocks, so a stable sort by the key block's bits leaves rows ascending. `word=64`: the head above
// both, all heads in one sort; 16 bytes move for each 8 bits, as for pairs, in one array. `word=32`: without
// room for the head, hence one sort per head, of half the bytes and by fewer bits. More than 2^16 blocks need
// 64 bits.
// One more pass unpacks the words and finds the row starts (`ends=neighbors`); or one thread block per head
// computes the starts before, by a recount of all entries (count_by_head.cu), as published for pairs. Should
// move: DRAM bytes, to half for words of 32 bits; launches, by the heads.
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/refuse_launch.h"
#include "kernels/common/unsupported.h"
#include "kernels/list_transpose/launches.h"
#include "kernels/list_transpose/view.cuh"

namespace ablate::list_transpose {

/// Where key and query block are in a word; and the head, in those of 64 bits.
struct word_places {
  int query_bits, head_shift;

  template <class Word>
  __device__ long long key(Word word) const {
    return static_cast<long long>((word & ((Word{1} << (head_shift - 1)) * 2 - 1)) >> query_bits);
  }
  template <class Word>
  __device__ std::int32_t query(Word word) const {
    return static_cast<std::int32_t>(word & ((Word{1} << query_bits) - 1));
  }
};

template <class Word>
__global__ __launch_bounds__(entry_threads) void write_words(const __grid_constant__ view v,
                                                             word_places places, Word* words) {
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i >= v.entries) return;
  const list_entry entry(v, i);
  // After all blocks of its head.
  const auto key = static_cast<Word>(entry.is_there ? entry.key : v.blocks);
  Word word = key << places.query_bits | static_cast<Word>(entry.query);
  if constexpr (sizeof(Word) == 8) word |= static_cast<Word>(entry.head) << places.head_shift;
  words[i] = word;
}

/// Entries of each head that are taken, all heads' before it: where each head's entries begin among those
/// that are. One block.
template <class Word>
__global__ void find_heads(const __grid_constant__ view v, word_places places, const Word* words,
                           long long* first_of_head) {
  const long long of_head = static_cast<long long>(v.blocks) * v.selected;
  for (int head = static_cast<int>(threadIdx.x); head < v.heads; head += static_cast<int>(blockDim.x)) {
    long long low = 0, high = of_head;  // the first entry that is skipped
    while (low < high) {
      const long long middle = (low + high) / 2;
      if (places.key(words[head * of_head + middle]) < v.blocks)
        low = middle + 1;
      else
        high = middle;
    }
    first_of_head[head] = low;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  long long before = 0;
  for (int head = 0; head < v.heads; ++head) {
    const long long here = first_of_head[head];
    first_of_head[head] = before;
    before += here;
  }
  v.offsets[v.rows] = before;
}

/// blockIdx.y: head.
template <class Word>
__global__ __launch_bounds__(entry_threads) void take_words_apart(const __grid_constant__ view v,
                                                                  word_places places, const Word* words,
                                                                  const long long* first_of_head) {
  const long long of_head = static_cast<long long>(v.blocks) * v.selected;
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i > of_head) return;
  const int head = static_cast<int>(blockIdx.y);
  const Word* const here = words + head * of_head;
  const long long place = first_of_head[head] + i;
  const long long key = i == of_head ? v.blocks : places.key(here[i]);
  mark_beginnings(v.offsets + static_cast<long long>(head) * v.blocks, i == 0 ? -1 : places.key(here[i - 1]),
                  key, v.blocks, place);
  if (key < v.blocks) v.queries[place] = places.query(here[i]);
}

/// blockIdx.y: head. Where rows begin is known.
template <class Word>
__global__ __launch_bounds__(entry_threads) void put_queries(const __grid_constant__ view v,
                                                             word_places places, const Word* words) {
  const long long of_head = static_cast<long long>(v.blocks) * v.selected;
  const long long i = blockIdx.x * static_cast<long long>(entry_threads) + threadIdx.x;
  if (i >= of_head) return;
  const int head = static_cast<int>(blockIdx.y);
  const Word word = words[head * of_head + i];
  // What is skipped follows all that is taken.
  if (places.key(word) < v.blocks)
    v.queries[v.offsets[static_cast<long long>(head) * v.blocks] + i] = places.query(word);
}

template <class Word>
void sort_and_take_apart(launcher& to, const problem& p, const word_bits& bits, int sorts,
                         bool counts_by_head) {
  const view v(p);
  const sort_memory memory = cut_sort_memory(p);
  auto* const of_head = reinterpret_cast<long long*>(cut_count_memory(p).first_of_head);
  const word_places places{bits.query, bits.key + bits.query};
  Word *words = reinterpret_cast<Word*>(memory.words[0]), *other = reinterpret_cast<Word*>(memory.words[1]),
       *sorted = words;
  launch(to, write_words<Word>, dim3(v.grid(v.entries)), dim3(entry_threads), 0, v, places, words);
  const std::int64_t items = p.entries() / sorts;
  const int head_bits = sorts == 1 ? std::bit_width(static_cast<std::uint64_t>(p.heads - 1)) : 0;
  for (int i = 0; i < sorts; ++i) {
    const std::int64_t first = words == nullptr ? 0 : i * items;
    cub::DoubleBuffer<Word> buffers(words + first, other + first);
    call_cub(to, "cub::DeviceRadixSort", memory.temporary, memory.temporary_bytes,
             [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
               return cub::DeviceRadixSort::SortKeys(temporary, bytes, buffers, points_to_sort(items),
                                                     bits.query, bits.query + bits.key + head_bits, stream);
             });
    // All sorts are of as many words, and end in the same buffer.
    sorted = buffers.Current() - first;
  }
  const dim3 threads(entry_threads);
  const auto grid = [&](long long of_head) { return dim3(v.grid(of_head), static_cast<unsigned>(v.heads)); };
  const long long of_head_entries = static_cast<long long>(v.blocks) * v.selected;
  if (counts_by_head) {
    count_by_head(to, p);
    return launch(to, put_queries<Word>, grid(of_head_entries), threads, 0, v, places, sorted);
  }
  launch(to, find_heads<Word>, dim3(1), dim3(64), 0, v, places, sorted, of_head);
  launch(to, take_words_apart<Word>, grid(of_head_entries + 1), threads, 0, v, places, sorted, of_head);
}

void sort_words(launcher& to, const problem& p, const switches& s) {
  const word_bits bits(p);
  const bool counts_by_head = s.word("ends") == "one_block_a_head";
  if (s.integer("word") == 64) return sort_and_take_apart<std::uint64_t>(to, p, bits, 1, counts_by_head);
  if (bits.key + bits.query > 32)
    refuse_as_unsupported({"key and query block of ", p.blocks, " blocks do not fit a word of 32 bits"});
  sort_and_take_apart<std::uint32_t>(to, p, bits, static_cast<int>(p.heads), counts_by_head);
}

}  // namespace ablate::list_transpose

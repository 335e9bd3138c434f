// block_sparse_selection: which key blocks each query block of Block-Sparse attention attends to. Axes,
// inputs, check against fp64 and work model; one entry per variant.
#include "kernels/block_sparse_selection/block_sparse_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "harness/registry/define.h"
#include "kernels/block_sparse_selection/launches.h"
#include "oracles/block_sparse_selection/launches.h"
#include "oracles/block_sparse_selection/reference.h"
#include "variants/block_sparse_faults.h"
#include "variants/image_blocks.h"
#include "variants/phases.h"

namespace ablate::block_sparse_selection {
namespace {

constexpr std::int64_t samples_of_a_case = 8;
/// The host's reference judges all rows of so many pairs of blocks; of more the sampled ones alone.
constexpr std::int64_t max_pairs_on_host = std::int64_t{1} << 24;

constexpr word_table<scores, 7> score_words = {{{"scene", scores::scene},
                                                {"unit", scores::unit},
                                                {"integers", scores::integers},
                                                {"ascending", scores::ascending},
                                                {"equal", scores::equal},
                                                {"descending", scores::descending},
                                                {"levels", scores::levels}}};

std::int64_t blocks_of(const axis_values& at, int block) {
  return (at.integer("images") * block_layout::tokens_of_s3r + block - 1) / block;
}

std::optional<std::string> refuses(const axis_values& at) {
  const std::int64_t keys = blocks_of(at, key_block);
  if (keys <= max_keys) return std::nullopt;
  return fmt::format("images={}: {} key blocks, expected at most {}", at.integer("images"), keys, max_keys);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.heads = at.integer("heads");
  p.queries = blocks_of(at, query_block);
  p.keys = blocks_of(at, key_block);
  p.mass_percent = static_cast<int>(at.integer("mass"));
  p.kept_percent = static_cast<int>(at.integer("kept"));
  p.seed = inputs.seed();
  p.what = meaning_of(score_words, at.word("scores"));
  p.sample_count = samples_of_a_case;
  return p;
}

bound_buffers buffers(checked_problem& p) {
  const auto row_bytes = static_cast<std::size_t>(2 * width * p.heads);
  const auto rows = static_cast<std::size_t>(p.rows()), words = static_cast<std::size_t>(p.words());
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Bitmaps are too large for the host: rows are judged on the device, and the check reads samples.
  return {bind("q", p.q, row_bytes * static_cast<std::size_t>(p.queries), device),
          bind("k", p.k, row_bytes * static_cast<std::size_t>(p.keys), device),
          bind("kept", p.kept, sizeof(std::uint32_t) * rows * words, result, poison),
          bind("counts", p.counts, sizeof(std::int32_t) * rows, result, poison),
          bind("scratch", p.scratch, scratch_bytes(p), device, poison),
          bind("samples", p.samples, sizeof(sampled_row) * sampled, input),
          bind("found", p.found, sizeof(findings), finding, poison),
          bind("sampled_kept", p.sampled_kept, sizeof(std::uint32_t) * sampled * words, finding, poison),
          bind("sampled_counts", p.sampled_counts, sizeof(std::int32_t) * sampled, finding, poison)};
}

struct known_rows {
  std::vector<sampled_row> samples;  ///< by head
  std::vector<exact_row> exact;
};

/// The first and the last row, and others, half of them of one more head.
std::vector<sampled_row> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const auto last_head = static_cast<std::int32_t>(p.heads - 1);
  std::vector<sampled_row> rows = {{0, 0, 0}, {0, static_cast<std::int32_t>(p.queries - 1), last_head}};
  while (static_cast<std::int64_t>(rows.size()) < p.sample_count)
    rows.push_back({0, below(p.queries), rows.size() % 2 == 0 ? 0 : last_head});
  std::ranges::stable_sort(rows, {}, &sampled_row::head);
  return rows;
}

check_result check(const checked_problem& p, const known_rows& known, const checked_problem& seen) {
  if (const auto fault = fault_of_rows(p, *seen.found)) return {false, *fault};
  for (std::size_t i = 0; i < known.samples.size(); ++i) {
    const exact_row& exact = known.exact[i];
    const row_facts facts = facts_of(exact, seen.sampled_kept + i * static_cast<std::size_t>(p.words()));
    const row_fault fault = fault_of(facts, p.asked(), seen.sampled_counts[i], exact.greatest());
    if (fault != row_fault::none) return {false, fault_by_oracle(known.samples[i], exact, fault)};
  }
  return {.ok = true};
}

nlohmann::ordered_json quality(const checked_problem& p, const findings& of) {
  const auto rows = static_cast<double>(of.summed_rows);
  return {{"sparsity", 1 - static_cast<double>(of.kept_blocks) / (rows * static_cast<double>(p.keys))},
          {"kept_mass", static_cast<double>(of.kept_mass) * 0x1p-32 / rows},
          {"summed_rows", of.summed_rows}};
}

// Compulsory: pooled rows read once, bitmap and counts written; one product of all pairs.
work_model work(const problem& p) {
  const double read = 2.0 * width * static_cast<double>(p.heads * (p.queries + p.keys)),
               written = 4 * static_cast<double>(p.rows() * (p.words() + 1));
  return {.bytes = read + written,
          .written_bytes = written,
          .flops = 2.0 * width * static_cast<double>(p.pairs()),
          .flop_pipe = "tensor_bf16"};
}

void add(findings& to, const exact_row& row) {
  ++to.summed_rows;
  to.kept_blocks += static_cast<unsigned long long>(row.count);
  to.kept_mass += static_cast<unsigned long long>(row.mass * 0x1p32);
}

void solve_on_host(const checked_problem& p, const known_rows& known, const checked_problem& host) {
  *host.found = {static_cast<unsigned long long>(p.rows()), 0, ~0ull, 0, 0, 0};
  for (std::size_t i = 0; i < known.exact.size(); ++i) {
    std::ranges::copy(known.exact[i].kept, host.sampled_kept + i * static_cast<std::size_t>(p.words()));
    host.sampled_counts[i] = known.exact[i].count;
    if (p.pairs() > max_pairs_on_host) add(*host.found, known.exact[i]);
  }
  for (std::int64_t head = 0; p.pairs() <= max_pairs_on_host && head < p.heads; ++head) {
    const head_oracle oracle(p, head);
    for (std::int64_t query = 0; query < p.queries; ++query) add(*host.found, oracle.row(query));
  }
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_rows>();
  known->samples = choose_samples(p, inputs.seed());
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < known->samples.size();) {
    const std::int32_t head = known->samples[i].head;
    const head_oracle oracle(p, head);
    for (; i < known->samples.size() && known->samples[i].head == head; ++i) {
      known->exact.push_back(oracle.row(known->samples[i].row));
      bits.insert(bits.end(), known->exact.back().kept.begin(), known->exact.back().kept.end());
    }
  }

  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p](std::span<const std::byte* const> outputs) {
    return quality(p, *attached(p, buffers, outputs).found);
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    solve_on_host(p, *known, attached(p, buffers, addresses));
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(bits.data(), bits.size() * sizeof(std::uint32_t))},
             {"query_blocks", p.queries},
             {"key_blocks", p.keys},
             {"pairs", p.pairs()}};
  w.storage = known;
  return w;
}

const switches histogram = {{"method", "descent"}, {"descent", "histogram"}, {"rows_per_block", "1"}};
const variant_limits in_shared_memory = {.without = {"scratch"}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "block_sparse_selection",
     .description = "key blocks of 64 tokens that query blocks of 128 attend to in Block-Sparse attention: "
                    "the best by pooled scores, by their share of the softmax and by number",
     .axes = {images_axis(), heads_axis(),
              axis::of_integers("mass", 0, 99, 70,
                                "percent of the softmax's sum that a row's key blocks have at least"),
              axis::of_integers("kept", 0, 100, 50, "percent of all key blocks that a row keeps at least"),
              axis_of("scores", score_words,
                      "what pooled rows hold: images of one scene; unit normal numbers; integers from -4 to "
                      "4, for ties; key blocks whose scores rise with their number; one key for all; scores "
                      "that fall with the number; three scores, between which the mass ends")},
     .baseline = "sorted",
     .presets = {.published = {"sorted"}, .best = {"histogram", "bisection"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(judge_with_fp64),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {{"method",
                   "how a row's kept blocks are found",
                   {{"sort", "all its scores are sorted in memory, as published"},
                    {"descent", "its lowest kept score is searched for in shared memory"}},
                   "DRAM bytes, from 16 per pair of blocks and digit to the means and the bitmap",
                   "Faster VGGT with Block-Sparse Global Attention, arXiv 2509.07120: sort"},
                  only_with("method", {"descent"},
                            {"descent",
                             "how the lowest kept score is searched for",
                             {{"histogram", "8 bits at a time, by counts and masses of each digit"},
                              {"bisection", "bit by bit, 32 passes without atomics"},
                              {"quarters", "two bits at a time, 16 passes without atomics"}},
                             "shared-memory atomics, to none without histogram"}),
                  only_with("method", {"descent"},
                            {"rows_per_block",
                             "query blocks that a thread block chooses for",
                             {{"1"}, {"2"}},
                             "L2 bytes, to half: each key is read once for both"})},
     .variants = {
         {"sorted",
          ABLATE_LAUNCH(choose),
          {{"method", "sort"}},
          "as published: scores written to memory, each row sorted whole, key blocks kept from the highest "
          "score on"},
         {"histogram",
          ABLATE_LAUNCH(choose),
          histogram,
          "a row's scores in shared memory; its lowest kept score found by counts and masses of 8 bits at a "
          "time",
          {.without = {"scratch"},
           .takes = {{"descent", {"bisection", "quarters"}}, {"rows_per_block", {"2"}}}}},
         {"bisection", ABLATE_LAUNCH(choose), histogram.with({{"descent", "bisection"}}),
          "a row's scores in shared memory; its lowest kept score found bit by bit, without atomics",
          in_shared_memory},
     }});

}  // namespace ablate::block_sparse_selection

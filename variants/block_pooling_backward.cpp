// block_pooling_backward: gradients of pooled rows taken back to the tokens, through norm and rotation. Axes,
// and one entry a variant; buffers, inputs, check and work model are in variants/block_pooling_backward/.
#include "kernels/block_pooling_backward/block_pooling_backward.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/registry/define.h"
#include "kernels/block_pooling_backward/launches.h"
#include "oracles/block_pooling_backward/launches.h"
#include "variants/block_pooling/axes.h"
#include "variants/block_pooling_backward/buffers.h"
#include "variants/block_pooling_backward/prepare.h"
#include "variants/phases.h"

namespace ablate::block_pooling_backward {
namespace {

constexpr std::int64_t samples_of_a_case = 48;

constexpr word_table<given, 3> given_words = {
    {{"pooled", given::pooled}, {"added", given::added}, {"tokens", given::tokens}}};

std::optional<std::string> refuses(const axis_values& at) {
  const bool is_cut = geometry_at(at) == token_geometry::vggt;
  if (is_cut && (at.word("mode") == "pre" || at.word("given") == "tokens"))
    return fmt::format("mode={}, given={}: in the geometry vggt rows are not normalized", at.word("mode"),
                       at.word("given"));
  if (at.word("mode") == "post" && at.word("given") != "tokens" && at.word("values") != "unit")
    return fmt::format("values={}: where nothing is normalized, inputs are not read", at.word("values"));
  return refuses_blocks(layout_at(at, geometry_at(at)));
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  const block_pooling::checked_problem pooling = block_pooling::pooling_at(at, inputs.seed());
  checked_problem p;
  p.pooling = pooling;
  p.seed = pooling.seed;
  p.what = pooling.what;
  p.given = meaning_of(given_words, at.word("given"));
  p.pooling.writes_tokens = p.given == given::tokens;
  p.sample_count = samples_of_a_case;
  return p;
}

const switches published = {
    {"steps", "launches"}, {"load_bytes", "4"}, {"warp", "rows"}, {"neighbors", "blocks"}};
const switches blocks_of_warps =
    published.with({{"steps", "fused"}, {"load_bytes", "16"}, {"warp", "block"}});
const variant_limits fused = {.without = {"means", "mean_gradients"}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "block_pooling_backward",
     .description = "gradients of pooled rows of q, k and v taken back to their tokens, through norm and 2-D "
                    "rotation, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens of a block"),
              block_pooling::pooling_mode_axis(),
              axis_of("given", given_words,
                      "gradients that are given: of pooled rows; of the tokens, too, which are added; or of "
                      "the normalized and rotated tokens, which go back through norm and rotation"),
              block_pooling::pooling_layout_axis(), block_pooling::pooled_values_axis(), geometry_axis()},
     .baseline = "separate",
     .presets = {.published = {"separate"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {{"steps",
                   "what a launch computes",
                   {{"launches",
                     "one step of autograd: a rotation, a norm, or the tokens' shares of one tensor"},
                    {"fused", "all of them, with norm and rotation in registers"}},
                   "launches; DRAM bytes, to half where tokens are normalized"},
                  {"load_bytes",
                   "bytes that a lane loads at once",
                   {{"4"}, {"16"}},
                   "load instructions per byte, to a quarter with 16"},
                  {"warp",
                   "what a warp takes back to its tokens",
                   {{"rows", "one row, or four with 16 bytes a load"},
                    {"block", "q, k and v of one block and head, in turn"},
                    {"tensor", "one of q, k and v of one block and head"}},
                   "warps, three times as many with a tensor each"},
                  {"neighbors",
                   "what consecutive warps take",
                   {{"blocks", "consecutive blocks of one head"}, {"heads", "all heads of one block"}},
                   "DRAM throughput, up where their rows are adjacent in memory"}},
     .variants = {
         {"separate",
          ABLATE_LAUNCH(take_back),
          published,
          "autograd's steps, a launch each: rotations, norms, and each token's share; a warp per row, 4 "
          "bytes a load",
          {.takes = {{"load_bytes", {"16"}}}}},
         {"warp_per_block",
          ABLATE_LAUNCH(take_back),
          blocks_of_warps,
          "one launch, a warp per block and head, q, k and v in turn: norm and rotation in registers; "
          "bitwise reproducible",
          {.without = {"means", "mean_gradients"},
           .same_bits = true,
           .takes = {{"warp", {"tensor"}}, {"neighbors", {"heads"}}}}},
         {"warp_per_tensor", ABLATE_LAUNCH(take_back), blocks_of_warps.with({{"warp", "tensor"}}),
          "one launch, a warp for each of q, k and v of a block and head", fused},
         {"warp_heads", ABLATE_LAUNCH(take_back), blocks_of_warps.with({{"neighbors", "heads"}}),
          "one launch, a warp per block and head; consecutive warps take the heads of one block", fused},
     }});

}  // namespace ablate::block_pooling_backward

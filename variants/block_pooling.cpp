// block_pooling: blocks of tokens to one row each, with norm and rotation. Axes, and one entry a variant;
// buffers, inputs, check and work model are in variants/block_pooling/.
#include "kernels/block_pooling/block_pooling.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/block_pooling/launches.h"
#include "oracles/block_pooling/launches.h"
#include "variants/block_pooling/axes.h"
#include "variants/block_pooling/buffers.h"
#include "variants/block_pooling/prepare.h"
#include "variants/phases.h"

namespace ablate::block_pooling {
namespace {

constexpr std::int64_t samples_of_a_case = 96;

std::optional<std::string> refuses(const axis_values& at) {
  const bool is_cut = geometry_at(at) == token_geometry::vggt;
  for (const char* name : {"mode", "output"})
    if (is_cut && at.word(name) != (name == std::string("mode") ? "post" : "pooled"))
      return fmt::format("{}={}: in the geometry vggt rows are not normalized", name, at.word(name));
  return refuses_blocks(layout_at(at, geometry_at(at)));
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p = pooling_at(at, inputs.seed());
  p.writes_tokens = at.word("output") == "tokens";
  p.sample_count = samples_of_a_case;
  return p;
}

const switches published = {{"steps", "launches"},
                            {"load_bytes", "4"},
                            {"warp", "rows"},
                            {"loads_in_flight", "16"},
                            {"neighbors", "blocks"}};
const switches rows_of_lanes = published.with({{"steps", "fused"}, {"load_bytes", "16"}});
const switches blocks_of_warps = rows_of_lanes.with({{"warp", "block"}, {"loads_in_flight", "12"}});
const variant_limits fused = {.only_where = with_s3r(), .without = {"means"}};
const variant_limits in_steps = {.only_where = with_s3r()};

variant_limits and_takes(variant_limits limits, std::vector<switch_range> takes) {
  limits.takes = std::move(takes);
  return limits;
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "block_pooling",
     .description = "means of blocks of tokens of q, k and v, with norm and 2-D rotation, bf16",
     .axes = {images_axis(), heads_axis(), block_axis("tokens of a block"), pooling_mode_axis(),
              pooling_layout_axis(),
              axis::of_words(
                  "output", {"pooled", "tokens"},
                  "pooled rows; or, from raw inputs, the normalized and rotated rows of all tokens as well"),
              pooled_values_axis(), geometry_axis()},
     .baseline = "separate",
     .presets = {.published = {"separate"}, .best = {"warp_per_block", "warp_heads", "vec16"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {{"steps",
                   "what a launch computes",
                   {{"launches", "one mean, norm or rotation of one tensor"},
                    {"fused", "all of them, with sums, norm and rotation in registers"}},
                   "launches; DRAM bytes, down where tokens are written"},
                  {"load_bytes",
                   "bytes that a lane loads at once",
                   {{"4"}, {"16"}},
                   "load instructions per byte, to a quarter with 16"},
                  {"warp",
                   "what a warp pools",
                   {{"rows", "one row, or four with 16 bytes a load"},
                    {"block", "q, k and v of one block and head"}}},
                  {"loads_in_flight",
                   "loads that a lane issues before it uses the first",
                   {{"4"}, {"12"}, {"16"}},
                   "stalls on loads, down with more; DRAM throughput, up"},
                  {"neighbors",
                   "what consecutive warps pool",
                   {{"blocks", "consecutive blocks of one head"}, {"heads", "all heads of one block"}},
                   "DRAM throughput, up where their rows are adjacent in memory"}},
     .variants = {
         {"separate", ABLATE_LAUNCH(pool_blocks), published,
          "as published, a launch for each mean, norm and rotation; a warp per row, 4 bytes a load",
          and_takes(in_steps, {{"load_bytes", {"16"}}, {"neighbors", {"heads"}}})},
         {"fused_4_bytes", ABLATE_LAUNCH(pool_blocks), published.with({{"steps", "fused"}}),
          "one launch: sums, norm and rotation in registers; a warp per row, 4 bytes a load",
          and_takes(fused, {{"load_bytes", {"16"}}, {"neighbors", {"heads"}}})},
         {"vec16", ABLATE_LAUNCH(pool_blocks), rows_of_lanes,
          "one launch: sums in registers; 16 bytes a load, four rows per warp, 16 loads in flight",
          and_takes(fused, {{"loads_in_flight", {"4"}}, {"neighbors", {"heads"}}})},
         {"warp_per_block",
          ABLATE_LAUNCH(pool_blocks),
          blocks_of_warps,
          "a warp per block and head, q, k and v together: 12 loads in flight, one store of three rows",
          {.without = {"means"}, .takes = {{"neighbors", {"heads"}}}}},
         {"warp_4_loads", ABLATE_LAUNCH(pool_blocks), blocks_of_warps.with({{"loads_in_flight", "4"}}),
          "a warp per block and head, q, k and v in turn: 4 loads in flight", fused},
         {"warp_heads", ABLATE_LAUNCH(pool_blocks), blocks_of_warps.with({{"neighbors", "heads"}}),
          "a warp per block and head, 12 loads in flight; consecutive warps take the heads of one block",
          and_takes(fused, {{"loads_in_flight", {"4"}}})},
     }});

}  // namespace ablate::block_pooling

// block_pooling: blocks of tokens to one row each, with norm and rotation. Axes, and one entry a variant;
// buffers, inputs, check and work model stand in variants/block_pooling/.
#include "kernels/block_pooling/block_pooling.h"

#include <fmt/format.h>

#include <optional>
#include <string>

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
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .variants = {
         {"separate", ABLATE_LAUNCH(separate), published,
          "as published, a launch for each step: means of q, k and v, norms, rotations; a "
          "warp a row, 4 bytes a load",
          in_steps},
         {"separate_16_bytes", ABLATE_LAUNCH(separate), published.with({{"load_bytes", "16"}}),
          "separate, with 16 bytes a load, four rows a warp", in_steps},
         {"fused_4_bytes", ABLATE_LAUNCH(rows), published.with({{"steps", "fused"}}),
          "separate in one launch: sums, norm and rotation in registers", fused},
         {"vec16", ABLATE_LAUNCH(rows), rows_of_lanes,
          "fused_4_bytes, with 16 bytes a load, four rows a warp", fused},
         {"vec16_4_loads", ABLATE_LAUNCH(rows), rows_of_lanes.with({{"loads_in_flight", "4"}}),
          "vec16, with 4 loads of a lane in flight, not 16", fused},
         {"vec16_heads", ABLATE_LAUNCH(rows), rows_of_lanes.with({{"neighbors", "heads"}}),
          "vec16, with the heads of one block next to each other, not the blocks of one head", fused},
         {"warp_per_block",
          ABLATE_LAUNCH(warps),
          blocks_of_warps,
          "a warp a block and head, q, k and v together: 12 loads in flight, one store of three rows",
          {.without = {"means"}}},
         {"warp_4_loads", ABLATE_LAUNCH(warps), blocks_of_warps.with({{"loads_in_flight", "4"}}),
          "warp_per_block, with q, k and v in turn, 4 loads in flight", fused},
         {"warp_heads", ABLATE_LAUNCH(warps), blocks_of_warps.with({{"neighbors", "heads"}}),
          "warp_per_block, with the heads of one block next to each other", fused},
     }});

}  // namespace ablate::block_pooling

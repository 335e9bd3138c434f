// sparse_conv: a layer of sparse convolution on a level of voxels. Axes, and one entry a variant; maps,
// buffers, inputs, check and work model are in variants/sparse_conv/.
#include "kernels/sparse_conv/sparse_conv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/sparse_conv/launches.h"
#include "oracles/sparse_conv/launches.h"
#include "variants/cloud_axes.h"
#include "variants/phases.h"
#include "variants/sparse_conv/buffers.h"
#include "variants/sparse_conv/prepare.h"

namespace ablate::sparse_conv {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = refuses_all_points(at)) return reason;
  if (at.word("layer") != "stem") return std::nullopt;
  const std::string& region = at.word("region");
  if (at.integer("channels") != stem_outputs) return "layer=stem has 4 channels in and 32 out: channels=32";
  if (region != "forward" && region != "weight_gradient")
    return fmt::format("layer=stem, region={}: the stem has no input gradient", region);
  return std::nullopt;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  const map_request request = map_request_at(at);
  const auto map = map_at(request, inputs);
  if (map->rows() == 0)
    throw input_unfit(fmt::format("cloud '{}'", request.distribution), "no voxels",
                      "expected at least one point within a key's range");
  if (constexpr std::int64_t most = std::int64_t{1} << 32; map->rows() * at.integer("channels") >= most)
    throw input_unfit(
        fmt::format("cloud '{}'", request.distribution), fmt::format("{} voxels", map->rows()),
        fmt::format("expected fewer than 2^32 elements, in {} channels", at.integer("channels")));
  const std::string& region = at.word("region");
  checked_problem p;
  p.rows = map->rows();
  p.pairs = map->pairs();
  p.kernel = request.kernel;
  p.out_channels = static_cast<int>(at.integer("channels"));
  p.in_channels = p.kernel == 5 ? stem_channels : p.out_channels;
  p.has_bias = p.kernel == 3;
  p.forward = region == "forward" || region == "all";
  p.input_gradient = region == "input_gradient" || region == "all";
  p.weight_gradient = region == "weight_gradient" || region == "all";
  if (p.kernel == 3) std::ranges::copy(map->ends, p.known_ends.begin());
  p.tile_count = static_cast<std::int64_t>(cut(map->ends, list_tile).pieces.size());
  const cut_lists splits = cut(map->ends, pairs_of_split(p.in_channels));
  p.split_count = static_cast<std::int64_t>(splits.pieces.size());
  p.part_count = splits.part_ends.back();
  p.sample_count = sample_count(p);
  return p;
}

axis_conditions in_regions(const std::string& layer, std::vector<std::string> regions) {
  return {{"layer", {layer}}, {"region", std::move(regions)}};
}

const switches standing_rows = {{"tiles", "out_rows"}, {"offsets", "present"}, {"rows", "as_they_stand"}};
const switches listed_pairs = {{"tiles", "pairs"}, {"reduction", "vec4"}};
const switches lists_by_library = {{"tiles", "pairs"}, {"products", "cublaslt"}};
const switches stem = {{"tiles", "none"}, {"weights", "shared"}};
const axis_conditions one_product = {{"region", {"forward", "input_gradient"}}};

/// `takes`, and tiles of fewer columns than the widest that channels fill.
std::vector<switch_range> and_narrow_tiles(std::vector<switch_range> takes,
                                           const axis_conditions& where = {}) {
  const auto at = [&](std::vector<std::string> channels) {
    axis_conditions conditions = where;
    conditions.emplace_back("channels", std::move(channels));
    return conditions;
  };
  takes.push_back({"columns", {"64"}, 80, at({"128", "256", "512"})});
  takes.push_back({"columns", {"32"}, 80, at({"64", "128", "256", "512"})});
  return takes;
}

std::vector<std::string> without(std::vector<std::string> names) {
  names.insert(names.end(), {"weights_by_offset", "gathered", "products", "workspace"});
  return names;
}

// Functions, not constants: operations may be defined before the constants of another file are initialized.
variant_limits tiles_of_rows(std::vector<switch_range> takes = {}) {
  return {.only_where = in_regions("xcpe", {"forward", "input_gradient", "all"}),
          .without = without({"tiles", "sums"}),
          .takes = std::move(takes)};
}
variant_limits tiles_of_pairs(std::vector<std::string> regions, std::vector<switch_range> takes = {}) {
  return {.only_where = in_regions("xcpe", std::move(regions)),
          .without = without({"masks", "order"}),
          .takes = std::move(takes)};
}
variant_limits products_of_lists() {
  return {.only_where = in_regions("xcpe", {"forward", "input_gradient"}),
          .without = {"masks", "order", "tiles"}};
}
variant_limits rows_of_the_stem(std::vector<std::string> regions, std::vector<switch_range> takes = {}) {
  return {.only_where = in_regions("stem", std::move(regions)),
          .without = without({"tiles", "sums", "order"}),
          .takes = std::move(takes)};
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "sparse_conv",
     .description = "sparse convolution of a level's voxels, bf16, and its gradients",
     .axes = {axis::of_words("layer", {"xcpe", "stem"},
                             "3 x 3 x 3 offsets, as many channels out as in, with bias; or 5 x 5 x 5, 4 to "
                             "32 channels, without"),
              [] {
                axis channels = axis::of_words("channels", {"32", "64", "128", "256", "512"}, "out channels");
                channels.default_value = "256";
                return channels;
              }(),
              axis::of_integers("level", 1, 5, 4,
                                "of the voxels: 1 has cells of 5 cm, each further one of twice the edge"),
              points_axis(1 << 24, 124087, "points of the cloud"), distribution_axis("lidar"),
              axis::of_words("order", {"scan", "morton", "shuffled"},
                             "of the rows: as the points come, along a Morton curve, random"),
              axis::of_words(
                  "region", {"forward", "input_gradient", "weight_gradient", "all"},
                  "what is computed, from a map that is ready; weight_gradient includes the bias gradient")},
     .baseline = "output_tiles",
     .presets = {.published = {"gather_gemm_scatter"},
                 .best = {"lists_fused", "output_tiles_by_mask", "stem_rows"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .switches =
         {{.name = "tiles",
           .description = "what a block's products are of",
           .values = {{"out_rows", "64 out rows, kept in registers over all their offsets"},
                      {"pairs", "pairs of one offset, added to fp32 sums in memory"},
                      {"none", "no tensor tiles: a warp per out row"}},
           .counter =
               "tensor activity, up with zeros that are multiplied; reductions, from none to one per pair"},
          only_with("tiles", {"out_rows"},
                    {.name = "offsets",
                     .description = "offsets that a tile of out rows multiplies",
                     .values = {{"present", "those that one of its rows has"}, {"all", "all 27"}},
                     .counter = "tensor activity and L2 bytes, down with the offsets that no row has"}),
          only_with("tiles", {"out_rows"},
                    {.name = "rows",
                     .description = "order in which out rows are cut into tiles",
                     .values = {{"as_they_stand", "that of the input"},
                                {"by_mask", "sorted by the offsets that rows have, fullest tiles first"}},
                     .counter = "tensor activity and L2 bytes, down to the products that are needed",
                     .source = "TorchSparse++, arXiv 2311.12862"}),
          only_with("tiles", {"pairs"},
                    {.name = "reduction",
                     .description = "width of a reduction to the fp32 sums",
                     .values = {{"vec4", "16 bytes from sm_90 on"}, {"scalar", "one element"}},
                     .counter = "L2 reductions, to a fourth"}),
          only_with("tiles", {"pairs"},
                    {.name = "products",
                     .description = "what multiplies a list's pairs",
                     .values = {{"cublaslt", "cuBLASLt, between a gather and a scatter, as published"},
                                {"off", "the kernel that gathers them"}},
                     .counter = "launches, up to 81; L2 bytes, up by gathered rows and products"}),
          only_with("tiles", {"out_rows", "pairs"},
                    {.name = "columns",
                     .description = "out channels of a block's tile at most, if not 128",
                     .values = {{"64"}, {"32", "and 32 channels a step in place of 64"}},
                     .counter = "blocks, up; L2 bytes, up with rows that each of them gathers"}),
          {.name = "weights",
           .description = "where the stem reads its weights",
           .values = {{"shared", "shared memory, filled once per block"},
                      {"l1", "global memory, through L1"},
                      {"off", "not the stem: shared memory, a step at a time"}},
           .counter = "L1 sectors per request, down"},
          only_with("tiles", {"none"},
                    {.name = "blocks_per_sm",
                     .description = "blocks of the stem's grid per multiprocessor at most, if not 4",
                     .values = {{"2"}, {"8"}},
                     .counter = "L2 bytes, down with blocks that fill their weights; active warps, down"})},
     .variants = {
         {"output_tiles", ABLATE_LAUNCH(output_tiles), standing_rows,
          "64 output rows per block, in registers until all their offsets are added; offsets "
          "that no row has are skipped",
          tiles_of_rows(and_narrow_tiles({{"offsets", {"all"}}}))},
         {"output_tiles_by_mask", ABLATE_LAUNCH(output_tiles), standing_rows.with({{"rows", "by_mask"}}),
          "64 output rows per block, in registers, from rows sorted by the offsets that they have, fullest "
          "tiles first",
          tiles_of_rows(and_narrow_tiles({{"offsets", {"all"}}}))},
         {"lists_fused", ABLATE_LAUNCH(lists_fused), listed_pairs,
          "64 pairs of one offset per block, added to fp32 sums by 16-byte reductions (from sm_90), then "
          "bias and rounding",
          tiles_of_pairs({"forward", "input_gradient", "weight_gradient", "all"},
                         and_narrow_tiles({{"reduction", {"scalar"}, 80, one_product}}, one_product))},
         {"gather_gemm_scatter", ABLATE_LAUNCH(gather_gemm_scatter), lists_by_library,
          "one offset at a time: rows gathered, multiplied by cuBLASLt, added to fp32 sums; "
          "81 launches, as published",
          products_of_lists()},
         {"stem_rows", ABLATE_LAUNCH(stem_rows), stem,
          "the stem: one warp per row, one lane per output channel, all weights in shared memory",
          rows_of_the_stem({"forward", "weight_gradient"},
                           {{"weights", {"l1"}, 80, {{"region", {"forward"}}}},
                            {"blocks_per_sm", {"2", "8"}, 80, {{"region", {"forward"}}}}})},
     }});

}  // namespace ablate::sparse_conv

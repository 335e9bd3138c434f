// merged_attention: global attention among tokens that are merged where they look alike, forward. Axes, and
// one entry a variant; buffers, inputs, check and work model are in variants/merged_attention/.
#include "kernels/merged_attention/merged_attention.h"

#include <optional>
#include <string>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/merged_attention/launches.h"
#include "kernels/token_merging/partition_lists.h"
#include "oracles/merged_attention/launches.h"
#include "variants/global_attention/axes.h"
#include "variants/global_attention/core_switches.h"
#include "variants/global_attention/cores.h"
#include "variants/merged_attention/buffers.h"
#include "variants/merged_attention/prepare.h"
#include "variants/merging_axes.h"

namespace ablate::merged_attention {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = global_attention::refuses_region(at)) return reason;
  if (at.integer("images") < 2) return "images=1: all tokens of the first image are destinations";
  if (at.word("scores") == "ascending")
    return "scores=ascending: tokens are matched by what they look like, which has no such order";
  if (at.word("scores") == "plane") return "scores=plane: what tokens are matched by shows a scene alone";
  return std::nullopt;
}

/// The partition of the layer's tokens.
token_merging::problem merging_at(const axis_values& at, const checked_problem& p) {
  token_merging::problem of;
  of.layout = {p.geometry, at.integer("images"), p.seed, at.word("protected") == "twice"};
  of.heads = p.heads;
  of.metric = token_merging::metric_at(at);
  const token_merging::partition_lists lists = lists_of(of.layout);
  of.sources = static_cast<std::int64_t>(lists.sources.size());
  of.destinations = static_cast<std::int64_t>(lists.destinations.size());
  of.appended = static_cast<std::int64_t>(lists.appended.size());
  return of;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  global_attention::put_layer(at, p);
  global_attention::put_preparation(at, p);
  global_attention::put_checks(at, inputs, p);
  p.merging = merging_at(at, p);
  p.source_sample_count = sampled_sources;
  return p;
}

switches merging(const switches& core, const char* sums, const char* passes) {
  return core.with({{"sums", sums}, {"passes", passes}});
}

std::vector<switch_facts> switches_of_merged_attention() {
  std::vector<switch_facts> all = global_attention::switches_of_cores();
  all.insert(all.end(), {{"sums",
                          "how the rows merged into a destination are added",
                          {{"atomics", "by fp32 atomics to sums in memory, as published"},
                           {"chains", "in registers, along a linked list of the destination's sources"}},
                          "DRAM bytes, from 12 per element of the sums to none",
                          "FastVGGT, arXiv 2509.02560: atomics"},
                         {"passes",
                          "launches that write the outputs of all tokens",
                          {{"3"}, {"1"}},
                          "launches; DRAM bytes written, down",
                          "FastVGGT, arXiv 2509.02560: 3"},
                         {"matches",
                          "which instructions find each source's destination",
                          {{"hopper", "wgmma, operands packed for TMA"}, {"off", "mma.sync"}},
                          "tensor pipe activity, up; time of matches, which is quadratic in tokens, down"}});
  return all;
}

std::vector<switch_range> ranges_on_hopper() {
  std::vector<switch_range> all = global_attention::ranges_of_groups();
  all.insert(all.end(), {{"matches", {"hopper"}}, {"sums", {"atomics"}}, {"passes", {"3"}}});
  return all;
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "merged_attention",
     .description =
         "global attention among tokens that are merged where they look alike (FastVGGT); forward, bf16",
     .axes = {images_axis(), heads_axis(),
              axis::of_words("protected", {"twice", "once"},
                             "destinations that are protected attend as such and once more, as published; or "
                             "as destinations alone")
                  .silent_at_default(),
              token_merging::metric_axis(), global_attention::lists_axis("matches are made"),
              global_attention::region_axis("matches and merging"), global_attention::scores_axis(),
              geometry_axis()},
     .baseline = "published",
     .presets = {.published = {"published"}, .best = {"hopper_matches", "hopper"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = global_attention::ahead_of<checked_problem>,
     .keeps_ahead = true,
     .compare = ABLATE_LAUNCH(compare_parts),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = switches_of_merged_attention(),
     .variants = {
         {"published",
          ABLATE_LAUNCH(attend),
          merging(global_attention::by_mma(), "atomics", "3"),
          "FastVGGT's merging as published: sums by atomics, outputs in three passes; attention by mma.sync",
          {.takes = {{"sums", {"chains"}}, {"passes", {"1"}}}}},
         {"chains",
          ABLATE_LAUNCH(attend),
          merging(global_attention::by_mma(), "chains", "1"),
          "each destination's sources summed along a linked list, outputs in one pass; attention by mma.sync",
          {}},
         {"hopper",
          ABLATE_LAUNCH(attend),
          merging(global_attention::by_warpgroups(), "chains", "1"),
          "sources summed along linked lists, outputs in one pass; attention by wgmma",
          {.minimum_compute_capability = 90, .takes = ranges_on_hopper()}},
         {"hopper_matches",
          ABLATE_LAUNCH(attend),
          merging(global_attention::by_warpgroups(), "chains", "1").with({{"matches", "hopper"}}),
          "sources summed along linked lists, outputs in one pass; attention and matches by wgmma",
          {.minimum_compute_capability = 90}},
     }});

}  // namespace ablate::merged_attention

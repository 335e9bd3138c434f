// row_norm: layer and batch norms of rows, with residual, drop path and activation. Axes, and one entry a
// variant; buffers, inputs, check and work model are in variants/row_norm/.
#include "kernels/row_norm/row_norm.h"

#include <fmt/format.h>

#include "harness/registry/define.h"
#include "kernels/row_norm/launches.h"
#include "oracles/row_norm/launches.h"
#include "variants/phases.h"
#include "variants/row_norm/buffers.h"
#include "variants/row_norm/prepare.h"

namespace ablate::row_norm {
namespace {

constexpr std::int64_t samples_of_a_case = 96;

kind kind_at(const axis_values& at) {
  const std::string& word = at.word("kind");
  return word == "layer"             ? kind::layer
         : word == "residual_layer"  ? kind::residual_layer
         : word == "batch_inference" ? kind::batch_inference
         : word == "batch_training"  ? kind::batch_training
                                     : kind::copy;
}

std::optional<std::string> refuses(const axis_values& at) {
  const kind of = kind_at(at);
  const bool is_layer = of == kind::layer || of == kind::residual_layer;
  if ((is_layer || of == kind::copy) && at.word("act") != "none")
    return "act=gelu: of a batch norm; neither model has it behind a layer norm";
  if (of != kind::residual_layer && at.word("drop") != "0")
    return fmt::format("drop={}: rows are dropped from the branch of kind=residual_layer", at.word("drop"));
  if ((of == kind::batch_inference || of == kind::copy) && at.word("region") == "backward")
    return fmt::format("region=backward: {} has no gradient", at.word("kind"));
  return std::nullopt;
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.kind = kind_at(at);
  p.rows = at.integer("rows");
  p.valid = at.word("padding") == "none" ? p.rows : p.rows - p.rows / 16;
  p.channels = static_cast<int>(at.integer("channels"));
  p.act = at.word("act") == "none" ? activation::none : activation::gelu_erf;
  p.drop = at.word("drop") == "0" ? 0.0f : 0.3f;
  p.is_backward = at.word("region") == "backward";
  p.seed = inputs.seed();
  p.what = at.word("values") == "offset" ? content::offset : content::unit;
  p.sample_count = samples_of_a_case;
  return p;
}

const switches one_launch = {{"steps", "fused"}, {"load_bytes", "16"}, {"rows_in_flight", "1"}};
const axis_conditions four_rows_at_once = {{"kind", {"layer", "residual_layer", "copy"}},
                                           {"channels", {"32", "64", "128", "256", "512"}},
                                           {"region", {"forward"}}};
/// The channels at which two rows are compared with one and four.
const axis_conditions two_rows_at_once = {
    {"kind", {"layer", "residual_layer", "copy"}}, {"channels", {"64"}}, {"region", {"forward"}}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "row_norm",
     .description = "layer and batch norms of bf16 rows, with residual, drop path and GELU",
     .axes =
         {axis::of_words(
              "kind", {"layer", "residual_layer", "batch_inference", "batch_training", "copy"},
              "layer norm; layer norm of the sum with a branch, which is written too; batch norm by running "
              "statistics; batch norm by the rows' statistics; rows copied without a norm, the control"),
          axis::of_integers("rows", 1, 1 << 21, 24576, "rows, padding included"),
          axis::of_words("channels", {"64", "32", "128", "256", "512", "1024"}, "channels of a row"),
          axis::of_words("act", {"none", "gelu"}, "behind a batch norm: nothing, or exact GELU"),
          axis::of_words("drop", {"0", "0.3"}, "probability that a row's branch is left out (drop path)"),
          axis::of_words("padding", {"none", "sixteenth"}, "share of the rows that is padding, at the end"),
          axis::of_words("values", {"unit", "offset"}, "inputs: standard normal; plus 16"),
          axis::of_words("region", {"forward", "backward"},
                         "the norm; or the gradients of its input and its parameters")},
     .baseline = "one_row",
     .presets = {.published = {"separate"}, .best = {"one_row", "four_rows"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(compare_with_plain),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {{"steps",
                   "what a launch computes",
                   {{"launches", "one of scaling, adding, normalizing and activating"},
                    {"fused", "all of them; a batch norm's statistics take one more launch"}},
                   "launches; DRAM bytes, down by what passes between the steps"},
                  {"load_bytes", "bytes that a lane loads at once", {{"16"}}},
                  {"rows_in_flight",
                   "rows that a group of lanes loads before it uses the first",
                   {{"1"}, {"2", "of 64 channels"}, {"4"}},
                   "stalls on loads, down"}},
     .variants = {
         {"separate",
          ABLATE_LAUNCH(separate),
          one_launch.with({{"steps", "launches"}}),
          "as published, a launch each: branch scaled, added, normalized, activated",
          {.only_where = {{"kind", {"residual_layer", "batch_inference", "batch_training"}},
                          {"region", {"forward"}}},
           .takes = {{"rows_in_flight",
                      {"4"},
                      80,
                      {{"kind", {"residual_layer"}}, {"channels", {"32", "64", "128", "256", "512"}}}},
                     {"rows_in_flight", {"2"}, 80, {{"kind", {"residual_layer"}}, {"channels", {"64"}}}}}}},
         {"one_row",
          ABLATE_LAUNCH(rows),
          one_launch,
          "one launch, two for a batch norm's statistics: each row in registers, 16 bytes per load",
          {.takes = {{"rows_in_flight", {"4"}, 80, four_rows_at_once},
                     {"rows_in_flight", {"2"}, 80, two_rows_at_once}}}},
         {"four_rows",
          ABLATE_LAUNCH(rows),
          one_launch.with({{"rows_in_flight", "4"}}),
          "one launch: rows in registers, 16 bytes per load, four rows in flight per group of lanes",
          {.only_where = four_rows_at_once}},
     }});

}  // namespace ablate::row_norm

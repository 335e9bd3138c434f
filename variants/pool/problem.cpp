#include "variants/pool/problem.h"

#include <fmt/format.h>

#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"
#include "variants/pool/scene.h"
#include "variants/psh_bucket/problem.h"

namespace ablate::pool {
namespace {

struct region {
  phase first, last;
};

region region_of(const std::string& word) {
  if (word == "order") return {phase::order, phase::order};
  if (word == "index") return {phase::index, phase::index};
  if (word == "reduce") return {phase::reduce, phase::reduce};
  if (word == "finish") return {phase::finish, phase::finish};
  if (word == "unpool") return {phase::unpool, phase::unpool};
  if (word == "reduce_backward") return {phase::reduce_backward, phase::reduce_backward};
  if (word == "unpool_backward") return {phase::unpool_backward, phase::unpool_backward};
  return {phase::index, phase::finish};
}

reduction reduction_of(const std::string& word) {
  if (word == "sum") return reduction::sum;
  if (word == "min") return reduction::minimum;
  return word == "max" ? reduction::maximum : reduction::mean;
}

clustering clustering_of(const std::string& word) {
  if (word == "grid") return clustering::grid;
  return word == "three_steps" ? clustering::three_steps : clustering::in_bucket;
}

host_role host_of(const std::string& word) {
  if (word == "published") return host_role::published;
  return word == "graph" ? host_role::graph : host_role::absent;
}

std::optional<std::string> refuses_order(const axis_values& at) {
  if (at.word("clusters") == "grid") return "region=order makes the bucket order, which a grid does not need";
  if (at.word("points_as") != "raw") return "region=order takes the points as they come: points_as=raw";
  if (at.word("order_by") == "hilbert")
    return "region=order makes order_by=cut or psh; the operation serialize makes Hilbert orders";
  if (at.integer("points") == 0 && !is_point_file(at)) return refuses_all_points(at);
  return psh_bucket::refuses(axes_of_order(at));
}

std::optional<std::string> refuses_grid(const axis_values& at) {
  if (at.integer("ratio") == 3 && at.word("equal") == "cells")
    return "ratio=3 is no power of two: cells of a grid are that only with equal=ratio";
  if (at.integer("pad") != 1) return "pad is for buckets: how many rows a grid leaves is known on the device";
  if (at.word("rotate") == "on") return "rotate=on is for buckets";
  return std::nullopt;
}

std::optional<std::string> refuses_points(std::int64_t points, const axis_values& at) {
  if (auto reason = refuses_batch(points, max_points, at)) return reason;
  std::int64_t together = 0;
  for (const std::int64_t size : instance_sizes(points, at)) together += size;
  if (together * at.integer("channels") <= max_elements) return std::nullopt;
  return fmt::format("{} points of {} channels: at most {} elements", together, at.integer("channels"),
                     max_elements);
}

}  // namespace

axis_values axes_of_order(const axis_values& at) {
  const bool cut = at.word("order_by") == "cut";
  return {{"hash", cut ? "z_div" : "xor_div"},
          {"mode", "strict"},
          {"points", at.word("points")},
          {"batch", at.word("batch")},
          {"sizes", at.word("sizes")},
          {"distribution", at.word("distribution")},
          {"order", "natural"},
          {"capacity", "512"},
          {"buckets", "0"},
          {"probes", cut ? "0" : "128"},
          {"segments", "0"},
          {"layout", "compact"},
          {"quantization", "per_axis"},
          {"channels", "0"},
          {"region", "pipeline"}};
}

std::optional<std::string> refuses(const axis_values& at) {
  const std::string& region = at.word("region");
  if (auto reason = refuses_all_points(at)) return reason;
  if (at.integer("channels") % 8 != 0) return "channels must be a multiple of 8";
  if (region == "order")
    if (auto reason = refuses_order(at)) return reason;
  if (at.word("clusters") == "grid")
    if (auto reason = refuses_grid(at)) return reason;
  if (at.word("host") != "absent" && region != "index" && region != "all")
    return fmt::format("host={} is for region=index and all: nothing waits in {}", at.word("host"), region);
  const bool selects = at.word("reduce") == "min" || at.word("reduce") == "max";
  if (at.word("pass") == "training" && !(selects && (region == "reduce" || region == "all")))
    return "pass=training keeps winners: reduce=min or max, region=reduce or all";
  const long points = at.integer("points");
  return points == 0 ? std::nullopt : refuses_points(points, at);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const std::int64_t points = inputs.point_count(distribution, at.integer("points"));
  if (const auto reason = refuses_points(points, at))
    throw input_unfit(fmt::format("distribution '{}'", distribution), fmt::format("{} points", points),
                      *reason);
  const region what = region_of(at.word("region"));
  checked_problem p;
  p.how = clustering_of(at.word("clusters"));
  p.instances = static_cast<int>(at.integer("batch"));
  p.first = what.first;
  p.last = what.last;
  if (p.does(phase::order)) {
    p.hashing = psh_bucket::problem_at(axes_of_order(at), inputs);
    p.points = p.hashing.points;
    return p;
  }
  const scene_facts facts = facts_at(at, inputs);
  const std::int64_t pad = at.integer("pad");
  p.points = facts.points;
  p.largest = facts.largest;
  p.ratio = static_cast<int>(at.integer("ratio"));
  p.shift = facts.shift;
  p.depth = facts.depth;
  p.rows = p.is_grid() ? facts.clusters_of_grid : facts.clusters_in_buckets;
  p.padded_rows = p.is_grid() ? p.rows : (p.rows + pad - 1) / pad * pad;
  p.channels = static_cast<int>(at.integer("channels"));
  p.op = reduction_of(at.word("reduce"));
  p.curves = static_cast<int>(at.integer("curves"));
  p.rotates = at.word("rotate") == "on";
  p.trains = p.selects() && (at.word("pass") == "training" || p.does(phase::reduce_backward));
  p.seed = static_cast<std::uint32_t>(inputs.seed());
  p.host = host_of(at.word("host"));
  return p;
}

}  // namespace ablate::pool

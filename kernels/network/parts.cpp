#include "kernels/network/parts.h"

#include <algorithm>

#include "kernels/common/memory_cutter.h"

namespace ablate::backbone {
namespace {

/// Sizes alone.
psh_bucket::problem ordering_sizes(const network& n) {
  psh_bucket::problem p;
  p.instances = n.instances();
  p.points = n.points();
  p.largest_instance = n.levels.front().largest;
  p.capacity = n.shape.bucket;
  p.buckets = psh_bucket::buckets_for(p.largest_instance, p.capacity);
  return p;
}

/// What the order leaves beside the index.
std::int64_t cut_ordering(psh_bucket::problem& p, std::byte* memory) {
  memory_cutter cutter{memory};
  const std::int64_t counters = std::int64_t{p.instances} * p.buckets;
  cutter.cut(p.bucket_id, p.points);
  cutter.cut(p.bucket_off, p.points);
  cutter.cut(p.bucket_count, counters);
  cutter.cut(p.bucket_end, counters);
  std::byte* scratch = nullptr;
  cutter.cut(scratch, static_cast<std::int64_t>(psh_bucket::scratch_bytes(p)));
  p.scratch = scratch;
  return static_cast<std::int64_t>(cutter.used);
}

const gradient_place& gradient_at(const network& n, int layer) {
  return n.gradients.of[static_cast<std::size_t>(layer)];
}

}  // namespace

window_attention::problem attention_sizes(const network& n, const step& s) {
  window_attention::problem p;
  p.tokens = n.level_at(s.level).slots;
  p.heads = s.heads;
  p.width = s.channels / s.heads;
  p.window = n.shape.window;
  p.bucket = n.shape.bucket;
  p.layout = n.trains() ? window_attention::qkv_layout::split : window_attention::qkv_layout::packed;
  return p;
}

void place_queries(window_attention::problem& attention, const std::uint16_t* qkv) {
  const bool is_split = attention.layout == window_attention::qkv_layout::split;
  const std::int64_t third = is_split ? attention.elements() : attention.heads * attention.width;
  attention.q = qkv;
  attention.k = moved(qkv, third);
  attention.v = moved(qkv, 2 * third);
}

std::int64_t ordering_bytes(const network& n) {
  psh_bucket::problem p = ordering_sizes(n);
  return cut_ordering(p, nullptr);
}

std::int64_t attention_scratch_bytes(const network& n, const step& s) {
  return static_cast<std::int64_t>(window_attention::scratch_bytes(attention_sizes(n, s)));
}

row_norm::problem batch_norm_sizes(const network& n, const step& s) {
  row_norm::problem norm;
  norm.kind = row_norm::kind::batch_training;
  norm.rows = n.level_at(s.level).rows;
  norm.valid = n.level_at(s.level).real;
  norm.channels = s.channels;
  norm.act = row_norm::activation::gelu_erf;
  norm.is_backward = s.kind == step_kind::batch_gradient;
  return norm;
}

std::int64_t cut_batch_norm_scratch(row_norm::problem& norm, std::byte* memory) {
  memory_cutter cutter{memory};
  float* variance = nullptr;
  cutter.cut(norm.partial, static_cast<std::int64_t>(row_norm::partial_bytes(norm) / sizeof(float)));
  cutter.cut(variance, norm.channels);
  norm.variance = variance;
  return static_cast<std::int64_t>(cutter.used);
}

std::int64_t batch_norm_scratch_bytes(const network& n, const step& s) {
  row_norm::problem norm = batch_norm_sizes(n, s);
  return cut_batch_norm_scratch(norm, nullptr);
}

std::uint16_t* rows_at(const problem& p, const network& n, int number) {
  const tensor& t = n.tensors[static_cast<std::size_t>(number)];
  switch (t.at) {
    case tensor::home::input:
      return const_cast<std::uint16_t*>(p.x);
    case tensor::home::output:
      return p.out;
    case tensor::home::output_gradient:
      return const_cast<std::uint16_t*>(p.out_gradient);
    case tensor::home::input_gradient:
      return p.x_gradient;
    default:
      return reinterpret_cast<std::uint16_t*>(moved(p.arena, t.offset));
  }
}

std::byte* scratch_at(const problem& p, const network& n, const step& s) {
  return moved(p.arena, n.tensors[static_cast<std::size_t>(s.scratch)].offset + s.scratch_from);
}

const std::uint32_t* source_of(const problem& p, const network& n) {
  return in_index<std::uint32_t>(p, n.index.source);
}

const std::uint16_t* coordinates_of(const problem& p, const network& n, int l) {
  return in_index<std::uint16_t>(p, n.index.of[static_cast<std::size_t>(l)].coordinates);
}

float* matrix_gradient_at(const problem& p, const network& n, int layer) {
  return moved(p.gradients, gradient_at(n, layer).matrix);
}
float* vector_gradient_at(const problem& p, const network& n, int layer) {
  return moved(p.gradients, gradient_at(n, layer).vectors);
}

psh_bucket::problem ordering_of(const problem& p, const network& n, const step& s) {
  psh_bucket::problem order = ordering_sizes(n);
  cut_ordering(order, scratch_at(p, n, s));
  const bool is_cut = p.order == point_order::cut;
  order.hash = is_cut ? psh_bucket::hash::z_div : psh_bucket::hash::xor_div;
  order.probes = is_cut ? 0 : psh_bucket::max_probes;
  order.coordinates = p.coordinates;
  order.ends = p.ends;
  order.probe_steps = p.probe_steps;
  order.scattered = const_cast<std::uint16_t*>(coordinates_of(p, n, 0));
  order.source = const_cast<std::uint32_t*>(source_of(p, n));
  order.tickets = p.tickets;
  return order;
}

void place_pooling(pool::problem& pooling, const problem& p, const network& n, const step& s) {
  const index_places::of_level& at = n.index.of[static_cast<std::size_t>(s.level)];
  pooling.ends = moved(p.ends, std::int64_t{s.level} * n.instances());
  pooling.start = in_index<std::uint32_t>(p, at.start);
  pooling.member = in_index<std::uint32_t>(p, at.member);
  pooling.cluster = in_index<std::uint32_t>(p, at.cluster);
  pooling.count = in_index<std::int32_t>(p, at.count);
  if (s.kind == step_kind::reduce) {
    pooling.first = pool::phase::reduce;
    pooling.last = pool::phase::finish;
    pooling.features = rows_at(p, n, s.in);
    pooling.norm = moved(p.vectors, n.place_at(s.layer).vectors);
    pooling.pooled = s.product < 0 ? nullptr : rows_at(p, n, s.product);
    pooling.finished = rows_at(p, n, s.out);
  } else if (s.kind == step_kind::pool) {
    pooling.first = pooling.last = pool::phase::reduce;
    pooling.features = rows_at(p, n, s.in);
    pooling.pooled = rows_at(p, n, s.out);
  } else if (s.kind == step_kind::pool_gradient) {
    pooling.first = pooling.last = pool::phase::reduce_backward;
    if (s.kept >= 0) pooling.features = rows_at(p, n, s.kept);
    pooling.row_gradient = rows_at(p, n, s.in);
    pooling.feature_gradient = rows_at(p, n, s.out);
  } else if (s.kind == step_kind::unpool_gradient) {
    pooling.first = pooling.last = pool::phase::unpool_backward;
    pooling.point_gradient = rows_at(p, n, s.in);
    pooling.down_gradient = rows_at(p, n, s.out);
  } else if (s.kind == step_kind::unpool) {
    pooling.first = pooling.last = pool::phase::unpool;
    pooling.down = rows_at(p, n, s.in);
    pooling.skipped = rows_at(p, n, s.skip);
    pooling.up = rows_at(p, n, s.out);
  }
}

pool::problem pooling_in_buckets_of(const problem& p, const network& n, const step& s) {
  const level &from = n.level_at(s.level), &to = n.level_at(s.level + 1);
  pool::problem pooling;
  pooling.how = pool::clustering::in_bucket;
  pooling.instances = n.instances();
  pooling.points = from.real;
  pooling.largest = from.largest;
  pooling.ratio = pooled_rows;
  pooling.rows = to.real;
  pooling.padded_rows = to.rows;
  pooling.op = pool::reduction::mean;
  pooling.channels = s.channels;
  pooling.first = pooling.last = pool::phase::index;
  pooling.coordinates = coordinates_of(p, n, s.level);
  pooling.half_out = const_cast<std::uint16_t*>(coordinates_of(p, n, s.level + 1));
  place_pooling(pooling, p, n, s);
  return pooling;
}

linear::problem linear_of(const problem& p, const network& n, const step& s) {
  const layer& of = n.layer_at(s.layer);
  const layer_place& at = n.place_at(s.layer);
  linear::problem layer;
  layer.rows = n.rows_of(s);
  layer.inputs = of.inputs;
  layer.outputs = of.outputs;
  layer.behind = s.behind;
  layer.is_split = s.splits;
  layer.has_norm = s.norm >= 0;
  layer.x = rows_at(p, n, s.in);
  layer.weight = moved(p.matrices, at.matrix);
  layer.bias_bf16 = moved(p.matrices, at.bias);
  layer.bias = moved(p.vectors, at.vectors);
  if (s.norm >= 0) {
    layer.gamma = moved(p.vectors, n.place_at(s.norm).vectors);
    layer.beta = moved(layer.gamma, of.inputs);
  }
  if (s.skip >= 0) layer.residual = rows_at(p, n, s.skip);
  if (s.normed >= 0) layer.normed = rows_at(p, n, s.normed);
  if (s.product >= 0) layer.product = rows_at(p, n, s.product);
  layer.y = rows_at(p, n, s.out);
  layer.workspace = p.workspace;
  return layer;
}

window_attention::problem attention_of(const problem& p, const network& n, const step& s) {
  window_attention::problem attention = attention_sizes(n, s);
  place_queries(attention, rows_at(p, n, s.in));
  attention.scope = moved(p.windows, s.windows_at);
  attention.out = rows_at(p, n, s.out);
  attention.lse = reinterpret_cast<float*>(rows_at(p, n, s.lse));
  attention.scratch = scratch_at(p, n, s);
  return attention;
}

mlp::problem mlp_of(const problem& p, const network& n, const step& s) {
  const layer_place &first = n.place_at(s.layer), &second = n.place_at(s.second);
  mlp::problem both;
  both.kind = n.of.gates_mlps() ? mlp::kind::swiglu : mlp::kind::gelu;
  both.rows = n.level_at(s.level).rows;
  both.channels = s.channels;
  both.x = rows_at(p, n, s.in);
  both.gamma = moved(p.vectors, n.place_at(s.norm).vectors);
  both.beta = moved(both.gamma, s.channels);
  both.first = moved(p.matrices, first.matrix);
  both.first_bias_bf16 = moved(p.matrices, first.bias);
  both.first_bias = moved(p.vectors, first.vectors);
  both.second = moved(p.matrices, second.matrix);
  both.second_bias_bf16 = moved(p.matrices, second.bias);
  both.second_bias = moved(p.vectors, second.vectors);
  both.y = rows_at(p, n, s.out);
  return both;
}

bool calls_library(const network& n) {
  return std::ranges::any_of(n.steps, [&](const step& s) {
    return (s.kind == step_kind::linear && s.how.by == multiplier::library) ||
           (is_gradient(s.kind) && gradient_by(n.form) == multiplier::library);
  });
}

}  // namespace ablate::backbone

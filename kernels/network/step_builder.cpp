#include "kernels/network/step_builder.h"

#include <fmt/format.h>

#include "kernels/mlp/mlp.h"
#include "kernels/network/parts.h"

namespace ablate::backbone {

step_builder::step_builder(const model& m, const window_shape& shape, layer_form form, pass_kind pass,
                           const drop_path& drops) {
  n_.of = m;
  n_.pass = pass;
  n_.drops = drops;
  n_.shape = shape;
  n_.form = form;
  n_.layers = layers_of(m);
  n_.weights = places_of(n_.layers);
}

int step_builder::add(const std::string& name, std::int64_t bytes, tensor::home where) {
  n_.tensors.push_back({name, bytes, where});
  return static_cast<int>(n_.tensors.size()) - 1;
}

void step_builder::push(const step& s) {
  const int number = static_cast<int>(n_.steps.size());
  for (const int i :
       {s.in, s.skip, s.out, s.normed, s.product, s.scratch, s.lse, s.kept, s.written, s.beside, s.next}) {
    if (i < 0) continue;
    tensor& t = n_.tensors[at(i)];
    if (t.first < 0) t.first = number;
    t.last = number;
  }
  n_.steps.push_back(s);
}

void step_builder::finish(int out, int channels) {
  n_.tensors[at(out)].at = tensor::home::output;
  n_.out_channels = channels;
}

bool step_builder::is_step_of_its_own(linear::epilogue behind) const {
  if (behind == linear::epilogue::bias) return false;
  return n_.form == layer_form::separate || (n_.trains() && behind != linear::epilogue::residual);
}

int step_builder::add_linear(int x, int l, int number, const linear_options& with) {
  if (is_step_of_its_own(with.behind))
    return add_behind(add_linear(x, l, number, {.norm = with.norm}), l, number, with);
  const layer& of = n_.layer_at(number);
  const bool is_gated = with.behind == linear::epilogue::swiglu;
  step s{.kind = step_kind::linear, .name = of.name, .level = l, .channels = of.inputs, .layer = number};
  s.norm = with.norm;
  s.behind = with.behind;
  s.splits = with.splits && n_.trains();
  s.is_of_slots = with.is_of_slots;
  s.in = x;
  s.skip = with.skip;
  const std::int64_t count = n_.rows_of(s);
  s.out = add(of.name, 2 * count * (is_gated ? of.outputs / 2 : of.outputs));
  s.how = plan_of(n_.form, {count, of.inputs, of.outputs, s.behind, s.norm >= 0});
  if (s.how.norm == norm_place::launch) s.normed = add(of.name + ".normed", 2 * count * of.inputs);
  if (s.how.by == multiplier::library &&
      (is_gated || with.behind == linear::epilogue::gelu_erf || s.how.bias == bias_place::launch))
    s.product = add(of.name + ".product", 2 * count * of.outputs);
  push(s);
  return s.out;
}

int step_builder::add_behind(int x, int l, int number, const linear_options& with) {
  const layer& of = n_.layer_at(number);
  const bool is_sum = with.behind == linear::epilogue::residual;
  step s{.kind = is_sum ? step_kind::add : step_kind::activate, .level = l, .behind = with.behind};
  s.name = of.name + (is_sum ? ".added" : ".activated");
  s.channels = with.behind == linear::epilogue::swiglu ? of.outputs / 2 : of.outputs;
  s.in = x;
  s.skip = with.skip;
  s.out = add(s.name, row_bytes(l, s.channels));
  push(s);
  return s.out;
}

int step_builder::add_attention(int qkv, int l, const stage& of, const scope& where, int curve,
                                const std::string& of_layer) {
  const std::string block = of_layer.substr(0, of_layer.rfind('.'));
  if (n_.of.in_buckets) return add_attention_in_windows(qkv, l, of, where, block);
  const int there =
      add_moved(step_kind::into_windows, block + ".into_windows", qkv, l, 3 * of.channels, curve);
  const int attended = add_attention_in_windows(there, l, of, where, block);
  return add_moved(step_kind::from_windows, block + ".from_windows", attended, l, of.channels, curve);
}

int step_builder::add_moved(step_kind kind, const std::string& name, int x, int l, int channels, int curve) {
  step s{.kind = kind, .name = name, .level = l, .channels = channels, .curve = curve, .in = x};
  s.splits = kind == step_kind::into_windows && n_.trains();
  const level& of = n_.levels[at(l)];
  s.out = add(name, 2 * (kind == step_kind::into_windows ? of.slots : of.real) * channels);
  push(s);
  return s.out;
}

int step_builder::add_attention_in_windows(int qkv, int l, const stage& of, const scope& where,
                                           const std::string& block) {
  const std::int64_t slots = n_.levels[at(l)].slots;
  step s{.kind = step_kind::attention, .level = l, .channels = of.channels, .heads = n_.of.heads(of)};
  s.name = block + ".attention";
  s.windows_at = windows_of(l, where);
  s.in = qkv;
  s.out = add(s.name, 2 * slots * of.channels);
  s.lse = add(s.name + ".lse", 4 * s.heads * slots);
  const std::int64_t scratch_bytes = attention_scratch_bytes(n_, s);
  if (n_.joins()) {
    s.scratch = n_.cleared;
    s.scratch_from = take(n_.tensors[at(n_.cleared)].bytes, scratch_bytes);
  } else {
    s.scratch = add(s.name + ".scratch", scratch_bytes);
  }
  push(s);
  return s.out;
}

int step_builder::add_residual(int branch, int l, int number, int skip, float drop) {
  if (drop == 0) return add_linear(branch, l, number, {.skip = skip, .behind = linear::epilogue::residual});
  const layer& of = n_.layer_at(number);
  step s{.kind = step_kind::add_dropped, .name = of.name + ".kept", .level = l, .channels = of.outputs};
  s.drop = drop;
  s.drop_seed = seed_of_branch(n_.drops, number);
  s.in = add_linear(branch, l, number, {});
  s.skip = skip;
  s.out = add(s.name, row_bytes(l, of.outputs));
  push(s);
  return s.out;
}

int step_builder::add_mlp(int x, int l, const block_layers& layers, linear::epilogue behind, float drop) {
  const int channels = n_.layer_at(layers.first).inputs;
  if (!n_.trains() && is_mlp_in_one_launch(n_.form, rows(l), channels)) return add_whole_mlp(x, l, layers);
  const int hidden = add_linear(x, l, layers.first, {.norm = layers.mlp_norm, .behind = behind});
  return add_residual(hidden, l, layers.second, x, drop);
}

int step_builder::add_whole_mlp(int x, int l, const block_layers& layers) {
  const std::string& name = n_.layer_at(layers.first).name;
  step s{.kind = step_kind::mlp, .name = name.substr(0, name.rfind('.')) + ".mlp", .level = l};
  s.channels = n_.layer_at(layers.first).inputs;
  s.layer = layers.first;
  s.second = layers.second;
  s.norm = layers.mlp_norm;
  s.in = x;
  s.out = add(s.name, row_bytes(l, s.channels));
  push(s);
  return s.out;
}

int step_builder::add_batch_norm(int x, int l, int number) {
  const layer& of = n_.layer_at(number);
  step s{.kind = step_kind::batch_norm, .name = of.name, .level = l, .channels = of.outputs, .layer = number};
  s.in = x;
  s.written = add(of.name + ".statistics", 4 * std::int64_t{sizeof(float)} * of.outputs);
  s.out = add(of.name, row_bytes(l, of.outputs));
  s.scratch = add(of.name + ".scratch", batch_norm_scratch_bytes(n_, s));
  push(s);
  return s.out;
}

int step_builder::add_reduce(int projected, int l) {
  step s{.kind = step_kind::reduce, .name = fmt::format("down.{}.reduce", l), .level = l};
  s.layer = n_.layers.down[at(l)].norm;
  s.channels = n_.layer_at(s.layer).outputs;
  s.in = projected;
  if (n_.trains()) {
    s.kind = step_kind::pool;
    s.out = add(s.name, row_bytes(l + 1, s.channels));
    push(s);
    return add_batch_norm(s.out, l + 1, s.layer);
  }
  if (is_by_library(n_.form)) s.product = add(s.name + ".pooled", row_bytes(l + 1, s.channels));
  s.out = add(s.name, row_bytes(l + 1, s.channels));
  push(s);
  return s.out;
}

int step_builder::add_up(int x, int skipped, int l) {
  const up_layers& layers = n_.layers.up[at(l)];
  const linear_options activated{.behind = linear::epilogue::gelu_erf};
  const auto add_branch = [&](int from, int level, int number, int norm) {
    if (!n_.trains()) return add_linear(from, level, number, activated);
    return add_batch_norm(add_linear(from, level, number, {}), level, norm);
  };
  step s{.kind = step_kind::unpool, .name = fmt::format("up.{}.unpool", l), .level = l};
  s.in = add_branch(x, l + 1, layers.down, layers.down_norm);
  s.skip = add_branch(skipped, l, layers.skip, layers.skip_norm);
  s.channels = n_.layer_at(layers.down).outputs;
  s.out = add(s.name, row_bytes(l, s.channels));
  push(s);
  return s.out;
}

void step_builder::add_clearing(std::int64_t sum_bytes) {
  if (!is_joined(n_.form) || n_.trains()) return;
  n_.cleared = add("clear", 0);
  take(n_.tensors[at(n_.cleared)].bytes, sum_bytes);
  push({.kind = step_kind::clear, .name = "clear", .scratch = n_.cleared});
}

void step_builder::place_order() { n_.index.source = take(n_.index.bytes, 4 * rows(0)); }

void step_builder::add_order() {
  push({.kind = step_kind::order, .name = "order", .scratch = add("order", ordering_bytes(n_))});
}

void step_builder::finish_restored(int x, int channels) {
  const int out = add("out", 2 * n_.points() * channels, tensor::home::output);
  push({.kind = step_kind::restore, .name = "restore", .channels = channels, .in = x, .out = out});
  finish(out, channels);
}

void step_builder::place_clusters(index_places::of_level& of, int l) {
  std::int64_t& used = n_.index.bytes;
  of.start = take(used, 4 * (rows(l + 1) + 1));
  of.member = take(used, 4 * n_.levels[at(l)].real);
  of.cluster = take(used, 4 * n_.levels[at(l)].real);
  of.count = take(used, 4 * (n_.instances() + 1));
}

std::int64_t step_builder::windows_of(int l, const scope& where) {
  const std::int64_t slots = n_.levels[at(l)].slots;
  const auto key = std::tuple(slots, where.offset, where.stride);
  const auto [known, is_new] = tables_.try_emplace(key, static_cast<std::int64_t>(n_.windows.size()));
  if (is_new) {
    const std::vector<std::uint32_t> table = scope_table(slots, n_.shape, where);
    n_.windows.insert(n_.windows.end(), table.begin(), table.end());
  }
  return known->second;
}

}  // namespace ablate::backbone

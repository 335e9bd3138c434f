#include "kernels/network/models.h"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace ablate::backbone {
namespace {

/// Blocks shifted by these offsets in turn, as many as wanted.
stage shifted(int channels, int depth, const std::vector<int>& offsets) {
  stage s{channels, {}};
  for (int i = 0; i < depth; ++i) s.blocks.push_back({offsets[static_cast<std::size_t>(i) % offsets.size()]});
  return s;
}

struct flash_sizes {
  int channels_4 = 256, depth_4 = 6, channels_5 = 512, depth_5 = 2;
  std::vector<int> decoder = {64, 64, 128, 128, 256};
};

/// Offsets as published; deeper levels go through theirs again.
model flash3d(const std::string& name, const flash_sizes& sizes) {
  model m{.name = name, .kind = family::flash3d};
  m.encoder = {{32, {{1, 1}, {0, 2}}},
               shifted(64, 2, {7, 2}),
               shifted(128, 2, {1, 5}),
               shifted(sizes.channels_4, sizes.depth_4, {3, 7, 0, 6, 4, 2}),
               shifted(sizes.channels_5, sizes.depth_5, {5, 7})};
  const std::vector<std::vector<int>> offsets = {{3, 5}, {4, 6}, {2, 6}, {0, 3}, {1, 5}};
  for (std::size_t l = 0; l < level_count; ++l) m.decoder.push_back(shifted(sizes.decoder[l], 2, offsets[l]));
  return m;
}

model with_gelu(model m) {
  m.has_gates = false;
  return m;
}

/// PTv3, and what it gives up, one after the other.
model as_published(model m) {
  m.in_buckets = m.pools_in_buckets = false;
  return m;
}
model without_positions(model m) {
  m = as_published(std::move(m));
  m.has_positions = false;
  return m;
}
model with_one_order(model m) {
  m = without_positions(std::move(m));
  m.curves = 1;
  return m;
}
model in_buckets(model m) {
  m = with_one_order(std::move(m));
  m.in_buckets = true;
  return m;
}
model with_bucket_pools(model m) {
  m = in_buckets(std::move(m));
  m.pools_in_buckets = true;
  return m;
}

model ptv3(const std::string& name) {
  model m{.name = name, .kind = family::ptv3};
  m.encoder = {shifted(32, 2, {0}), shifted(64, 2, {0}), shifted(128, 2, {0}), shifted(256, 6, {0}),
               shifted(512, 2, {0})};
  m.decoder = {shifted(64, 2, {0}), shifted(64, 2, {0}), shifted(128, 2, {0}), shifted(256, 2, {0})};
  return m;
}

model small() {
  model m{.name = "small", .kind = family::flash3d};
  m.encoder = {{32, {{1, 1}, {0, 2}}},
               shifted(32, 1, {1}),
               shifted(64, 1, {1}),
               shifted(64, 1, {0}),
               shifted(128, 1, {1})};
  m.decoder = {shifted(64, 1, {1}), shifted(32, 1, {0}), shifted(64, 1, {1}), shifted(64, 1, {0}),
               shifted(64, 1, {1})};
  return m;
}

model small_ptv3(const std::string& name) {
  model m{.name = name, .kind = family::ptv3};
  m.encoder = {shifted(32, 2, {0}), shifted(32, 1, {0}), shifted(64, 1, {0}), shifted(64, 4, {0}),
               shifted(128, 1, {0})};
  m.decoder = {shifted(64, 1, {0}), shifted(32, 1, {0}), shifted(64, 1, {0}), shifted(64, 1, {0})};
  return m;
}

const std::vector<model>& all_models() {
  static const std::vector<model> all = {flash3d("flash19", {}),
                                         with_gelu(flash3d("flash19_gelu", {})),
                                         flash3d("flash46", {.depth_4 = 8, .depth_5 = 8}),
                                         flash3d("flash129", {.channels_4 = 512,
                                                              .depth_4 = 8,
                                                              .channels_5 = 1024,
                                                              .depth_5 = 5,
                                                              .decoder = {64, 64, 128, 256, 512}}),
                                         flash3d("flash129_deep", {.depth_5 = 28}),
                                         as_published(ptv3("ptv3")),
                                         without_positions(ptv3("ptv3_without_positions")),
                                         with_one_order(ptv3("ptv3_one_order")),
                                         in_buckets(ptv3("ptv3_in_buckets")),
                                         with_bucket_pools(ptv3("ptv3_bucket_pools")),
                                         small(),
                                         as_published(small_ptv3("small_ptv3")),
                                         in_buckets(small_ptv3("small_in_buckets")),
                                         with_bucket_pools(small_ptv3("small_bucket_pools"))};
  return all;
}

}  // namespace

int model::blocks() const {
  const auto count = [](int sum, const stage& s) { return sum + s.depth(); };
  return std::accumulate(decoder.begin(), decoder.end(),
                         std::accumulate(encoder.begin(), encoder.end(), 0, count), count);
}

const model& model_of(std::string_view name) {
  for (const model& m : all_models())
    if (m.name == name) return m;
  throw std::out_of_range("there is no model '" + std::string(name) + "'");
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const model& m : all_models()) names.push_back(m.name);
  return names;
}

model lone_block(family kind, int channels, int head_width, const scope& where) {
  model m{.name = "block", .kind = kind, .head_width = head_width};
  m.has_positions = false;
  m.encoder = {{channels, {where}}};
  return m;
}

}  // namespace ablate::backbone

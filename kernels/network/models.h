#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::backbone {

/// The backbones as data (docs/operations/backbone.md).
/// Levels count from 0, the input's resolution, to 4.
enum class family {
  flash3d,  ///< buckets, attention to scopes of buckets, pooling within buckets, SwiGLU
  ptv3      ///< four serialized orders, a sparse convolution in each block, grid pooling, GELU
};

constexpr int level_count = 5;

/// How a block's windows map to the buckets: shifted by `offset` buckets, or `stride` windows interleaved
/// (docs/operations/window_attention.md).
struct scope {
  int offset = 0, stride = 1;
  bool operator==(const scope&) const = default;
};

/// The blocks of a level, one after the other.
struct stage {
  int channels = 0;
  std::vector<scope> blocks;

  int depth() const { return static_cast<int>(blocks.size()); }
};

struct model {
  std::string name;
  family kind = family::flash3d;
  int head_width = 16;
  std::vector<stage> encoder = {};  ///< by level
  std::vector<stage> decoder = {};  ///< by level; PTv3 has none at the last
  bool has_gates = true;            ///< Flash3D: MLPs by SwiGLU, three matrices; else, as PTv3's, by GELU
  bool has_positions = true;        ///< PTv3: each block begins with a sparse convolution
  int curves = 4;                   ///< PTv3: that its blocks take in turn: 4 or 1
  /// Rows are in bucket order once and for all, and windows consist of whole buckets; else windows are
  /// gathered along curves, block by block. PTv3: only without positions.
  bool in_buckets = true;
  /// A level has the mean of two neighbors in a bucket of the one before; else the maximum of the voxels of a
  /// cell twice as large.
  bool pools_in_buckets = true;

  /// Heads of a level; channels narrower than a head are one.
  int heads(const stage& s) const { return s.channels < head_width ? 1 : s.channels / head_width; }
  int blocks() const;
  bool gates_mlps() const { return kind == family::flash3d && has_gates; }
};

/// `flash19`: as published. `flash19_gelu`: with PTv3's MLPs in its blocks. `flash46`: eight encoder blocks
/// at each of the last two levels. `flash129`: these levels 512 and 1024 channels wide; `flash129_deep`: 28
/// blocks at the last level instead. `ptv3`: its nuScenes configuration; `ptv3_without_positions`: without
/// the blocks' convolutions; `ptv3_one_order`: also with the first curve alone; `ptv3_in_buckets`: that in
/// Flash3D's bucket order, with PTv3's pools, which go by the codes of the first curve;
/// `ptv3_bucket_pools`: with Flash3D's pools too. `small` and those that begin with it: narrow enough for an
/// fp64 reference. Throws std::out_of_range.
const model& model_of(std::string_view name);
std::vector<std::string> model_names();

/// One block of these channels, as a model without anything around it; PTv3's is without positions.
model lone_block(family, int channels, int head_width, const scope&);

}  // namespace ablate::backbone

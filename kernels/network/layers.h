#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/network/models.h"

namespace ablate::backbone {

enum class layer_kind { linear, norm, batch_norm };

/// A layer with parameters. A convolution is a linear layer of all its offsets' inputs.
struct layer {
  std::string name;
  layer_kind kind = layer_kind::linear;
  int inputs = 0;  ///< of a linear layer
  int outputs = 0;
  bool has_bias = true;  ///< of a linear layer
  int folded = -1;       ///< of a linear layer: the batch norm right after it, which is folded into it

  std::int64_t parameters() const;
};

/// Numbers of layers in layer_table::all.
struct block_layers {
  int convolution = -1, position = -1, position_norm = -1;  ///< PTv3's conditional position encoding
  int attention_norm = -1, qkv = -1, projection = -1, mlp_norm = -1, first = -1, second = -1;
};
struct down_layers {
  int linear = -1, norm = -1;
};
struct up_layers {
  int down = -1, down_norm = -1, skip = -1, skip_norm = -1;
};

/// A model's layers in the order of its state_dict, and what they are for.
struct layer_table {
  std::vector<layer> all;
  int embed = -1;                                           ///< Flash3D
  int stem = -1, stem_norm = -1;                            ///< PTv3
  std::vector<std::vector<block_layers>> encoder, decoder;  ///< by level and block
  std::vector<down_layers> down;                            ///< from level l to l + 1
  std::vector<up_layers> up;                                ///< from level l + 1 to l
  int leaf = -1;  ///< Flash3D: between encoder and decoder at the last level

  std::int64_t parameters() const;
};
layer_table layers_of(const model&);

/// Where a layer's parameters are in the two weight blobs, each at a multiple of 256 bytes. Linear: the
/// matrix [outputs][inputs] and the bias among the bf16, the same bias among the fp32. Norm: gamma, then
/// beta. Batch norm: mean, variance, gamma, beta.
struct layer_place {
  std::int64_t matrix = 0, bias = 0;  ///< elements of the bf16 blob
  std::int64_t vectors = 0;           ///< elements of the fp32 blob
};
struct weight_places {
  std::vector<layer_place> of;
  std::int64_t matrix_elements = 0, vector_elements = 0;

  std::int64_t bytes() const { return 2 * matrix_elements + 4 * vector_elements; }
};
weight_places places_of(const layer_table&);

/// Where the gradients of a layer's parameters are in one fp32 blob, each at a multiple of 256 bytes.
/// Linear: the matrix [outputs][inputs] and the bias. Norms: of gamma, then of beta.
struct gradient_place {
  std::int64_t matrix = 0, vectors = 0;  ///< elements
};
struct gradient_places {
  std::vector<gradient_place> of;
  std::int64_t elements = 0;
};
gradient_places gradient_places_of(const layer_table&);

/// `count` numbers of the named parameter, uniform in [−1, 1), the same each time.
using drawn_numbers = std::function<std::vector<float>(std::int64_t count, const std::string& name)>;

/// The blobs. Linear layers are U(±1/√inputs), PyTorch's default; gamma and the running variance are in
/// [0.5, 1.5), beta and the running mean in [−0.1, 0.1). A folded batch norm (eps 1e-3) is multiplied into
/// its linear layer in fp32, which is rounded to bf16 once, unless the pass trains; biases have bf16 values
/// in both blobs.
struct packed_weights {
  std::vector<std::uint16_t> matrices;
  std::vector<float> vectors;
};
packed_weights pack(const layer_table&, const weight_places&, const drawn_numbers&, bool folds = true);

/// Parameters of a linear layer before they are rounded, as [outputs][inputs] and [outputs]; and those of a
/// batch norm: mean, variance, gamma, beta, [outputs] each.
struct linear_values {
  std::vector<float> matrix, bias;
};
linear_values values_of_linear(const layer&, const drawn_numbers&);
std::vector<float> values_of_batch_norm(const layer&, const drawn_numbers&);
void fold(linear_values&, const std::vector<float>& batch_norm, int inputs);

}  // namespace ablate::backbone

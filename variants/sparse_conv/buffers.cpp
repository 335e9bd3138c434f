#include "variants/sparse_conv/buffers.h"

#include "kernels/dense_layers/cublaslt.h"

namespace ablate::sparse_conv {

std::vector<buffer> buffers(const problem& p) {
  const auto count = [](std::int64_t elements) { return static_cast<std::size_t>(elements); };
  const std::size_t of_rows = count(p.rows), of_pairs = 4 * count(p.pairs), offsets = count(p.offsets());
  const std::size_t ins = 2 * of_rows * count(p.in_channels), outs = 2 * of_rows * count(p.out_channels);
  const std::size_t of_outs = sizeof(float) * count(p.out_channels);
  const bool has_gradients = p.input_gradient || p.weight_gradient,
             has_bias_sums = p.computes(bias_gradient_row);
  const bool by_offset = p.kernel == 3 && (p.forward || p.input_gradient) && !p.weight_gradient;
  const std::size_t listed = count(p.longest_list() * p.row_length());
  std::int64_t elements = 0;
  for (int of = 0; of < results; ++of) elements += p.elements_of(of);
  const auto input = buffer_role::input, scratch = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto kept = buffer_role::reference;
  const auto poison = buffer_reset::poison;
  // The results are compared on the device, all of them: the check reads how far they are off, and samples.
  return {{"table", 4 * offsets * of_rows, input},
          {"masks", 4 * count(p.mask_words()) * of_rows, input},
          {"order", 4 * of_rows, input},
          {"ends", 4 * (offsets + 1), input},
          {"in_rows", of_pairs, input},
          {"out_rows", of_pairs, input},
          {"tiles", sizeof(piece) * count(p.tile_count), input},
          {"splits", p.weight_gradient ? sizeof(piece) * count(p.split_count) : 0, input},
          {"part_ends", p.weight_gradient ? 4 * (offsets + 1) : 0, input},
          {"x", p.forward || p.weight_gradient ? ins : 0, input},
          {"weights", p.forward || p.input_gradient ? 2 * count(p.weight_count()) : 0, input},
          {"bias", p.forward && p.has_bias ? of_outs : 0, input},
          {"out_gradient", has_gradients ? outs : 0, input},
          {"y", p.forward ? outs : 0, result, poison},
          {"x_gradient", p.input_gradient ? ins : 0, result, poison},
          {"weight_gradient", p.weight_gradient ? 4 * count(p.weight_count()) : 0, result, poison},
          {"bias_gradient", has_bias_sums ? of_outs : 0, result, poison},
          {"weights_by_offset", by_offset ? 2 * count(p.weight_count()) : 0, input},
          {"gathered", by_offset ? 2 * listed : 0, scratch},
          {"products", by_offset ? 4 * listed : 0, scratch},
          {"workspace", by_offset ? dense_layers::cublaslt::workspace_bytes : 0, scratch},
          {"sums", p.forward || p.input_gradient ? 4 * of_rows * count(p.row_length()) : 0, scratch},
          {"parts", p.weight_gradient ? of_outs * count(p.part_count) * count(p.in_channels) : 0, scratch},
          {"bias_sums", has_bias_sums ? bias_parts * of_outs : 0, scratch},
          {"expected", sizeof(expectation) * count(elements), kept},
          {"is_kept", sizeof(std::uint32_t), kept, buffer_reset::zeros_once},
          {"samples", sizeof(sampled_row) * count(p.sample_count), input},
          {"found", results * sizeof(deviation), finding, poison},
          {"sampled_out", sizeof(float) * count(p.sample_count) * count(p.row_length()), finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto put = [&]<class T>(T*& pointer, place at) { pointer = static_cast<T*>(addresses[at]); };
  put(p.table, table);
  put(p.masks, masks);
  put(p.order, order);
  put(p.ends, ends);
  put(p.in_rows, in_rows);
  put(p.out_rows, out_rows);
  put(p.tiles, tiles);
  put(p.splits, splits);
  put(p.part_ends, part_ends);
  put(p.x, x);
  put(p.weights, weights);
  put(p.bias, bias);
  put(p.out_gradient, out_gradient);
  put(p.y, y);
  put(p.x_gradient, x_gradient);
  put(p.weight_gradient_out, weight_gradient);
  put(p.bias_gradient, bias_gradient);
  put(p.weights_by_offset, weights_by_offset);
  put(p.gathered, gathered);
  put(p.products, products);
  put(p.workspace, workspace);
  put(p.sums, sums);
  put(p.parts, parts);
  put(p.bias_sums, bias_sums);
  put(p.expected, expected);
  put(p.is_kept, is_kept);
  put(p.samples, samples);
  put(p.found, found);
  put(p.sampled_out, sampled_out);
}

}  // namespace ablate::sparse_conv

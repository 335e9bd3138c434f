#include "variants/sparse_conv/buffers.h"

#include "kernels/common/dense/cublaslt.h"

namespace ablate::sparse_conv {

bound_buffers buffers(checked_problem& p) {
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
  return {
      bind("table", p.table, 4 * offsets * of_rows, input),
      bind("masks", p.masks, 4 * count(p.mask_words()) * of_rows, input),
      bind("order", p.order, 4 * of_rows, input),
      bind("ends", p.ends, 4 * (offsets + 1), input),
      bind("in_rows", p.in_rows, of_pairs, input),
      bind("out_rows", p.out_rows, of_pairs, input),
      bind("tiles", p.tiles, sizeof(piece) * count(p.tile_count), input),
      bind("splits", p.splits, p.weight_gradient ? sizeof(piece) * count(p.split_count) : 0, input),
      bind("part_ends", p.part_ends, p.weight_gradient ? 4 * (offsets + 1) : 0, input),
      bind("x", p.x, p.forward || p.weight_gradient ? ins : 0, input),
      bind("weights", p.weights, p.forward || p.input_gradient ? 2 * count(p.weight_count()) : 0, input),
      bind("bias", p.bias, p.forward && p.has_bias ? of_outs : 0, input),
      bind("out_gradient", p.out_gradient, has_gradients ? outs : 0, input),
      bind("y", p.y, p.forward ? outs : 0, result, poison),
      bind("x_gradient", p.x_gradient, p.input_gradient ? ins : 0, result, poison),
      bind("weight_gradient", p.weight_gradient_out, p.weight_gradient ? 4 * count(p.weight_count()) : 0,
           result, poison),
      bind("bias_gradient", p.bias_gradient, has_bias_sums ? of_outs : 0, result, poison),
      bind("weights_by_offset", p.weights_by_offset, by_offset ? 2 * count(p.weight_count()) : 0, input),
      bind("gathered", p.gathered, by_offset ? 2 * listed : 0, scratch),
      bind("products", p.products, by_offset ? 4 * listed : 0, scratch),
      bind("workspace", p.workspace, by_offset ? cublaslt::workspace_bytes : 0, scratch),
      bind("sums", p.sums, p.forward || p.input_gradient ? 4 * of_rows * count(p.row_length()) : 0, scratch),
      bind("parts", p.parts, p.weight_gradient ? of_outs * count(p.part_count) * count(p.in_channels) : 0,
           scratch),
      bind("bias_sums", p.bias_sums, has_bias_sums ? bias_parts * of_outs : 0, scratch),
      bind("expected", p.expected, sizeof(expectation) * count(elements), kept),
      bind("is_kept", p.is_kept, sizeof(std::uint32_t), kept, buffer_reset::zeros_once),
      bind("samples", p.samples, sizeof(sampled_row) * count(p.sample_count), input),
      bind("found", p.found, results * sizeof(deviation), finding, poison),
      bind("sampled_out", p.sampled_out, sizeof(float) * count(p.sample_count) * count(p.row_length()),
           finding, poison)};
}

}  // namespace ablate::sparse_conv

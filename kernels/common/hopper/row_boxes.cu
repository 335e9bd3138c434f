#include "kernels/common/hopper/row_boxes.h"

namespace ablate::hopper {

CUtensorMap row_boxes(const launcher& to, const head_tensor& t, unsigned rows) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::size_t head_bytes = size(2 * t.width), token_bytes = size(2 * t.token_stride),
                    batch_bytes = size(t.batch_tokens > 0 ? t.batch_tokens : t.tokens) * token_bytes;
  void* const address = const_cast<std::uint16_t*>(t.base);
  if (t.width > box_panel_width) {
    const auto panels = static_cast<unsigned>(t.width / box_panel_width);
    const std::size_t sizes[] = {box_panel_width, size(t.tokens), panels, size(t.heads), size(t.batches)};
    const std::size_t strides[] = {token_bytes, 2 * box_panel_width, head_bytes, batch_bytes};
    const unsigned box[] = {box_panel_width, rows, panels, 1, 1};
    return tensor_map(to, {address, sizes, strides, box, 2 * box_panel_width});
  }
  const std::size_t sizes[] = {size(t.width), size(t.tokens), size(t.heads), size(t.batches)};
  const std::size_t strides[] = {token_bytes, head_bytes, batch_bytes};
  const unsigned box[] = {static_cast<unsigned>(t.width), rows, 1, 1};
  return tensor_map(to, {address, sizes, strides, box, static_cast<int>(head_bytes)});
}

}  // namespace ablate::hopper

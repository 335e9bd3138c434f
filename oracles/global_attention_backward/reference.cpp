#include "oracles/global_attention_backward/reference.h"

#include <utility>

#include "oracles/common/head_row.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention_backward/generated_inputs.h"

namespace ablate::global_attention_backward {

using window_attention::tensor;

head_values generated_head(const global_attention::checked_layer& p, std::int64_t head,
                           std::function<std::int32_t(std::int64_t, int)> entry) {
  return {.tokens = p.tokens,
          .block = p.block,
          .values =
              [p, head](tensor of, std::int64_t token) {
                return head_row_of([&](int d) {
                  return of == tensor::out_gradient ? generated_out_gradient(p, head, token, d)
                                                    : global_attention::generated_bits(p, of, head, token, d);
                });
              },
          .entry = std::move(entry)};
}

head_values all_to_all(std::int64_t rows, std::function<row(tensor, std::int64_t)> values) {
  return {.tokens = rows,
          .block = 1,
          .selected = static_cast<int>(rows),
          .values = std::move(values),
          .entry = [](std::int64_t, int slot) { return static_cast<std::int32_t>(slot); }};
}

}  // namespace ablate::global_attention_backward

#pragma once

#include <initializer_list>

#include "kernels/window_attention/moved_rows.h"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// Two bf16 tensors with the problem's batches and tokens: row i of `to` comes from the row of `from` given
/// by an index [tokens].
struct gathered_tensor {
  const std::uint16_t* from;
  std::uint16_t* to;
};

/// How rows are gathered; by vectors if all tensors share a launch.
struct gather_form {
  bool by_wide_index, by_vectors, joins_tensors;
};

/// `index`, `vector`, `launches`.
gather_form gather_form_of(const switches&);

/// One to three tensors with rows of so many elements, into the order of the windows, or back from it. By
/// elements, as indexing in PTv3's framework does it, or by 16-byte vectors; all in one launch, or one for
/// each.
void gather_to_windows(launcher&, const problem&, const gather_form&, std::initializer_list<gathered_tensor>,
                       std::int64_t row_elements);
void gather_back(launcher&, const problem&, const gather_form&, std::initializer_list<gathered_tensor>,
                 std::int64_t row_elements);

/// One to three tensors in one launch, in 16-byte vectors.
void gather_rows(launcher&, const problem&, std::initializer_list<gathered_tensor>, std::int64_t row_elements,
                 const std::int32_t* index);

/// The same for one tensor with rows of heads · width, and log-sum-exp [batches][heads][tokens].
void gather_rows_and_lse(launcher&, const problem&, const gathered_tensor&, const float* lse_from,
                         float* lse_to, const std::int32_t* index);

/// Gathers the problem's Q, K and V to moved rows, in one launch: row i from row `row_of_token[i]`, in
/// 16-byte vectors.
void gather_qkv(launcher&, const problem&, const moved_rows&, const std::int32_t* row_of_token);

/// Gathers outputs and log-sum-exp from moved rows back to the problem's, in one launch: row i from row
/// `token_of_row[i]`, outputs in 16-byte vectors.
void gather_outputs(launcher&, const problem&, const moved_rows&, const std::int32_t* token_of_row);

}  // namespace ablate::window_attention

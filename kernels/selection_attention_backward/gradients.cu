// The gradients in order: lists transposed, unless they are already; what P and dS need of each query;
// then dQ, dK and dV in one of three ways, by `passes` and `dq`. A switch names each choice.
//   two_pass: dQ by query block, dK and dV by key block (query_rows.cu, key_rows.cu): seven products, each
// pair of tiles gathered twice, no reductions. Rows are cut (`cut`) or not, and pieces joined in their order
// or by reductions (`pieces`); by key, a tile is loaded ahead or none (`tiles_ahead`).
//   by_query: one pass by query block, dK and dV by reductions. Needs no transposed lists.
//   by_key: one pass by key block, dQ by reductions.
#include "kernels/list_transpose/view.cuh"
#include "kernels/selection_attention_backward/launches.h"
#include "kernels/selection_attention_backward/view.cuh"

namespace ablate::selection_attention_backward {

/// The view for a variant's switches; cuts the rows.
view cut_view(launcher& to, const problem& p, const switches& s, piece_sums sums) {
  if (p.inverts) list_transpose::count(to, inversion_of(p), s);
  const view v(p, s.word("cut") == "none" ? row_cut{0} : cut_of(p));
  if (!p.is_prepared) compute_statistics(to, v);
  cut_rows(to, v, sums);
  return v;
}

piece_sums sums_of(const switches& s) {
  return s.word("pieces") == "reductions" ? piece_sums::together : piece_sums::apart;
}

void two_pass(launcher& to, const problem& p, const switches& s) {
  if (p.work != phase::differentiate) return compute_statistics(to, view(p, row_cut{0}));
  const view v = cut_view(to, p, s, sums_of(s));
  differentiate_keys(to, v, sums_of(s), s.integer("tiles_ahead") == 1);
  join_pieces(to, v, sums_of(s));
  differentiate_queries(to, v);
}

void by_key(launcher& to, const problem& p, const switches& s) {
  const view v = cut_view(to, p, s, sums_of(s));
  differentiate_keys_and_add(to, v, sums_of(s));
  join_pieces(to, v, sums_of(s));
}

void by_query(launcher& to, const problem& p) {
  const view v(p, row_cut{0});
  if (!p.is_prepared) compute_statistics(to, v);
  differentiate_queries_and_add(to, v);
}

void differentiate(launcher& to, const problem& p, const switches& s) {
  if (s.word("passes") == "two") return two_pass(to, p, s);
  if (p.work != phase::differentiate) return compute_statistics(to, view(p, row_cut{0}));
  if (s.word("dq") == "reductions")
    by_key(to, p, s);
  else
    by_query(to, p);
}

}  // namespace ablate::selection_attention_backward

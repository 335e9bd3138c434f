#include "kernels/dense_attention/dense_attention.h"

#include "kernels/global_attention/parts.h"

namespace ablate::dense_attention {

compression_attention::problem attention_of(const problem& p) {
  compression_attention::problem of = global_attention::among_all(p);
  of.first_query = p.first_query;
  of.queries = p.queries;
  return of;
}

}  // namespace ablate::dense_attention

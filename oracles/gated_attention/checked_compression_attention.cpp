#include "oracles/gated_attention/checked_compression_attention.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

namespace {

compression_attention::problem checked(const problem& p, compression_attention::problem of) {
  if (p.found != nullptr) of.found = &p.found->compression;
  return of;
}

}  // namespace

compression_attention::problem checked_compression_of(const problem& p) {
  return checked(p, compression_of(p));
}

compression_attention::problem checked_dense_of(const problem& p) { return checked(p, dense_of(p)); }

compression_attention::problem checked_to_pooled_keys_of(const problem& p) {
  return checked(p, to_pooled_keys_of(p));
}

compression_attention::problem checked_among_merged_of(const problem& p) {
  return checked(p, among_merged_of(p));
}

compression_attention::problem checked_kept_of(const problem& p) { return checked(p, compared_kept_of(p)); }

}  // namespace ablate::gated_attention

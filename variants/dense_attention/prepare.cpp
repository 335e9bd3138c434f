#include "variants/dense_attention/prepare.h"

#include <cmath>

#include "variants/dense_attention/buffers.h"
#include "variants/global_attention/rows.h"
#include "variants/global_attention/samples.h"

namespace ablate::dense_attention {
namespace {

check_result check(const checked_problem& p, const known_rows& known, const checked_problem& seen) {
  if (const auto fault = global_attention::fault_in_rows("O", seen.found->of, checked_attention_of(p)))
    return *fault;
  if (const auto fault = global_attention::fault_of_tokens(known.samples, known.out, seen)) return *fault;
  return {true, "", seen.found->of.out.worst.error, global_attention::accepted_row_error};
}

nlohmann::ordered_json quality(const known_rows& known, const checked_problem& seen) {
  return global_attention::error_figures(seen.found->of, global_attention::sampled_error(known.out, seen));
}

/// Of all rows that attend, with all tokens.
double products(const problem& p) {
  return static_cast<double>(p.heads * width) * static_cast<double>(p.attending_tokens()) *
         static_cast<double>(p.tokens);
}

// Compulsory: q of what attends, k and v read once, O and the log-sum-exp written. Products: twice.
work_model work(const problem& p) {
  const auto all = static_cast<double>(p.elements());
  const double attending = all * static_cast<double>(p.attending_tokens()) / static_cast<double>(p.tokens);
  const double written = 2 * attending + 4 * attending / width;
  return {.bytes = 4 * all + 2 * attending + written,
          .written_bytes = written,
          .flops = 4 * products(p),
          .flop_pipe = "tensor_bf16",
          .exponentials = products(p) / width};
}

}  // namespace

known_rows know(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const std::int32_t head = global_attention::sampled_head(p, random);
  known_rows known;
  known.samples =
      global_attention::sample_rows(p.first_query, p.attending_tokens(), p.sample_count, head, random);
  known.out =
      global_attention::reference_among_all(p.as_layer(), head, global_attention::rows_of(known.samples));
  return known;
}

workload workload_of(const checked_problem& p, const std::shared_ptr<const known_rows>& known) {
  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(*known, attached(p, buffers, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    *host.found = global_attention::no_fault_in(checked_attention_of(p));
    global_attention::store(known->out, host);
  };
  w.work = work(p);
  w.input = {{"hash", global_attention::input_hash(p.as_layer(), known->samples)},
             {"tokens", p.tokens},
             {"attending_rows", p.heads * p.attending_tokens()},
             {"full_resolution_flops", std::llround(4 * products(p))}};
  w.storage = known;
  return w;
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  return workload_of(p, std::make_shared<const known_rows>(know(p, inputs.seed())));
}

}  // namespace ablate::dense_attention

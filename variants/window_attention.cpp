// window_attention: dense attention inside windows of buckets, forward. Axes, inputs, check against plain
// fp32 attention on the device and fp64 on the host, and work model; one line a variant.
#include "kernels/window_attention/window_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "harness/inputs/random.h"
#include "harness/registry/define.h"

namespace ablate::window_attention {
namespace {

constexpr std::int64_t samples_of_a_case = 48;

/// The windows' buckets (specification: flash3d §2.1).
std::vector<std::uint32_t> scope_of(const axis_values& at, std::uint64_t seed) {
  const long buckets = at.integer("tokens") / at.integer("bucket");
  const long in_window = at.integer("window") / at.integer("bucket");
  const long offset = at.integer("offset"), stride = at.integer("stride");
  std::vector<std::uint32_t> scope(static_cast<std::size_t>(buckets));
  for (long i = 0; i < buckets; ++i) {
    // Window i / in_window, place i % in_window; with a stride, `stride` windows share a chunk.
    const long window = i / in_window, place = i % in_window;
    const long chunk = window / stride * stride * in_window, phase = window % stride;
    scope[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>((offset + chunk + phase + stride * place) % buckets);
  }
  if (at.word("order") == "shuffled") {
    random_stream random(seed, "order of buckets");
    for (std::size_t i = scope.size(); i > 1; --i)
      std::swap(scope[i - 1], scope[random.below(static_cast<std::uint32_t>(i))]);
  }
  return scope;
}

std::optional<std::string> refuses(const axis_values& at) {
  const long tokens = at.integer("tokens"), window = at.integer("window"), bucket = at.integer("bucket");
  if (bucket % 128 != 0) return fmt::format("bucket={}: expected a multiple of 128", bucket);
  if (window % bucket != 0) return fmt::format("window={} is not a multiple of bucket={}", window, bucket);
  if (tokens % (window * at.integer("stride")) != 0)
    return fmt::format("tokens={} are not whole windows of {}, {} of them interleaved", tokens, window,
                       at.integer("stride"));
  if (at.integer("batches") * tokens * at.integer("heads") * at.integer("width") > long{1} << 31)
    return "more than 2^31 elements";
  return std::nullopt;
}

float spread_of(const std::string& scores) {
  if (scores == "zero") return 0;
  // Scores of ±100 and more: the softmax of a row is all but one of its keys.
  return scores == "large" ? 5.0f : 1.0f;
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  p.batches = at.integer("batches");
  p.tokens = at.integer("tokens");
  p.heads = at.integer("heads");
  p.width = static_cast<int>(at.integer("width"));
  p.window = at.integer("window");
  p.bucket = at.integer("bucket");
  p.seed = inputs.seed();
  p.score_spread = spread_of(at.word("scores"));
  p.sample_count = std::min(samples_of_a_case, p.batches * p.tokens * p.heads);
  return p;
}

std::optional<problem> readback(const problem& p) {
  problem after = p;
  after.first = after.last = phase::read_back;
  return after;
}

enum place { q, k, v, scope, out, lse, samples, found, sampled_out, sampled_lse, scratch, places };

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.batches * p.tokens * p.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, output = buffer_role::output, device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"scope", sizeof(std::uint32_t) * static_cast<std::size_t>(p.tokens / p.bucket), input},
          // Too large for the host: the check reads how far they are from plain attention, and samples.
          {"out", elements, device, poison},
          {"lse", 4 * rows, device, poison},
          {"samples", sizeof(sampled_row) * sampled, input},
          {"found", sizeof(deviation), output, poison},
          {"sampled_out", 4 * sampled * static_cast<std::size_t>(p.width), output, poison},
          {"sampled_lse", 4 * sampled, output, poison},
          {"scratch", scratch_bytes(p), device, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.q = static_cast<const std::uint16_t*>(addresses[q]);
  p.k = static_cast<const std::uint16_t*>(addresses[k]);
  p.v = static_cast<const std::uint16_t*>(addresses[v]);
  p.scope = static_cast<const std::uint32_t*>(addresses[scope]);
  p.out = static_cast<std::uint16_t*>(addresses[out]);
  p.lse = static_cast<float*>(addresses[lse]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviation*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
  p.sampled_lse = static_cast<float*>(addresses[sampled_lse]);
  p.scratch = addresses[scratch];
}

struct known_attention {
  std::vector<std::uint32_t> scope;
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
};

/// Rows of all windows, tiles and heads in turn.
std::vector<sampled_row> choose_samples(const problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  std::vector<sampled_row> rows;
  for (std::int64_t i = 0; i < p.sample_count; ++i)
    rows.push_back({below(p.batches), below(p.tokens), below(p.heads)});
  return rows;
}

/// Accepted of O: 1e-2 of the norm; of the log-sum-exp: 1e-2 (specification: flash3d §2.5).
constexpr double accepted_error = 1e-2, accepted_lse_error = 1e-2;

struct errors {
  double relative, lse;
};

errors errors_of(const problem& p, const known_attention& known, const float* found, const float* found_lse) {
  double squared = 0, of = 0, lse_error = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i) {
    for (int d = 0; d < p.width; ++d) {
      const double exact = known.exact[i].out[static_cast<std::size_t>(d)];
      const double apart = found[i * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(d)] - exact;
      squared += apart * apart;
      of += exact * exact;
    }
    const double apart = std::fabs(found_lse[i] - known.exact[i].lse);
    if (!(apart <= lse_error)) lse_error = apart;
  }
  return {std::sqrt(squared / of), lse_error};
}

struct read_outputs {
  const deviation& found;
  const float *sampled_out, *sampled_lse;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(*reinterpret_cast<const deviation*>(outputs[place::found])),
        sampled_out(reinterpret_cast<const float*>(outputs[place::sampled_out])),
        sampled_lse(reinterpret_cast<const float*>(outputs[place::sampled_lse])) {}
};

check_result check(const problem& p, const known_attention& known, const read_outputs& seen) {
  const std::int64_t rows =
      p.batches * p.heads * p.windows() * ((p.window + compared_stride(p) - 1) / compared_stride(p));
  const double relative = std::sqrt(seen.found.squared_error / seen.found.squared_reference);
  const errors sampled = errors_of(p, known, seen.sampled_out, seen.sampled_lse);
  if (!(seen.found.rows >= static_cast<double>(rows) * 0.999))
    return {false, fmt::format("{} of {} compared rows hold numbers only", seen.found.rows, rows), 1};
  if (!(sampled.relative <= accepted_error))
    return {false,
            fmt::format("{} sampled rows: relative error {:.2e} against fp64, expected at most {:.0e}",
                        known.samples.size(), sampled.relative, accepted_error),
            sampled.relative};
  if (!(sampled.lse <= accepted_lse_error))
    return {false,
            fmt::format("log-sum-exp of sampled rows: {:.2e} off, expected at most {:.0e}", sampled.lse,
                        accepted_lse_error),
            sampled.lse};
  if (!(relative <= accepted_error))
    return {false,
            fmt::format("relative error {:.2e} against plain fp32 attention, expected at most {:.0e}",
                        relative, accepted_error),
            relative};
  if (!(seen.found.lse_error <= accepted_lse_error))
    return {false,
            fmt::format("log-sum-exp: {:.2e} off, expected at most {:.0e}", seen.found.lse_error,
                        accepted_lse_error),
            seen.found.lse_error};
  return {true, "", relative};
}

// Compulsory: Q, K and V read, O and the log-sum-exp written, the scope; two products of the window's size a
// row.
work_model work(const problem& p) {
  const auto elements = static_cast<double>(p.elements());
  return {.bytes = 8 * elements + 4 * elements / p.width + 4.0 * static_cast<double>(p.tokens / p.bucket),
          .flops = 4 * elements * static_cast<double>(p.window)};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_attention>();
  known->scope = scope_of(at, inputs.seed());
  known->samples = choose_samples(p, inputs.seed());
  problem on_host = p;
  on_host.scope = known->scope.data();
  for (const sampled_row& row : known->samples) known->exact.push_back(reference_row(on_host, row));

  workload w;
  w.contents.resize(places);
  w.contents[scope] = std::as_bytes(std::span(known->scope));
  w.contents[samples] = std::as_bytes(std::span(known->samples));
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, read_outputs(outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) -> nlohmann::ordered_json {
    const read_outputs seen(outputs);
    const errors sampled = errors_of(p, *known, seen.sampled_out, seen.sampled_lse);
    return {{"relative_error", std::sqrt(seen.found.squared_error / seen.found.squared_reference)},
            {"relative_error_sampled", sampled.relative},
            {"lse_error", seen.found.lse_error}};
  };
  // On the host only the sampled rows are computed; whoever looks at the whole takes a GPU.
  w.reference = [p, known](std::span<void* const> host) {
    *static_cast<deviation*>(host[place::found]) = {
        0, 1, 0,
        static_cast<double>(p.batches * p.heads * p.windows() *
                            ((p.window + compared_stride(p) - 1) / compared_stride(p)))};
    for (std::size_t i = 0; i < known->exact.size(); ++i) {
      for (int d = 0; d < p.width; ++d)
        static_cast<float*>(
            host[place::sampled_out])[i * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(d)] =
            static_cast<float>(known->exact[i].out[static_cast<std::size_t>(d)]);
      static_cast<float*>(host[place::sampled_lse])[i] = static_cast<float>(known->exact[i].lse);
    }
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(known->scope.data(), known->scope.size() * sizeof(std::uint32_t))},
             {"tokens", p.tokens},
             {"windows", p.windows()},
             {"elements", p.elements()},
             {"score_spread", p.score_spread}};
  w.storage = known;
  return w;
}

}  // namespace

// clang-format off
const bool defined = define<problem>({
    .name = "window_attention",
    .description = "dense attention inside windows of buckets of rows, forward, bf16",
    .axes = {axis::of_integers("tokens", 128, 1 << 24, 131072, "tokens of a batch, whole windows"),
             axis::of_integers("window", 128, 1 << 16, 4096, "tokens that attend to each other"),
             axis::of_integers("bucket", 128, 1 << 16, 512, "neighboring rows that stay together, a multiple of 128"),
             axis::of_integers("heads", 1, 64, 8, "heads"),
             axis::of_words("width", {"64", "16", "32", "128"}, "elements of a head"),
             axis::of_integers("batches", 1, 64, 1, "instances with the same windows"),
             axis::of_words("order", {"scanned", "shuffled"}, "of the buckets of all windows: as the offset and stride say, or random"),
             axis::of_integers("offset", 0, 1 << 16, 0, "buckets by which the windows are shifted"),
             axis::of_integers("stride", 1, 6, 1, "windows whose buckets lie interleaved"),
             axis::of_words("scores", {"unit", "zero", "large"}, "Q and K: standard deviation 1; zeros; or 5, scores of 100 and more")},
    .baseline = "hopper_online",
    .problem = problem_at,
    .buffers = buffers,
    .attach = attach,
    .prepare = prepare,
    .refuses = refuses,
    .readback = readback,
    .fill = ABLATE_LAUNCH(make_inputs),
    .variants = {
        {"hopper_online", ABLATE_LAUNCH(hopper_online), {{"core", "hopper"}, {"rows", "redirected"}, {"softmax", "online"}}, "T3: copies by the tensor memory accelerator, warpgroup products, warp specialization; the running maximum is subtracted", {}, 90},
        {"hopper_bounded", ABLATE_LAUNCH(hopper_bounded), {{"core", "hopper"}, {"rows", "redirected"}, {"softmax", "bounded"}}, "T3; nothing is subtracted where the norms of queries and keys bound the scores, of 16 exponentials 4 by a polynomial at 16 and 32 elements a head", {}, 90},
    }});
// clang-format on

}  // namespace ablate::window_attention

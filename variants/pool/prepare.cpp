#include "variants/pool/prepare.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/inputs/random.h"
#include "harness/inputs/random_floats.h"
#include "kernels/common/bf16.h"
#include "oracles/pool/index_check.h"
#include "oracles/pool/quality.h"
#include "oracles/pool/reference.h"
#include "oracles/pool/rows_check.h"
#include "oracles/serialize/reference.h"
#include "variants/bias_figures.h"
#include "variants/pool/buffers.h"
#include "variants/pool/problem.h"
#include "variants/pool/scene.h"
#include "variants/psh_bucket/prepare.h"

namespace ablate::pool {
namespace {

/// The inputs on the host, and what is known about the answer.
struct known_inputs {
  std::vector<std::uint32_t> ends;
  std::vector<std::uint16_t> coordinates;
  std::vector<float> positions;
  std::vector<std::int32_t> cells;
  std::vector<std::uint64_t> codes;
  std::vector<std::int32_t> orders;
  std::vector<std::uint16_t> features, skipped, down, row_gradient, point_gradient;
  std::vector<float> norm;
  index_answer right;
  nlohmann::ordered_json facts;  ///< of the cloud

  /// The problem, with outputs to be read (or written, by the reference), on these inputs.
  checked_problem on_host(checked_problem p) const {
    p.ends = ends.data();
    p.coordinates = coordinates.data();
    p.positions = positions.data();
    p.cells = cells.data();
    p.codes = codes.data();
    p.orders = orders.data();
    p.features = features.data();
    p.norm = norm.data();
    p.skipped = skipped.data();
    p.down = down.data();
    p.row_gradient = row_gradient.data();
    p.point_gradient = point_gradient.data();
    return p;
  }
};

/// Multiples of 2^-15 from −1 to 1, rounded to bf16: a sum of up to 256 of them is exact in fp32.
std::vector<std::uint16_t> random_rows(std::size_t bytes, std::uint64_t seed, std::string_view purpose) {
  std::vector<std::uint16_t> rows(bytes / 2);
  random_stream random(seed, purpose);
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    drawn = i % 4 == 0 ? random.next() : drawn >> 16;
    rows[i] = bf16_of_float(static_cast<float>(static_cast<std::int16_t>(drawn)) * 0x1p-15f);
  }
  return rows;
}

/// Mean, variance, gamma and beta of each channel: around 0; from 1/2 to 3/2, of every fourth channel so
/// small that the norm's epsilon counts; from 1/2 to 3/2; around 0.
std::vector<float> random_norm(int channels, std::uint64_t seed) {
  std::vector<float> norm = random_floats(4 * channels, seed, "norm");
  for (std::size_t i = 0; i < norm.size(); ++i) {
    const std::size_t part = i / static_cast<std::size_t>(channels);
    norm[i] = part == 1 || part == 2 ? 1 + norm[i] / 2 : norm[i] / 10;
    if (part == 1 && i % 4 == 0) norm[i] *= norm_epsilon;
  }
  return norm;
}

/// Codes of all curves and the orders along them, as the operation serialize makes them.
void order_rows(known_inputs& known, const problem& p) {
  serialize::problem s;
  s.instances = p.instances;
  s.points = p.points;
  s.depth = p.depth;
  s.curves = p.curves;
  s.grid = known.cells.data();
  s.ends = known.ends.data();
  const std::vector<std::uint64_t> keys = serialize::keys_of(s);
  const auto pitch = static_cast<std::size_t>(p.pitch()), points = static_cast<std::size_t>(p.points);
  known.codes.resize(static_cast<std::size_t>(p.curves) * pitch);
  known.orders.resize(known.codes.size());
  for (std::size_t curve = 0; curve < static_cast<std::size_t>(p.curves); ++curve) {
    std::uint64_t* const codes = known.codes.data() + curve * pitch;
    std::int32_t* const order = known.orders.data() + curve * pitch;
    std::copy_n(keys.data() + curve * points, points, codes);
    for (std::size_t i = 0; i < points; ++i) order[i] = static_cast<std::int32_t>(i);
    std::stable_sort(order, order + points,
                     [&](std::int32_t a, std::int32_t b) { return codes[a] < codes[b]; });
  }
}

// Compulsory bytes: each input of the region's phases once, each output once; traffic between the phases
// counts as free. What follows from another input need not be read: orders and cells from the codes; codes
// of further curves matter for one member of each cluster.
work_model work(const problem& p) {
  const auto n = static_cast<double>(p.points), r = static_cast<double>(p.rows),
             c = static_cast<double>(p.channels);
  const double point_rows = 2 * c * n, cluster_rows = 2 * c * r, winners = p.trains ? c * r : 0;
  const double curves = p.curves;
  double read = 0, written = 0;
  if (p.does(phase::index)) {
    read += p.is_grid() ? 12 * n + 8 * n + 8 * (curves - 1) * r : 6 * n;
    written += p.is_grid() ? 8 * n + 28 * r + 16 * curves * r : 8 * n + 10 * r;
  }
  if (p.does(phase::reduce)) {
    read += point_rows + (p.does(phase::index) ? 0 : 4 * n);
    written += winners + (p.does(phase::finish) ? 0 : cluster_rows);
  }
  if (p.does(phase::finish)) {
    read += p.does(phase::reduce) ? 0 : cluster_rows;
    written += cluster_rows;
  }
  if (p.does(phase::unpool)) {
    read += point_rows + cluster_rows + 4 * n;
    written += point_rows;
  }
  if (p.does(phase::reduce_backward)) {
    read += cluster_rows + winners + 4 * n;
    written += point_rows;
  }
  if (p.does(phase::unpool_backward)) {
    read += point_rows + 4 * n;
    written += cluster_rows;
  }
  return {.bytes = read + written, .written_bytes = written};
}

nlohmann::ordered_json quality(const problem& host) {
  if (host.points == 0) return nlohmann::ordered_json::object();
  const cluster_quality q = quality_of(host);
  nlohmann::ordered_json figures = {
      {"mean_radius_m", q.mean_radius_m}, {"median_radius_m", q.median_radius_m},
      {"p99_radius_m", q.p99_radius_m},   {"singletons_share", q.singletons},
      {"largest_cluster", q.largest},     {"points_per_cluster", q.points_per_cluster}};
  if (!host.is_grid()) figures["most_not_full_of_a_block"] = q.max_not_full;
  return figures;
}

std::shared_ptr<known_inputs> make_inputs(const checked_problem& p, const axis_values& at,
                                          const input_library& inputs) {
  auto known = std::make_shared<known_inputs>();
  scene s = scene_at(at, inputs);
  known->ends = s.ends;
  known->facts = std::move(s.facts);
  if (p.is_grid()) {
    known->cells = grid_of(s, at).cells;
    known->positions = std::move(s.xyz);
    order_rows(*known, p);
  } else {
    half_coordinates halves = bucket_order(s, at, inputs);
    add_facts_of(halves, known->facts);
    known->coordinates = std::move(halves.xyz);
  }
  checked_problem sized = p;
  const std::vector<buffer> all = without_members(buffers(sized));
  const auto fill = [&](std::vector<std::uint16_t>& rows, std::string_view name, std::string_view purpose) {
    rows = random_rows(std::ranges::find(all, name, &buffer::name)->bytes, inputs.seed(), purpose);
  };
  fill(known->features, "features", "features");
  fill(known->skipped, "skipped", "skipped");
  fill(known->down, "down", "down");
  fill(known->row_gradient, "row_gradient", "row gradient");
  fill(known->point_gradient, "point_gradient", "point gradient");
  if (p.does(phase::finish)) known->norm = random_norm(p.channels, inputs.seed());
  known->right = answer_of(known->on_host(p));
  return known;
}

check_result check(const checked_problem& host, const index_answer& right) {
  if (const auto violation = violated_index(host, right, host.does(phase::index))) return {false, *violation};
  const rows_deviation rows = deviation_of_rows(host);
  if (!rows.message.empty()) return {false, rows.message, rows.worst, 1};
  for (const auto& [name, signs] : rows.rounded)
    if (auto fault = bias_result(name, tensor_bias(signs, accepted_bias_of_bf16))) return *fault;
  return {true, "", rows.worst, 1};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  if (p.does(phase::order)) return psh_bucket::prepare(checked_hashing_of(p), axes_of_order(at), inputs);
  const auto known = make_inputs(p, at, inputs);
  using host_pointers = std::span<const std::byte* const>;
  workload w;
  const auto coordinates = std::as_bytes(std::span(known->coordinates)),
             positions = std::as_bytes(std::span(known->positions));
  w.contents = contents_of(p, buffers,
                           {{"ends", std::as_bytes(std::span(known->ends))},
                            {"coordinates", coordinates},
                            {"positions", positions},
                            {"cells", std::as_bytes(std::span(known->cells))},
                            {"codes", std::as_bytes(std::span(known->codes))},
                            {"orders", std::as_bytes(std::span(known->orders))},
                            {"features", std::as_bytes(std::span(known->features))},
                            {"norm", std::as_bytes(std::span(known->norm))},
                            {"skipped", std::as_bytes(std::span(known->skipped))},
                            {"down", std::as_bytes(std::span(known->down))},
                            {"row_gradient", std::as_bytes(std::span(known->row_gradient))},
                            {"point_gradient", std::as_bytes(std::span(known->point_gradient))}});
  w.check = [p, known](host_pointers outputs) {
    return check(known->on_host(attached(p, buffers, outputs)), known->right);
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    reference(known->on_host(attached(p, buffers, addresses)));
  };
  w.work = work(p);
  const auto hashed = p.is_grid() ? positions : coordinates;
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size())},
             {"points", p.points},
             {"instances", p.instances},
             {"largest_instance", p.largest},
             {"clusters", p.rows}};
  w.input.update(known->facts);
  if (p.is_grid()) {
    w.input["depth"] = p.depth;
    w.input["shift"] = p.shift;
    w.input["cell_m"] = facts_at(at, inputs).edge_m;
  }
  if (p.does(phase::index))
    w.quality = [p, known](host_pointers outputs) {
      return quality(known->on_host(attached(p, buffers, outputs)));
    };
  w.storage = known;
  return w;
}

}  // namespace ablate::pool

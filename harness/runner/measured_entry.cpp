#include "harness/runner/measured_entry.h"

#include <cstddef>
#include <utility>

#include "base/record/case_json.h"
#include "harness/runner/buffers.h"

namespace ablate {

namespace {

nlohmann::ordered_json as_object(const auto& names_and_values) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : names_and_values) object[name] = value;
  return object;
}

nlohmann::ordered_json to_json(const work_model& work) {
  measured_case::work_amounts out{
      .bytes = work.bytes, .written_bytes = work.written_bytes, .flops = work.flops, .atomics = work.atomics};
  for (const random_access& access : work.random)
    out.random.push_back({access.resource, access.count, access.footprint_bytes});
  if (work.flops > 0) out.flop_pipe = work.flop_pipe;
  for (const reduction_bound& bound : work.reductions) out.reductions.push_back({bound.ceiling, bound.count});
  return to_json(out);
}

}  // namespace

nlohmann::ordered_json measured_entry(const suite_case& c, const workload& work, const input_library& inputs,
                                      const nlohmann::ordered_json& facts) {
  const auto& time = facts.at("time_us");
  nlohmann::ordered_json entry = {
      {"name", c.id},
      {"run_name", c.id},
      {"run_type", "iteration"},
      {"repetitions", 1},
      {"repetition_index", 0},
      {"threads", 1},
      {"iterations", time.at("samples").size() * time.at("launches_per_sample").get<std::size_t>()},
      {"real_time", time.at("median")},
      {"cpu_time", time.at("median")},
      {"time_unit", "us"},
      {"operation", c.operation->name},
      {"variant", c.variant_name()},
      {"switches", c.variant ? as_object(c.variant->switches) : nlohmann::ordered_json::object()},
      {"axes", as_object(c.axes)},
      {"status", "ok"},
      {"cache_state", to_string(c.state)},
      {"work", to_json(work.work)},
      {"input", work.input}};
  if (!c.ceiling.empty()) entry["ceiling"] = c.ceiling;
  if (c.protocol.injected_delay_pct > 0) entry["injected_delay_pct"] = c.protocol.injected_delay_pct;
  // The host reference allocates only its outputs.
  if (c.variant) entry["memory"] = memory_json(c.operation->buffers_of(c.variant, c.axes, inputs));
  entry.update(facts);
  return entry;
}

nlohmann::ordered_json unmeasured_entry(const suite_case& c, std::string_view status,
                                        const std::string& reason) {
  unmeasured_case out;
  out.name = c.id;
  out.operation = c.operation->name;
  out.variant = c.variant_name();
  for (const auto& [axis, value] : c.axes) out.axes.emplace_back(axis, value);
  out.cache_state = to_string(c.state);
  out.status = status;
  out.reason = reason;
  out.ceiling = c.ceiling;
  return to_json(out);
}

}  // namespace ablate

#include "harness/runner/measured_entry.h"

#include <utility>

#include "harness/runner/buffers.h"
#include "harness/timing/timed.h"

namespace ablate {

namespace {

/// What both kinds of entries say of their case.
void describe_case(const suite_case& c, auto& entry) {
  entry.name = c.id;
  entry.operation = c.operation->name;
  entry.variant = c.variant_name();
  for (const auto& [axis, value] : c.axes) entry.axes.emplace_back(axis, value);
  entry.cache_state = to_string(c.state);
  if (!c.ceiling.empty()) entry.ceiling = c.ceiling;
}

measured_case::work_amounts amounts_of(const work_model& work) {
  measured_case::work_amounts out{
      .bytes = work.bytes, .written_bytes = work.written_bytes, .flops = work.flops, .atomics = work.atomics};
  for (const random_access& access : work.random)
    out.random.push_back({access.resource, access.count, access.footprint_bytes});
  if (work.flops > 0) out.flop_pipe = work.flop_pipe;
  for (const reduction_bound& bound : work.reductions) out.reductions.push_back({bound.ceiling, bound.count});
  if (work.exponentials > 0) out.exponentials = work.exponentials;
  if (work.gathered_bytes > 0) out.gathered_bytes = work.gathered_bytes;
  for (const work_step& s : work.steps)
    out.steps.push_back({s.kind, s.count, s.bytes, s.written_bytes, s.flops, s.exponentials});
  return out;
}

}  // namespace

measured_case measured_entry(const suite_case& c, const workload& work, const input_library& inputs,
                             measured_case found) {
  describe_case(c, found);
  if (!c.protocol.keeps_samples) keep_block_medians(found.time);
  found.work = amounts_of(work.work);
  found.input = work.input;  // JSON: what describes an input is the operation's
  if (c.protocol.injected_delay_pct > 0) found.injected_delay_pct = c.protocol.injected_delay_pct;
  if (!c.variant) return found;
  for (const auto& [name, value] : c.variant->switches) found.switches.emplace_back(name, value);
  // The host reference allocates only its outputs.
  found.memory = memory_of(c.operation->buffers_of(c.variant, c.axes, inputs));
  return found;
}

unmeasured_case unmeasured_entry(const suite_case& c, std::string_view status, const std::string& reason) {
  unmeasured_case out;
  describe_case(c, out);
  out.status = status;
  out.reason = reason;
  return out;
}

}  // namespace ablate

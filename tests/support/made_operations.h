#pragma once

#include "harness/registry/define.h"

namespace ablate::test_support {

/// An operation made for tests of suites and plans: `made_sum` has an axis of words, one of integers and one
/// that takes point files, variants that do not apply everywhere, and buffers of a known size: 4 bytes a
/// point in, 64 bytes out.
struct made_problem {
  std::int64_t points = 0;
};

/// Whether tests define it: every name of theirs begins like this.
inline bool is_made_up(const operation& of) { return of.name.starts_with("made_"); }

inline workload made_workload() {
  workload w;
  w.check = [](std::span<const std::byte* const>) { return check_result{true, "", 0}; };
  w.reference = [](std::span<void* const>) {};
  w.input = {{"hash", "0123456789abcdef"}};
  return w;
}

inline axis made_shapes(std::vector<std::string> words) {
  return {.name = "shape",
          .description = "of the points",
          .default_value = words.front(),
          .words = words,
          .takes_point_files = true};
}

/// Ten where they are flat.
inline std::int64_t made_points(const axis_values& at, const input_library& inputs) {
  return at.word("shape") == "flat" ? 10 : inputs.point_count(at.word("shape"), 0);
}

inline void made_launch(launcher&, const made_problem&, const switches&) {}

inline const bool made_sum_is_defined = define<made_problem>(
    {.name = "made_sum",
     .description = "a sum that nobody needs",
     .axes = {axis::of_words("mode", {"int", "float"}, "type of the sum"),
              axis::of_integers("points", 0, 1l << 40, 1000, "points"), made_shapes({"flat", "round"})},
     .baseline = "plain",
     .problem =
         [](const axis_values& at, const input_library& inputs) {
           const bool is_generated = at.word("shape") == "flat" || at.word("shape") == "round";
           return made_problem{is_generated ? at.integer("points")
                                            : inputs.point_count(at.word("shape"), at.integer("points"))};
         },
     .buffers =
         [](made_problem& p) {
           return bound_buffers{unbound("in", 4 * static_cast<std::size_t>(p.points)),
                                unbound("out", 64, buffer_role::output, buffer_reset::poison)};
         },
     .prepare = [](const made_problem&, const axis_values&, const input_library&) { return made_workload(); },
     .refuses = [](const axis_values& at) -> std::optional<std::string> {
       if (at.word("shape") == "round" && at.integer("points") == 7) return "seven points are never round";
       return std::nullopt;
     },
     .variants =
         {{"plain", made_launch, {}, "one after the other"},
          {"staged", made_launch, {{"smem", "on"}}, "in shared memory", {.only_where = {{"mode", {"int"}}}}},
          {"hopper", made_launch, {}, "with what sm_90 has", {.minimum_compute_capability = 90}}}});

/// What launches of `made_tuned` were given, as "threads=128 pdl=on".
inline std::vector<std::string>& made_tuned_launched() {
  static std::vector<std::string> points;
  return points;
}

inline void made_tuned_launch(launcher&, const made_problem&, const switches& s) {
  made_tuned_launched().push_back("threads=" + value_of(s, "threads") + " pdl=" + value_of(s, "pdl"));
}

/// An operation with points between its variants.
inline const bool made_tuned_is_defined = define<made_problem>(
    {.name = "made_tuned",
     .description = "a kernel to be tuned",
     .axes = {axis::of_words("mode", {"int"}, "type of the sum")},
     .baseline = "plain",
     .problem = [](const axis_values&, const input_library&) { return made_problem{}; },
     .buffers = [](made_problem&) { return bound_buffers(); },
     .prepare = [](const made_problem&, const axis_values&, const input_library&) { return made_workload(); },
     .variants = {{"plain",
                   made_tuned_launch,
                   {{"threads", "256"}},
                   "as it is",
                   {.takes = {{"threads", {"128", "512"}}, {"pdl", {"on"}, 90}}}},
                  {"early",
                   made_tuned_launch,
                   {{"threads", "256"}, {"pdl", "on"}},
                   "begins early",
                   {.minimum_compute_capability = 90}},
                  {"other", made_launch, {{"threads", "32"}}, "something else"}}});

/// A calibration: two resources, a variant for each.
inline const bool made_ceiling_is_defined = define<made_problem>(
    {.name = "made_ceiling",
     .description = "what a made chip reaches",
     .axes = {axis::of_words("made_resource", {"width", "height"}, "what is measured")},
     .baseline = "wide",
     .problem = [](const axis_values&, const input_library&) { return made_problem{}; },
     .buffers = [](made_problem&) { return bound_buffers(); },
     .prepare = [](const made_problem&, const axis_values&, const input_library&) { return made_workload(); },
     .calibrations = {{"width", {{"made_resource", "width"}}, cache_state::cold_clean},
                      {"height", {{"made_resource", "height"}}, cache_state::hot}},
     .variants = {{"wide", made_launch, {}, "", {.only_where = {{"made_resource", {"width"}}}}},
                  {"high", made_launch, {}, "", {.only_where = {{"made_resource", {"height"}}}}}}});

/// An operation of three steps; `part` says which are timed: what comes before is done ahead, and
/// the output of a strict one is read back, as step 3.
struct made_steps_problem {
  int first = 0, last = 2;
  std::int64_t points = 0;
  bool is_read_back = false;
};

/// The steps that launches of `made_steps` were asked for, first and last.
inline std::vector<std::pair<int, int>>& made_steps_launched() {
  static std::vector<std::pair<int, int>> steps;
  return steps;
}

inline void made_steps_launch(launcher&, const made_steps_problem& p, const switches&) {
  made_steps_launched().emplace_back(p.first, p.last);
}

inline const bool made_steps_are_defined = define<made_steps_problem>(
    {.name = "made_steps",
     .description = "three steps of which a part is timed",
     .axes = {axis::of_words("part", {"all", "second", "last"}, "what is timed"),
              axis::of_words("mode", {"strict", "loose"}, "how"), made_shapes({"flat"})},
     .baseline = "plain",
     .problem =
         [](const axis_values& at, const input_library& inputs) {
           const std::string& part = at.word("part");
           const std::int64_t points = made_points(at, inputs);
           const bool strict = at.word("mode") == "strict";
           if (part == "all") return made_steps_problem{0, 2, points, strict};
           const int step = part == "second" ? 1 : 2;
           return made_steps_problem{step, step, points, strict};
         },
     .buffers =
         [](made_steps_problem&) {
           return bound_buffers{unbound("out", 4, buffer_role::output, buffer_reset::poison)};
         },
     .prepare = [](const made_steps_problem&, const axis_values&,
                   const input_library&) { return made_workload(); },
     .refuses = [](const axis_values& at) -> std::optional<std::string> {
       if (at.word("mode") == "loose" && at.word("part") == "last") return "the loose mode has no last step";
       return std::nullopt;
     },
     .ahead = [](const made_steps_problem& p) -> std::optional<made_steps_problem> {
       if (p.first == 0) return std::nullopt;
       return made_steps_problem{0, p.first - 1, p.points};
     },
     .readback = [](const made_steps_problem& p) -> std::optional<made_steps_problem> {
       if (!p.is_read_back) return std::nullopt;
       return made_steps_problem{3, 3, p.points};
     },
     .variants = {{"plain", made_steps_launch, {}, "one step after the other"},
                  {"fused",
                   made_steps_launch,
                   {},
                   "the steps as one",
                   {.only_where = {{"part", {"last", "second"}}, {"mode", {"loose"}}}}}}});

/// An operation that the host may take part in, and whose second step leaves the first as it is.
struct made_hosted_problem {
  region_clock clock = region_clock::device;
  bool is_second = false;
  std::int64_t points = 0;
};

inline const bool made_hosted_is_defined = define<made_hosted_problem>(
    {.name = "made_hosted",
     .description = "two steps that the host may wait for",
     .axes = {axis::of_words("host", {"absent", "waits", "graph"}, "what the host does"),
              axis::of_words("part", {"all", "second"}, "what is timed"), made_shapes({"flat"})},
     .baseline = "plain",
     .problem =
         [](const axis_values& at, const input_library& inputs) {
           const std::string& host = at.word("host");
           const std::int64_t points = made_points(at, inputs);
           return made_hosted_problem{host == "absent"  ? region_clock::device
                                      : host == "waits" ? region_clock::host
                                                        : region_clock::host_graph,
                                      at.word("part") == "second", points};
         },
     .buffers =
         [](made_hosted_problem&) {
           return bound_buffers{unbound("out", 4, buffer_role::output, buffer_reset::poison)};
         },
     .prepare = [](const made_hosted_problem&, const axis_values&,
                   const input_library&) { return made_workload(); },
     .ahead = [](const made_hosted_problem& p) -> std::optional<made_hosted_problem> {
       if (!p.is_second) return std::nullopt;
       return made_hosted_problem{};
     },
     .keeps_ahead = true,
     .clock = [](const made_hosted_problem& p) { return p.clock; },
     .variants = {{"plain", [](launcher&, const made_hosted_problem&, const switches&) {}, {}, "waits"}}});

}  // namespace ablate::test_support

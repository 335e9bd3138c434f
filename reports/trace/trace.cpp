#include "reports/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "base/record/facts.h"
#include "base/text/json_text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

// Perfetto keeps times in nanoseconds: slices begin at whole ones, a nanosecond apart, so that rounding makes
// none overlap.
using nanoseconds = std::int64_t;

double in_us(nanoseconds ns) { return static_cast<double>(ns) / 1e3; }
nanoseconds nearest_ns(double us) { return std::llround(us * 1e3); }
nanoseconds whole_ns(double us) { return static_cast<nanoseconds>(std::ceil(us * 1e3)); }

class trace_writer {
 public:
  void add_launch(const record& r, std::size_t number, std::size_t launches, const selection& asked) {
    for (const measured_case& c : r.cases) {
      if (!asked.selects(case_words_of(c))) continue;
      const std::string gpu = c.specimen.empty() ? fact(r.device, "uuid").value_or("") : c.specimen;
      add_case(c, process_of(r, gpu, number, launches));
    }
  }

  sample_trace finished(const record& first) && {
    out_.json =
        fmt::format("{{\"displayTimeUnit\": \"ns\", \"otherData\": {}, \"traceEvents\": [\n{}\n]}}\n",
                    json_text({{"suite", first.suite_name},
                               {"device", first.device_name},
                               {"date", first.date},
                               {"times", "samples follow each other without the pauses between them"}}),
                    events_);
    return std::move(out_);
  }

 private:
  struct process {
    int id;
    nanoseconds now = 0;
    int tracks = 1;  ///< the samples' one, and one for each kernel that runs beside another
  };

  void add(const ordered_json& event) { events_ += (events_.empty() ? "" : ",\n") + json_text(event); }

  void name_track(const process& of, int track, const std::string& name) {
    add({{"ph", "M"}, {"name", "thread_name"}, {"pid", of.id}, {"tid", track}, {"args", {{"name", name}}}});
  }

  process& process_of(const record& r, const std::string& gpu, std::size_t number, std::size_t launches) {
    const auto [found, is_new] =
        processes_.try_emplace({number, gpu}, process{static_cast<int>(processes_.size()) + 1});
    process& out = found->second;
    if (!is_new) return out;
    std::string name = r.device_name + (gpu.empty() ? "" : " " + gpu);
    if (launches > 1) name += fmt::format(", launch {} ({})", number, r.date);
    add({{"ph", "M"}, {"name", "process_name"}, {"pid", out.id}, {"tid", 1}, {"args", {{"name", name}}}});
    add({{"ph", "M"},
         {"name", "process_sort_index"},
         {"pid", out.id},
         {"tid", 1},
         {"args", {{"sort_index", out.id}}}});
    name_track(out, 1, "samples");
    return out;
  }

  void add_slice(const process& in, int track, const std::string& name, const char* category,
                 nanoseconds begin, double us, ordered_json args) {
    add({{"ph", "X"},
         {"name", name},
         {"cat", category},
         {"pid", in.id},
         {"tid", track},
         {"ts", in_us(begin)},
         {"dur", us},
         {"args", std::move(args)}});
  }

  void add_case(const measured_case& c, process& in) {
    ordered_json words = {{"case", c.name}, {"operation", c.operation}, {"variant", c.variant}};
    for (const auto& [axis, value] : c.axes) words[axis] = value;
    words["cache state"] = c.cache_state;
    nanoseconds end = in.now;
    for (const double us : c.time.samples_us) end += whole_ns(us) + 1;
    if (c.timeline) end += whole_ns(extent_of(*c.timeline).length()) + 1;
    ordered_json args = words;
    args.update({{"median µs", c.time.median_us},
                 {"timed by", c.time.method},
                 {"samples", c.time.samples_us.size()},
                 {"launches a sample", c.time.launches_per_sample}});
    add_slice(in, 1, c.operation + "/" + c.variant, "case", in.now, in_us(end - in.now), std::move(args));
    ++out_.cases;
    for (std::size_t i = 0; i < c.time.samples_us.size(); ++i) {
      const double us = c.time.samples_us[i];
      ordered_json of_sample = words;
      of_sample["sample"] = i + 1;
      of_sample["µs"] = us;
      if (c.time.samples_per_block) of_sample["median of samples"] = *c.time.samples_per_block;
      add_slice(in, 1, c.variant, "sample", in.now, us, std::move(of_sample));
      in.now += whole_ns(us) + 1;
      ++out_.samples;
    }
    if (c.timeline) add_timeline(c, *c.timeline, in);
    in.now = end + 1000;  // a microsecond between cases
  }

  struct extent {
    double begin_us = 0, end_us = 0;
    double length() const { return end_us - begin_us; }
  };
  static extent extent_of(const activity_timeline& of) {
    extent out;
    const auto cover = [&](double us) { out = {std::min(out.begin_us, us), std::max(out.end_us, us)}; };
    for (const double us : of.time_us) cover(us);
    for (const auto& kernel : of.kernels) {
      cover(kernel.start_us);
      cover(kernel.end_us);
    }
    return out;
  }

  void add_timeline(const measured_case& c, const activity_timeline& of, process& in) {
    const extent all = extent_of(of);
    const auto at = [&](double us) { return in.now + nearest_ns(us - all.begin_us); };
    add_slice(in, 1, "timeline", "timeline", in.now, all.length(),
              {{"case", c.name},
               {"launches in a row", of.loops},
               {"interval ns", static_cast<double>(of.interval_ns)}});
    std::vector<nanoseconds> ends;  // of what runs on each track
    for (const auto& kernel : of.kernels) {
      const nanoseconds begin = at(kernel.start_us), end = at(kernel.end_us);
      const auto free = std::find_if(ends.begin(), ends.end(), [&](nanoseconds e) { return e <= begin; });
      const int track = static_cast<int>(free - ends.begin()) + 1;
      if (free == ends.end())
        ends.push_back(end);
      else
        *free = end;
      for (; in.tracks < track; ++in.tracks)
        name_track(in, in.tracks + 1, fmt::format("kernels beside others, {}", in.tracks));
      add_slice(in, track, kernel.name, "kernel", begin, in_us(end - begin), {{"case", c.name}});
      ++out_.kernels;
    }
    for (const auto& [metric, values] : of.metrics)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i])
          add({{"ph", "C"},
               {"name", metric},
               {"pid", in.id},
               {"ts", in_us(at(of.time_us[i]))},
               {"args", {{"%", *values[i]}}}});
  }

  sample_trace out_;
  std::string events_;
  std::map<std::pair<std::size_t, std::string>, process> processes_;
};

}  // namespace

sample_trace trace_of(const std::vector<const record*>& launches, const selection& asked) {
  trace_writer writer;
  for (std::size_t i = 0; i < launches.size(); ++i)
    writer.add_launch(*launches[i], i + 1, launches.size(), asked);
  return std::move(writer).finished(*launches.front());
}

}  // namespace ablate::reports

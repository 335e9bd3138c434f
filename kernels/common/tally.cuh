#pragma once

#include <type_traits>

namespace ablate {

/// A thread's counts of `Count` events. The plain form of a kernel holds one that is nothing.
template <class Event, int Count, bool Instrumented>
struct event_tally {
  __device__ void add(Event, unsigned = 1) {}
  __device__ void write(unsigned long long*) const {}
};

template <class Event, int Count>
struct event_tally<Event, Count, true> {
  unsigned counts[Count] = {};
  __device__ void add(Event what, unsigned times = 1) { counts[what] += times; }
  __device__ void write(unsigned long long* events) const {
    for (int i = 0; i < Count; ++i)
      if (counts[i] != 0) atomicAdd(events + i, static_cast<unsigned long long>(counts[i]));
  }
};

/// Of kernels that have no instrumented form.
constexpr bool uncounted = false;

/// Calls `form(std::bool_constant<instrumented>{})`: a problem that has room for events is of the
/// instrumented form.
template <class Problem, class Form>
void with_form(const Problem& p, Form form) {
  p.events ? form(std::true_type{}) : form(std::false_type{});
}

}  // namespace ablate

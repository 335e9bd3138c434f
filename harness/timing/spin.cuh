#pragma once

#include <cuda_runtime.h>

namespace ablate {

/// A host that takes longer to enqueue what is to be timed is not waited for.
inline constexpr unsigned long long longest_spin_ns = 5'000'000;

/// Enqueues a single-thread kernel that keeps the stream busy for `nanoseconds` of the device's global timer
/// and touches no memory, so that work enqueued behind it starts without waiting for the host. It ends by
/// itself: a delayed host costs a sample but never a deadlock.
void enqueue_spin(cudaStream_t, unsigned long long nanoseconds);

/// The same in SM clock cycles, which resolve fractions of a microsecond.
void enqueue_spin_cycles(cudaStream_t, long long cycles);

/// The SM clock in MHz, from the cycles counted over a fraction of a millisecond of the global timer. Waits
/// for the stream.
double measured_sm_clock_mhz(cudaStream_t);

}  // namespace ablate

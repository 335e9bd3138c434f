#pragma once

#include <cuda_runtime.h>

namespace ablate {

/// Enqueues a kernel of one thread that keeps the stream busy for `nanoseconds` by the device's global timer,
/// touching no memory: what is enqueued behind it starts without waiting for the host. It ends by itself, so
/// a host that is delayed costs a sample and never a deadlock.
void enqueue_spin(cudaStream_t, unsigned long long nanoseconds);

/// The same by cycles of the SM clock, which tell a fraction of a microsecond.
void enqueue_spin_cycles(cudaStream_t, long long cycles);

/// The SM clock in MHz, by cycles counted while the global timer runs a fraction of a millisecond. Waits for
/// the stream.
double measured_sm_clock_mhz(cudaStream_t);

}  // namespace ablate

#pragma once

#include <cuda_runtime.h>

namespace ablate {

/// Enqueues a kernel of one thread that keeps the stream busy for `nanoseconds` by the device's global timer,
/// touching no memory: what is enqueued behind it starts without waiting for the host. It ends by itself, so
/// a host that is delayed costs a sample and never a deadlock.
void enqueue_spin(cudaStream_t, unsigned long long nanoseconds);

}  // namespace ablate

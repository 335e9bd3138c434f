#pragma once

namespace ablate::divisor_test {

/// Adds to a word on the device how many quotients of two significands, of divisors one in `stride`, are not
/// what they have to be. Significands alone, as exponents change nothing between the limits of divisor.h.
void add_wrong_quotients(unsigned stride, unsigned long long* wrong);

}  // namespace ablate::divisor_test

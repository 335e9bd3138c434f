#pragma once

// std::min and std::max, of which <algorithm> is most of what nvcc spends on a small `.cu` file: libstdc++ has
// them, with std::copy and std::fill, in a header that CUDA's own headers include anyway.
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

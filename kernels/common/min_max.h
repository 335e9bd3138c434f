#pragma once

// std::min and std::max, with std::copy and std::fill. <algorithm> is most of what nvcc spends on a small
// `.cu` file; libstdc++ has these in a header that CUDA's own headers include anyway.
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

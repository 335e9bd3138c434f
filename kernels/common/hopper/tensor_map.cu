#include "kernels/common/hopper/tensor_map.h"
#include "kernels/common/min_max.h"
#include "kernels/common/refuse_launch.h"

#include <cuda_runtime.h>

namespace ablate::hopper {

namespace {

/// The driver's encoder, asked for at run time: nothing links to the driver, and machines without one can
/// still describe their kernels.
decltype(&cuTensorMapEncodeTiled) encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  constexpr unsigned since = 12000;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since, cudaEnableDefault,
                                       &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    refuse_launch({"the driver has no cuTensorMapEncodeTiled: it is older than CUDA 12.0"});
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

CUtensorMapSwizzle swizzle_of(int bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                       : CU_TENSOR_MAP_SWIZZLE_32B;
}

}  // namespace

CUtensorMap tensor_map(const launcher& to, const tensor_box& t) {
  CUtensorMap map{};
  if (to.only_describes()) return map;
  static const auto encode = encoder();
  constexpr std::size_t max_dimensions = 5;
  cuuint64_t sizes[max_dimensions], strides[max_dimensions];
  cuuint32_t box[max_dimensions], element_strides[max_dimensions] = {1, 1, 1, 1, 1};
  std::copy(t.sizes.begin(), t.sizes.end(), sizes);
  std::copy(t.byte_strides.begin(), t.byte_strides.end(), strides);
  std::copy(t.box.begin(), t.box.end(), box);
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, static_cast<cuuint32_t>(t.sizes.size()), t.base, sizes,
             strides, box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(t.swizzle_bytes),
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    refuse_launch({"cuTensorMapEncodeTiled refuses a box of ", t.box[0], " elements, swizzled by ",
                   t.swizzle_bytes, " bytes: error ", static_cast<int>(status)});
  return map;
}

}  // namespace ablate::hopper

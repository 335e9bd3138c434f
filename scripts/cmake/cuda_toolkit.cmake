# Finds nvcc, refuses one that is too old, and enables CUDA for sm_80 (A100) and sm_90a (H100, H200), or for the one of
# the two that this machine's GPU runs (CMAKE_CUDA_ARCHITECTURES=native). `ablate_without_cuda` says what to do without.
# The version is asked for first: an old nvcc fails CMake's own compiler test with an error about something else. A
# project that has enabled CUDA keeps its compiler and its architectures.

set(ablate_oldest_cuda 12.6)

if(NOT CMAKE_CUDA_COMPILER AND NOT "$ENV{CUDACXX}" STREQUAL "")
  set(CMAKE_CUDA_COMPILER $ENV{CUDACXX})
endif()
if(NOT CMAKE_CUDA_COMPILER)
  find_program(ABLATE_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(NOT ABLATE_NVCC)
    message(FATAL_ERROR "No nvcc in PATH or /usr/local/cuda/bin: the CUDA Toolkit ${ablate_oldest_cuda} or later "
                        "is needed. " ${ablate_without_cuda})
  endif()
  set(CMAKE_CUDA_COMPILER ${ABLATE_NVCC})
endif()

execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE ablate_nvcc_says ERROR_QUIET)
if(NOT ablate_nvcc_says MATCHES "release ([0-9]+[.][0-9]+)")
  message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} --version does not name a CUDA release. " ${ablate_without_cuda})
endif()
if(CMAKE_MATCH_1 VERSION_LESS ablate_oldest_cuda)
  message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is of CUDA ${CMAKE_MATCH_1}; ${ablate_oldest_cuda} or later is needed. "
                      ${ablate_without_cuda})
endif()

# CMake's own `native` would be 90 on Hopper, which lacks the instructions of 90a.
if(CMAKE_CUDA_ARCHITECTURES STREQUAL "native")
  set(CMAKE_CUDA_ARCHITECTURES "")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader --id=0
                  OUTPUT_VARIABLE ablate_compute_capability ERROR_QUIET)
  if(ablate_compute_capability MATCHES "^8[.]")
    set(CMAKE_CUDA_ARCHITECTURES 80-real)
  elseif(ablate_compute_capability MATCHES "^9[.]0")
    set(CMAKE_CUDA_ARCHITECTURES 90a-real)
  else()
    message(STATUS "nvidia-smi names no GPU of compute capability 8.x or 9.0: compiling for all of them")
  endif()
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real)
endif()
enable_language(CUDA)
find_package(CUDAToolkit ${ablate_oldest_cuda} REQUIRED)

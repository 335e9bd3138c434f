# Language standards, warnings as errors, sanitizers, ccache: `ablate_options`, which every target links.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(ablate_options INTERFACE)
target_include_directories(ablate_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(ablate_options INTERFACE ABLATE_HAS_CUDA=$<BOOL:${ABLATE_CUDA}>)
# Oracles and generators repeat exactly rounded fp32 steps: a fused multiply-add would change their bits.
target_compile_options(ablate_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -ffp-contract=off>)

if(ABLATE_SANITIZE)
  target_compile_options(ablate_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(ablate_options INTERFACE -fsanitize=address,undefined)
endif()

if(ABLATE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.6)
    message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: CUDA 12.6 or later is needed. "
                        "Configure with -DABLATE_CUDA=OFF for list, plan, report and the host references.")
  endif()
  find_package(CUDAToolkit REQUIRED)
  target_compile_options(ablate_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Werror,-ffp-contract=off;-lineinfo>")
endif()

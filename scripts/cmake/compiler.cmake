# Language standards, warnings as errors, sanitizers, ccache: `ablate_options`, which every target of this tree links and
# no other. Build type and compiler launchers are chosen for this tree alone, not for a project that holds it.

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()

  find_program(CCACHE ccache)
  if(CCACHE)
    # Another checkout of the same sources hits the same cache, as does a shell with another locale: paths below the base are
    # hashed as relative ones (those of debug information and of __FILE__ through the map below), and the language of messages
    # not at all.
    set(ablate_compiler_launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_SLOPPINESS=locale ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ablate_compiler_launcher})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${ablate_compiler_launcher})
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)
  endif()
endif()

add_library(ablate_options INTERFACE)
target_include_directories(ablate_options INTERFACE ${PROJECT_SOURCE_DIR})
# The flag instead of CMAKE_CXX_STANDARD, which applies to CUDA as well: CMake 3.25.1, which Debian 12 has, knows no
# C++20 for nvcc.
target_compile_options(ablate_options INTERFACE $<$<COMPILE_LANGUAGE:CXX,CUDA>:-std=c++20>)
target_compile_definitions(ablate_options INTERFACE ABLATE_HAS_CUDA=$<BOOL:${ABLATE_CUDA}>)
set(ablate_warnings -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string's operator+ where there are none (GCC bug 105651).
  list(APPEND ablate_warnings -Wno-restrict)
endif()
# Oracles and generators repeat exactly rounded fp32 steps: a fused multiply-add would change their bits.
set(ablate_host_options ${ablate_warnings} -ffp-contract=off)
target_compile_options(ablate_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ablate_host_options}>")

# What reads and writes users' files: base, harness, reports.
add_library(ablate_sanitized INTERFACE)
if(ABLATE_SANITIZE)
  set(sanitizers -fsanitize=address,undefined,float-cast-overflow)
  set(sanitized ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes what the sanitizers put into std::regex for a read of uninitialized members; `release` keeps the warning.
    list(APPEND sanitized -Wno-maybe-uninitialized)
  endif()
  if(ABLATE_FUZZ)
    list(APPEND sanitized -fsanitize=fuzzer-no-link)
  endif()
  if(ABLATE_SANITIZE_ALL)
    target_compile_options(ablate_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitized}>")
  else()
    # AddressSanitizer catches most of what these catch; without them a file compiles in two thirds of the time.
    list(APPEND sanitized -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
    target_compile_options(ablate_sanitized INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitized}>")
  endif()
  # A sanitized program has two million pointers in its tables of globals and of checks. As PIE, each start relocates
  # all of them, which takes as long as the rest of a small run.
  target_link_options(ablate_options INTERFACE ${sanitizers} -no-pie)
endif()

if(ABLATE_CUDA)
  set(ablate_without_cuda "Configure with the preset 'tools' (-DABLATE_CUDA=OFF) for list, plan, report and the "
                          "host references. scripts/setup.sh says how to get the toolkit.")
  include(cuda_toolkit)  # enables CUDA, or says what is missing
  list(JOIN ablate_host_options "," host_options)
  target_compile_options(ablate_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=${host_options};-lineinfo>")
endif()

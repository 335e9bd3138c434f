# `ablate_headers`: the headers that a program outside of this tree includes, as <ablate/...>. In the tree they are included by
# their path from the root; a project that had its own harness/ or kernels/ on the include path would find the wrong ones,
# so copies are made with their includes rewritten, and those are what FetchContent uses and what is installed:
#   harness/X -> ablate/X, kernels/common/X -> ablate/common/X, base/X -> ablate/X
# What these headers include is taken along; a header of another room is an error.
set(ablate_public_headers
  harness/ablate.h harness/build_facts.h harness/device/kernel_resources.h harness/plugin.h harness/inputs/clouds.h
  harness/inputs/exact_math.h harness/inputs/random.h
  harness/inputs/random_floats.h harness/registry/define.h harness/registry/define_kernel.h kernels/common/kernel_launch.h
  kernels/common/launch.cuh kernels/common/launch_check.h kernels/common/launch_function.h kernels/common/refuse_launch.h kernels/common/unsupported.h
  harness/version.h base/process/data_directory.h)
set(ablate_public_include ${PROJECT_BINARY_DIR}/include)

set(ablate_headers_left ${ablate_public_headers})
set(ablate_headers_seen)
while(ablate_headers_left)
  list(POP_FRONT ablate_headers_left header)
  if(header IN_LIST ablate_headers_seen)
    continue()
  endif()
  list(APPEND ablate_headers_seen ${header})
  set(path ${PROJECT_SOURCE_DIR}/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(STRINGS ${path} includes REGEX "^#include \"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    if(NOT included MATCHES "^(harness|kernels/common|base/(process|text))/")
      message(FATAL_ERROR " ${path}: a public header must not include ${included}")
    endif()
    list(APPEND ablate_headers_left ${included})
  endforeach()
  file(READ ${path} text)
  string(REGEX REPLACE "#include \"(harness|kernels|base)/([^\"]+)\"" "#include <ablate/\\2>" text "${text}")
  string(REGEX REPLACE "^(harness|kernels|base)/" "ablate/" header ${header})
  set(written "")
  if(EXISTS ${ablate_public_include}/${header})
    file(READ ${ablate_public_include}/${header} written)
  endif()
  if(NOT written STREQUAL text)
    file(WRITE ${ablate_public_include}/${header} "${text}")
  endif()
endwhile()

# No flag of ours but the language: the warnings and options of whoever includes them are theirs.
add_library(ablate_headers INTERFACE)
add_library(ablate::headers ALIAS ablate_headers)
target_include_directories(ablate_headers SYSTEM INTERFACE $<BUILD_INTERFACE:${ablate_public_include}>
                                                           $<INSTALL_INTERFACE:include>)
target_compile_definitions(ablate_headers INTERFACE ABLATE_HAS_CUDA=$<BOOL:${ABLATE_CUDA}>)
# A project that requests a later standard keeps it. CMake 3.25.1, which Debian 12 has, knows no C++20 for nvcc.
foreach(language CXX CUDA)
  set(is_enough $<VERSION_GREATER_EQUAL:0$<TARGET_PROPERTY:${language}_STANDARD>,20>)
  target_compile_options(ablate_headers INTERFACE $<$<AND:$<COMPILE_LANGUAGE:${language}>,$<NOT:${is_enough}>>:-std=c++20>)
endforeach()
target_link_libraries(ablate_headers INTERFACE nlohmann_json::nlohmann_json)

# What ablate_add_program needs to know of this tree; a package sets the same (ablateConfig.cmake).
set_property(GLOBAL PROPERTY ABLATE_DATA_DIRECTORY ${PROJECT_SOURCE_DIR})
set_property(GLOBAL PROPERTY ABLATE_WITH_CUDA ${ABLATE_CUDA})

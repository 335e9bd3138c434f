# ablate_add_program(NAME OPERATIONS FILE|PATTERN... [KERNELS FILE|PATTERN...] [ROOT FOLDER]): an executable with all of Ablate's
# commands, for the operations defined in these files and the calibrations of `ceilings`.
#   OPERATIONS  C++ sources: definitions, oracles
#   KERNELS     CUDA sources, left out in a build without CUDA; they get the include directories, definitions and options
#               of NAME, and ablate_keep_ptxas_reports's flags
#   ROOT        the folder whose sources a record names by commit and hash [that of the calling CMakeLists.txt]
# Where git cannot tell the commit of ROOT, ABLATE_PROGRAM_COMMIT gives it.
# NAME is a target like any other: link libraries to it, set its flags. Ablate's own flags are not passed on.
function(ablate_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "ROOT" "OPERATIONS;KERNELS")
  if(given_UNPARSED_ARGUMENTS OR NOT given_OPERATIONS)
    message(FATAL_ERROR " ablate_add_program(${name}): expected OPERATIONS FILE... [KERNELS FILE...] [ROOT FOLDER]")
  endif()
  if(NOT given_ROOT)
    set(given_ROOT ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  foreach(kind OPERATIONS KERNELS)
    set(${kind})
    foreach(file IN LISTS given_${kind})
      if(file MATCHES "[*]")
        file(GLOB found CONFIGURE_DEPENDS ${file})
        list(APPEND ${kind} ${found})
      else()
        list(APPEND ${kind} ${file})
      endif()
    endforeach()
  endforeach()

  add_executable(${name} ${OPERATIONS})
  target_link_libraries(${name} PRIVATE ablate::headers $<LINK_LIBRARY:WHOLE_ARCHIVE,ablate::builtin> ablate::main)
  # The symbol of a kernel's host stub is the key to its static facts.
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  get_property(with_cuda GLOBAL PROPERTY ABLATE_WITH_CUDA)
  if(KERNELS AND with_cuda)
    # Where the tree is a folder of this build, what it has found is not known here.
    find_package(CUDAToolkit REQUIRED)
    add_library(${name}_kernels OBJECT ${KERNELS})
    target_link_libraries(${name}_kernels PRIVATE ablate::headers CUDA::cudart_static)
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
      set_property(TARGET ${name}_kernels PROPERTY ${property} $<TARGET_PROPERTY:${name},${property}>)
    endforeach()
    set_target_properties(${name}_kernels PROPERTIES UNITY_BUILD OFF)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_kernels>)
    ablate_add_kernel_facts(${name} ${name}_kernels)
  endif()
  ablate_add_program_facts(${name} ${given_ROOT})
endfunction()

# Gives `name` the facts of its own build: they are asked for in every build, and the source that holds them is rewritten
# only when one changed.
function(ablate_add_program_facts name root)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}_facts.cpp)
  get_property(data GLOBAL PROPERTY ABLATE_DATA_DIRECTORY)
  string(LENGTH "${ABLATE_PROGRAM_COMMIT}" digits)
  if(NOT "${ABLATE_PROGRAM_COMMIT}" MATCHES "^[0-9a-f]*$" OR NOT digits MATCHES "^(0|40)$")
    message(FATAL_ERROR " ABLATE_PROGRAM_COMMIT is '${ABLATE_PROGRAM_COMMIT}': expected the 40 hexadecimal digits of a commit")
  endif()
  set(cuda_compiler "")
  set(architectures "")
  if(TARGET ${name}_kernels)
    set(cuda_compiler ${CMAKE_CUDA_COMPILER_VERSION})
    string(REPLACE ";" "," architectures "${CMAKE_CUDA_ARCHITECTURES}")
  endif()
  add_custom_target(${name}_write_facts
    COMMAND ${CMAKE_COMMAND} -D ROOT=${root} -D OUT=${generated} -D PROGRAM=${name} -D VERSION=${PROJECT_VERSION}
            -D GIVEN_COMMIT=${ABLATE_PROGRAM_COMMIT}
            -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -D CUDA_COMPILER=${cuda_compiler}
            -D CUDA_ARCHITECTURES=${architectures} -D BUILD_TYPE=$<CONFIG> -D DATA=${data}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_program_facts.cmake
    BYPRODUCTS ${generated}
    COMMENT "Asking git for the commit of ${name}, hashing its sources"
    VERBATIM)
  target_sources(${name} PRIVATE ${generated})
  add_dependencies(${name} ${name}_write_facts)
endfunction()

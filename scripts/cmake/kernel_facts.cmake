# ablate_add_kernel_facts(program [kernels]): gives the interface library `program` the definition of
# ablate::all_kernel_resources(): registers, stack, spills and shared memory of every kernel in the object library
# `kernels`, for each architecture that ptxas made machine code for. No GPU is asked. Without `kernels`, or where all is
# PTX, the table is empty.
include(CheckCompilerFlag)

function(ablate_add_kernel_facts program)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/kernel_resources.cpp)
  set(objects_list ${CMAKE_CURRENT_BINARY_DIR}/kernel_objects.txt)
  set(script ${PROJECT_SOURCE_DIR}/scripts/cmake/write_kernel_resources.cmake)
  set(objects)
  if(ARGC GREATER 1)
    ablate_keep_ptxas_reports(${ARGV1})
    set(objects $<TARGET_OBJECTS:${ARGV1}>)
  endif()
  file(GENERATE OUTPUT ${objects_list} CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -D OBJECTS=${objects_list} -D OUT=${generated} -P ${script}
    DEPENDS ${objects} ${objects_list} ${script}
    COMMENT "Reading the registers, spills and shared memory of every kernel"
    VERBATIM)
  add_library(ablate_kernel_resources OBJECT ${generated})
  target_link_libraries(ablate_kernel_resources PRIVATE ablate_options nlohmann_json::nlohmann_json)
  target_sources(${program} INTERFACE $<TARGET_OBJECTS:ablate_kernel_resources>)
endfunction()

# Has nvcc report the resources of each kernel of `kernels`, and name its host stub as the kernel itself is named.
function(ablate_keep_ptxas_reports kernels)
  target_compile_options(${kernels} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>)
  set(launcher sh ${PROJECT_SOURCE_DIR}/scripts/cmake/keep_ptxas_report.sh ${ablate_compiler_launcher})
  set_target_properties(${kernels} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
  # By default nvcc 13 hides the stubs and makes those of templates local: then no symbol tells which kernel one is.
  foreach(flag -static-global-template-stub=false -device-entity-has-hidden-visibility=false)
    string(MAKE_C_IDENTIFIER "ABLATE_NVCC_KNOWS_${flag}" known)
    check_compiler_flag(CUDA ${flag} ${known})
    if(${known})
      target_compile_options(${kernels} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flag}>)
    endif()
  endforeach()
endfunction()

# ablate_add_kernel_facts(target kernels): gives `target` a table of registers, stack, spills and shared memory of every
# kernel in the object library `kernels`, for each architecture that ptxas made machine code for. It registers itself
# (harness/device/kernel_resources.h). No GPU is asked; where all is PTX, the table is empty.
include(CheckCompilerFlag)

function(ablate_add_kernel_facts target kernels)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${kernels}_resources.cpp)
  set(objects_list ${CMAKE_CURRENT_BINARY_DIR}/${kernels}_objects.txt)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_kernel_resources.cmake)
  ablate_keep_ptxas_reports(${kernels})
  set(objects $<TARGET_OBJECTS:${kernels}>)
  file(GENERATE OUTPUT ${objects_list} CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -D OBJECTS=${objects_list} -D OUT=${generated} -P ${script}
    DEPENDS ${objects} ${objects_list} ${script}
    COMMENT "Reading the registers, spills and shared memory of every kernel in ${kernels}"
    VERBATIM)
  add_library(${kernels}_resources OBJECT ${generated})
  target_link_libraries(${kernels}_resources PRIVATE ablate::headers)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${kernels}_resources>)
  else()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${kernels}_resources>)
  endif()
endfunction()

# Has nvcc report the resources of each kernel of `kernels`, and name its host stub as the kernel itself is named.
function(ablate_keep_ptxas_reports kernels)
  target_compile_options(${kernels} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>)
  set(launcher sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/keep_ptxas_report.sh ${CMAKE_CUDA_COMPILER_LAUNCHER})
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

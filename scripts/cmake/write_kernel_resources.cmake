# cmake -D OBJECTS=<file with one object a line> -D OUT=… -P write_kernel_resources.cmake: reads <object>.ptxas of
# each object and writes a table that registers itself (harness/device/kernel_resources.h). See
# kernel_facts.cmake.
cmake_minimum_required(VERSION 3.25)

# The number before `what` in `line`, 0 where it is not named: ptxas leaves out what a kernel does not use.
function(number_before what line out)
  if(line MATCHES "([0-9]+) ${what}")
    set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${out} 0 PARENT_SCOPE)
  endif()
endfunction()

# Appends "<kernel> <architecture> = <row>" for each kernel of a report to the caller's list `rows`. A kernel's lines:
#   ptxas info    : Compiling entry function '<kernel>' for '<architecture>'
#   ptxas info    : Function properties for <kernel>
#       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
#   ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem, 360 bytes cmem[0]
# The properties of device functions that were not inlined come between or after them.
function(read_report path)
  file(STRINGS ${path} lines REGEX "Compiling entry function|Function properties for|bytes stack frame|: Used ")
  set(kernel "")
  foreach(line IN LISTS lines)
    if(line MATCHES "Compiling entry function '([^']+)' for '([^']+)'")
      set(next_kernel ${CMAKE_MATCH_1})
      set(next_architecture ${CMAKE_MATCH_2})
      if(kernel)
        message(FATAL_ERROR "${path}: ptxas does not say how many registers '${kernel}' uses")
      endif()
      set(kernel ${next_kernel})
      set(architecture ${next_architecture})
      set(stack "")
    elseif(line MATCHES "Function properties for ([^ ]+)")
      set(function ${CMAKE_MATCH_1})
    elseif(line MATCHES "bytes stack frame" AND kernel AND function STREQUAL kernel)
      number_before("bytes stack frame" "${line}" stack)
      number_before("bytes spill stores" "${line}" spill_stores)
      number_before("bytes spill loads" "${line}" spill_loads)
    elseif(line MATCHES ": Used ([0-9]+) registers" AND kernel)
      set(registers ${CMAKE_MATCH_1})
      if(stack STREQUAL "")
        message(FATAL_ERROR "${path}: ptxas does not name the stack frame of '${kernel}'")
      endif()
      number_before("bytes smem" "${line}" shared)
      list(APPEND rows "${kernel} ${architecture} = ${registers}, ${stack}, ${spill_stores}, ${spill_loads}, ${shared}")
      set(kernel "")
    endif()
  endforeach()
  if(kernel)
    message(FATAL_ERROR "${path}: ptxas does not say how many registers '${kernel}' uses")
  endif()
  set(rows "${rows}" PARENT_SCOPE)
endfunction()

set(rows)
file(STRINGS ${OBJECTS} objects)
foreach(object IN LISTS objects)
  if(NOT EXISTS ${object}.ptxas)
    message(FATAL_ERROR "${object}.ptxas is missing: remove the object, and the next build makes both")
  endif()
  read_report(${object}.ptxas)
endforeach()
list(SORT rows COMPARE STRING)
list(REMOVE_DUPLICATES rows)

set(entries "")
set(count 0)
set(previous "")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([^ ]+) ([^ ]+) = (.*)$" matched "${row}")
  if("${CMAKE_MATCH_1} ${CMAKE_MATCH_2}" STREQUAL previous)
    message(FATAL_ERROR "two objects hold different machine code for ${previous}: give the kernels different names")
  endif()
  set(previous "${CMAKE_MATCH_1} ${CMAKE_MATCH_2}")
  string(APPEND entries "    {\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\", ${CMAKE_MATCH_3}},\n")
  math(EXPR count "${count} + 1")
endforeach()

set(table "")
if(count GREATER 0)
  set(table "
namespace {

// kernel, architecture, registers, stack, spill stores, spill loads, static shared bytes
constexpr std::array<ablate::kernel_resources, ${count}> table = {{
${entries}}};

[[maybe_unused]] const bool registered = ablate::register_kernel_resources(table);

}  // namespace
")
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT "#include <ablate/device/kernel_resources.h>

#include <array>
@table@")

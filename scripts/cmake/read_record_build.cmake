# cmake -D RECORD=<record.json> -P read_record_build.cmake: prints "<commit> <dirty> <source hash>" of the build that
# measured a record, "-" for what it leaves empty. See scripts/check_records.sh.
cmake_minimum_required(VERSION 3.25)

file(READ ${RECORD} record)
set(facts)
foreach(fact commit dirty source_hash)
  string(JSON value ERROR_VARIABLE error GET "${record}" context ablate build ${fact})
  if(error)
    message(FATAL_ERROR "expected /context/ablate/build/${fact}: ${error}")
  endif()
  if(value STREQUAL "")
    set(value -)
  endif()
  list(APPEND facts ${value})
endforeach()
list(JOIN facts " " facts)
execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${facts})

# Runs git on ROOT; sets `out` to what it printed, and `answered` to whether it succeeded.
function(ask_git out answered)
  execute_process(COMMAND git -C ${ROOT} ${ARGN} OUTPUT_VARIABLE printed ERROR_QUIET RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0)
    set(${answered} TRUE PARENT_SCOPE)
  else()
    set(${answered} FALSE PARENT_SCOPE)
  endif()
  set(${out} "${printed}" PARENT_SCOPE)
endfunction()

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

# Sets `commit` to the commit that ROOT has checked out, and `dirty` to whether these paths differ from it; neither where git does
# not answer.
function(ask_commit)
  ask_git(head answered rev-parse --verify HEAD)
  ask_git(changes status_answered status --porcelain -- ${ARGN})
  if(answered AND status_answered)
    set(commit "${head}" PARENT_SCOPE)
    if(NOT changes STREQUAL "")
      set(dirty true PARENT_SCOPE)
    endif()
  endif()
endfunction()

# ablate_shuffle(list seed): the list in the order of hashes of the seed and each element's path in this tree, so that a seed
# gives one order in every checkout.
function(ablate_shuffle list seed)
  set(keyed "")
  foreach(element IN LISTS ${list})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${element})
    string(MD5 key "${seed} ${path}")
    list(APPEND keyed "${key} ${element}")
  endforeach()
  list(SORT keyed)
  list(TRANSFORM keyed REPLACE "^[0-9a-f]+ " "")
  set(${list} ${keyed} PARENT_SCOPE)
endfunction()

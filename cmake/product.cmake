# Target `product`: every library, module and program defined so far; called before the tests and the benchmarks are
# added, it is what ./faultline builds before it runs the command. Collected rather than listed: nothing links the
# eager module or a worker.
function(faultline_product)
  add_custom_target(product)
  set(folders ${PROJECT_SOURCE_DIR})
  while(folders)
    list(POP_FRONT folders folder)
    get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${inner})
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(NOT type MATCHES "INTERFACE_LIBRARY|UTILITY")
        add_dependencies(product ${target})
      endif()
    endforeach()
  endwhile()
endfunction()

# Finds the libtorch inside an installed torch wheel (or an unpacked libtorch archive): the folder with include/ and
# lib/. The wheel's own CMake package wants a CUDA toolkit for CUDA builds, adds stray run paths and leaves assertions
# of its headers on in Debug; this module needs two libraries and two include folders, and says so.
#
# Where it looks, first hit wins:
#   1. TORCH_ROOT, a cache entry or an environment variable; when it is set nothing else is tried
#   2. the project's own .venv, which ./faultline makes
#   3. python3, asked where its torch is; torch is not imported
#
# Result: TorchWheel_FOUND, TorchWheel_FOLDER, TorchWheel_VERSION, and the targets TorchWheel::c10 and
# TorchWheel::torch_cpu (which brings c10). Link TorchWheel::torch_cpu PRIVATE to the one module that includes torch
# headers; its run path is set by CMake from the library's full name, and kept at install. Without torch nothing fails
# here: a status line, and TorchWheel_FOUND false.

set(TORCH_ROOT "" CACHE PATH "folder of an installed torch (with include/ and lib/); empty: look for one")
set(TorchWheel_VERSION_LEAST 2.11)

# Sets `folder` to the torch to use, or to nothing, and `why_not` to the reason.
function(_torch_wheel_locate folder why_not)
  set(named ${TORCH_ROOT})
  if(NOT named)
    set(named $ENV{TORCH_ROOT})
  endif()
  if(named)
    set(${folder} ${named} PARENT_SCOPE)
    set(${why_not} "TORCH_ROOT is ${named}, which has no lib/libtorch_cpu.so" PARENT_SCOPE)
    return()
  endif()
  file(GLOB found LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
  if(NOT found)
    find_program(TorchWheel_PYTHON python3)
    mark_as_advanced(TorchWheel_PYTHON)
    if(TorchWheel_PYTHON)
      execute_process(
        COMMAND ${TorchWheel_PYTHON} -c
                "import importlib.util
torch = importlib.util.find_spec('torch')
print(torch.submodule_search_locations[0] if torch else '')"
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  if(found)
    list(GET found -1 found)
  endif()
  set(${folder} "${found}" PARENT_SCOPE)
  set(${why_not} "no torch in TORCH_ROOT, in .venv, or in python3" PARENT_SCOPE)
endfunction()

# The version of the headers, which every kind of torch folder has; empty if it cannot be read.
function(_torch_wheel_version folder version)
  set(header ${folder}/include/torch/headeronly/version.h)
  set(numbers)
  if(EXISTS ${header})
    foreach(part IN ITEMS MAJOR MINOR PATCH)
      file(STRINGS ${header} line REGEX "^#define TORCH_VERSION_${part} +[0-9]+")
      string(REGEX MATCH "[0-9]+" number "${line}")
      list(APPEND numbers "${number}")
    endforeach()
  endif()
  list(JOIN numbers "." numbers)
  set(${version} "${numbers}" PARENT_SCOPE)
endfunction()

_torch_wheel_locate(TorchWheel_FOLDER TorchWheel_why_not)
set(TorchWheel_VERSION)
set(TorchWheel_usable)
if(TorchWheel_FOLDER AND EXISTS ${TorchWheel_FOLDER}/lib/libtorch_cpu.so)
  _torch_wheel_version(${TorchWheel_FOLDER} TorchWheel_VERSION)
  if(TorchWheel_VERSION VERSION_LESS TorchWheel_VERSION_LEAST)
    set(TorchWheel_why_not "torch ${TorchWheel_VERSION} in ${TorchWheel_FOLDER} is too old")
  else()
    set(TorchWheel_usable TRUE)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchWheel
  REQUIRED_VARS TorchWheel_FOLDER TorchWheel_usable VERSION_VAR TorchWheel_VERSION
  REASON_FAILURE_MESSAGE "${TorchWheel_why_not}")

if(TorchWheel_FOUND AND NOT TARGET TorchWheel::torch_cpu)
  foreach(library IN ITEMS c10 torch_cpu)
    add_library(TorchWheel::${library} SHARED IMPORTED)
    set_target_properties(TorchWheel::${library} PROPERTIES
      IMPORTED_LOCATION ${TorchWheel_FOLDER}/lib/lib${library}.so
      INTERFACE_COMPILE_FEATURES cxx_std_20
      INTERFACE_COMPILE_DEFINITIONS NDEBUG
      # An imported target's include folders are SYSTEM: torch's own warnings are not ours to fix.
      INTERFACE_INCLUDE_DIRECTORIES
        "${TorchWheel_FOLDER}/include;${TorchWheel_FOLDER}/include/torch/csrc/api/include")
  endforeach()
  set_property(TARGET TorchWheel::torch_cpu PROPERTY INTERFACE_LINK_LIBRARIES TorchWheel::c10)
endif()
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

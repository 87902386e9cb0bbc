# One interface target carries every flag; CMAKE_CXX_FLAGS is never touched.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "g++ ${CMAKE_CXX_COMPILER_VERSION} is too old: 12 or newer is needed; name one with CXX")
endif()

find_program(FAULTLINE_CCACHE ccache)
if(FAULTLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FAULTLINE_CCACHE})
endif()

add_library(faultline_flags INTERFACE)
target_compile_features(faultline_flags INTERFACE cxx_std_20)
target_compile_options(faultline_flags INTERFACE -Wall -Wextra -g1)
# Warnings stop the build with the compilers that the project is written with. A newer one warns about more, which
# must not keep anybody from building.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
   OR CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 20)
  target_compile_options(faultline_flags INTERFACE -Werror)
endif()
# g++ 12 and 13 see an overlap in " " + std::string(...) once it is inlined at -O2 (its bug 105651); there is none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(faultline_flags INTERFACE -Wno-restrict)
endif()
# clang blames std::stable_sort's caller for what libstdc++ calls inside it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(faultline_flags INTERFACE -Wno-deprecated-declarations)
endif()
target_include_directories(faultline_flags INTERFACE ${PROJECT_SOURCE_DIR})
# Bit patterns are results here: no contraction of a*b+c, no value-changing optimisation.
target_compile_options(faultline_flags INTERFACE -ffp-contract=off)

find_program(FAULTLINE_MOLD mold)
if(FAULTLINE_MOLD)
  target_link_options(faultline_flags INTERFACE -fuse-ld=mold)
endif()

set(FAULTLINE_SANITIZE "" CACHE STRING "comma-separated sanitizers, for example address,undefined")
if(FAULTLINE_SANITIZE)
  target_compile_options(faultline_flags INTERFACE -fsanitize=${FAULTLINE_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(faultline_flags INTERFACE -fsanitize=${FAULTLINE_SANITIZE})
  # With a sanitizer's checks in between, g++ takes set alternatives of a variant for unset. Its manual advises against
  # -Werror beside -fsanitize for this warning by name (section "Program Instrumentation Options").
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(faultline_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# A fuzz build instruments every library for coverage; only a fuzz target links libFuzzer itself (tests/CMakeLists.txt).
option(FAULTLINE_FUZZ "build the libFuzzer targets of tests/fuzz (needs clang)" OFF)
if(FAULTLINE_FUZZ)
  target_compile_options(faultline_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

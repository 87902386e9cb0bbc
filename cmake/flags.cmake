# One interface target carries every flag; CMAKE_CXX_FLAGS is never touched.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(FAULTLINE_CCACHE ccache)
if(FAULTLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FAULTLINE_CCACHE})
endif()

add_library(faultline_flags INTERFACE)
target_compile_features(faultline_flags INTERFACE cxx_std_20)
target_compile_options(faultline_flags INTERFACE -Wall -Wextra -Werror -g1)
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
endif()

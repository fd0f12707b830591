# Settings every target shares, and the three functions the folders use.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(MMAPSCOPE_CCACHE ccache)
if(MMAPSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${MMAPSCOPE_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(liburing REQUIRED IMPORTED_TARGET liburing)

add_library(mmapscope_settings INTERFACE)
target_compile_options(mmapscope_settings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2
    $<$<BOOL:${MMAPSCOPE_WERROR}>:-Werror>)
target_compile_definitions(mmapscope_settings INTERFACE MMAPSCOPE_VERSION="${PROJECT_VERSION}")
if(MMAPSCOPE_SANITIZE)
    target_compile_options(mmapscope_settings INTERFACE -fsanitize=${MMAPSCOPE_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all
                           # GCC warns falsely of its own intrinsics when a sanitizer is on (GCC manual, -fsanitize).
                           -Wno-maybe-uninitialized)
    target_link_options(mmapscope_settings INTERFACE -fsanitize=${MMAPSCOPE_SANITIZE})
endif()

# One folder of the engine: every .cpp in it, a static library mmapscope_<folder>, and what it may look at.
function(mmapscope_engine_room name)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
    add_library(mmapscope_${name} STATIC ${sources})
    target_include_directories(mmapscope_${name} PUBLIC "${PROJECT_SOURCE_DIR}/engine")
    target_link_libraries(mmapscope_${name} PUBLIC ${ARGN} PRIVATE mmapscope_settings)
endfunction()

# Every tst_*.cpp of the calling folder becomes one Qt Test program and one ctest entry.
function(mmapscope_tests)
    file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tst_*.cpp")
    foreach(source IN LISTS tests)
        get_filename_component(test "${source}" NAME_WE)
        add_executable(${test} ${source})
        set_target_properties(${test} PROPERTIES AUTOMOC ON)
        target_include_directories(${test} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
        target_compile_definitions(${test} PRIVATE
            MMAPSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
            MMAPSCOPE_WORKER="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mmapscope-worker"
            MMAPSCOPE_CLI="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mmapscope-cli"
            MMAPSCOPE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
        target_link_libraries(${test} PRIVATE mmapscope_settings Qt6::Test ${ARGN})
        add_test(NAME ${test} COMMAND ${test})
        set_tests_properties(${test} PROPERTIES
            TIMEOUT 600
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
    endforeach()
endfunction()

# The Python package keel, in ${PROJECT_BINARY_DIR}/python, and its tests.
#
# Of several Pythons the first one that has NumPy and the headers of CPython: KEEL_PYTHON_EXECUTABLE,
# that of the system, the first on the PATH (which may be one of pyenv or conda).  Without any the
# package is left out.

set(KEEL_PYTHON_EXECUTABLE "" CACHE FILEPATH "Python for the package keel; empty: found")

function(keel_find_python result)
    set(usable "import numpy, os, sysconfig, sys; \
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h')))")
    find_program(KEEL_PYTHON_ON_PATH python3)
    mark_as_advanced(KEEL_PYTHON_ON_PATH)
    foreach(candidate ${KEEL_PYTHON_EXECUTABLE} /usr/bin/python3 ${KEEL_PYTHON_ON_PATH})
        execute_process(COMMAND ${candidate} -c "${usable}" RESULT_VARIABLE failed
                        OUTPUT_QUIET ERROR_QUIET)
        if(failed EQUAL 0)
            set(${result} ${candidate} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    set(${result} "" PARENT_SCOPE)
endfunction()

keel_find_python(Python3_EXECUTABLE)
if(NOT Python3_EXECUTABLE)
    message(STATUS "No Python with NumPy and headers: the package keel is left out")
    return()
endif()
find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python3_Development.Module_FOUND)
    message(STATUS "${Python3_EXECUTABLE} has no headers: the package keel is left out")
    return()
endif()
message(STATUS "Package keel: ${Python3_EXECUTABLE} (Python ${Python3_VERSION})")

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.c)
set(python_package ${PROJECT_BINARY_DIR}/python/keel)
Python3_add_library(keel_python MODULE WITH_SOABI ${python_sources})
set_target_properties(keel_python PROPERTIES OUTPUT_NAME _core C_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY ${python_package})
target_link_libraries(keel_python PRIVATE keel_static)
if(KEEL_WITH_MODELS)
    target_compile_definitions(keel_python PRIVATE KEEL_WITH_MODELS)
endif()
target_link_options(keel_python PRIVATE LINKER:--exclude-libs,ALL)
add_custom_target(python ALL
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/python/keel ${python_package}
    DEPENDS keel_python COMMENT "Package keel in ${PROJECT_BINARY_DIR}/python")

# A test for each python/tests/test_<subject>.py: python/<subject>.
if(BUILD_TESTING)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import pytest" RESULT_VARIABLE failed
                    OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed EQUAL 0)
        message(STATUS "${Python3_EXECUTABLE} has no pytest: the package keel is not tested")
        return()
    endif()
    set(python_environment PYTHONPATH=${PROJECT_BINARY_DIR}/python OPENBLAS_NUM_THREADS=1
        PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg KEEL_SOURCE_DIR=${PROJECT_SOURCE_DIR}
        KEEL_BINARY_DIR=${PROJECT_BINARY_DIR})
    if(KEEL_SANITIZE)                           # the interpreter itself is not instrumented
        foreach(library asan ubsan)
            execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${library}.so
                            OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
            list(APPEND python_preload ${path})
        endforeach()
        list(JOIN python_preload " " python_preload)
        list(APPEND python_environment "LD_PRELOAD=${python_preload}" PYTHONMALLOC=malloc
             ASAN_OPTIONS=detect_leaks=0 KEEL_SANITIZED=1)
    endif()
    file(GLOB python_tests CONFIGURE_DEPENDS python/tests/test_*.py)
    foreach(source ${python_tests})
        get_filename_component(subject ${source} NAME_WE)
        string(REGEX REPLACE "^test_" "" subject ${subject})
        keel_test(python/${subject} ${CMAKE_COMMAND} -E env ${python_environment}
                  ${Python3_EXECUTABLE} -m pytest -q -p no:cacheprovider ${source})
        if(subject MATCHES "_slow$")
            set_tests_properties(python/${subject} PROPERTIES LABELS slow)
        endif()
    endforeach()
endif()

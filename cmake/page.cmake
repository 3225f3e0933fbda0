# Writes the C source behind src/report/page.h: style, scripts and the chart library of the pages that
# `keel run --plot FILE.html` writes.  The library, uPlot (MIT licence), comes from the npm registry.
#   keel_page(OUTPUT FOUND)      FOUND: whether it could be had
set(KEEL_UPLOT 1.6.32)

function(keel_page output found)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/src/report/page)
    set(library ${PROJECT_BINARY_DIR}/uplot-${KEEL_UPLOT})
    find_program(NPM npm)
    if(NPM AND NOT EXISTS ${library}/package/dist/uPlot.iife.min.js)
        file(MAKE_DIRECTORY ${library})
        execute_process(COMMAND ${NPM} pack --silent uplot@${KEEL_UPLOT} WORKING_DIRECTORY ${library}
                        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
        if(NOT failed)
            file(ARCHIVE_EXTRACT INPUT ${library}/uplot-${KEEL_UPLOT}.tgz DESTINATION ${library})
        endif()
    endif()
    if(NOT EXISTS ${library}/package/dist/uPlot.iife.min.js)
        set(${found} OFF PARENT_SCOPE)
        return()
    endif()
    set(tables "")
    foreach(part chart_style:${library}/package/dist/uPlot.min.css
                 chart_script:${library}/package/dist/uPlot.iife.min.js
                 page_style:${folder}/page.css page_body:${folder}/page.html page_script:${folder}/page.js)
        string(REGEX MATCH "^([a-z_]+):(.*)$" matched ${part})
        set(name ${CMAKE_MATCH_1})
        set(file ${CMAKE_MATCH_2})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND tables "const unsigned char ${name}[] = {${bytes}0};\n"
                             "const unsigned long ${name}_size = sizeof ${name} - 1;\n")
    endforeach()
    file(GENERATE OUTPUT ${output} CONTENT
"/* Made by cmake/page.cmake from src/report/page and uPlot ${KEEL_UPLOT}. */
#include \"report/page_parts.h\"

${tables}")
    set(${found} ON PARENT_SCOPE)
endfunction()

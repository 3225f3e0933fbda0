# Writes the C source behind src/cli/templates.h: the files that `keel new` writes, as lists of lines.
# Each begins with the file of its form and ends in main.c.
#   keel_templates(OUTPUT FORM...)
function(keel_templates output)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/templates)
    set(tables "")
    set(rows "")
    foreach(form IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${form}.c
                     ${folder}/main.c)
        file(READ ${folder}/${form}.c text)
        file(READ ${folder}/main.c tail)
        string(APPEND text "${tail}")
        string(REPLACE "\\" "\\\\" text "${text}")
        string(REPLACE "\"" "\\\"" text "${text}")
        string(REPLACE "\n" "\",\n    \"" text "${text}")
        string(MAKE_C_IDENTIFIER ${form} name)
        string(APPEND tables "static const char *const ${name}[] = {\n    \"${text}\", NULL};\n\n")
        string(APPEND rows "    {\"${form}\", ${name}},\n")
    endforeach()
    file(GENERATE OUTPUT ${output} CONTENT
"/* Made by cmake/templates.cmake from src/cli/templates. */
#include \"cli/templates.h\"

#include <stddef.h>

${tables}const file_template file_templates[] = {
${rows}    {NULL, NULL}};
")
endfunction()

# Writes a source that holds files as text: the page, and the document of the interface.
#
#   cmake -DOUT=assets.cc -DFOLDER=web/dist -DOPENAPI=docs/openapi.json -P embed_files.cmake
#
# Bytes stand as numbers in arrays.
function(bytes_of file result)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(${result} "${hex}" PARENT_SCOPE)
endfunction()

set(text "// Made by cmake/embed_files.cmake.\n#include \"service/assets.h\"\n\n#include <array>\n\n")
string(APPEND text "namespace unscatter::service {\nnamespace {\n\n")
set(table "")
set(count 0)
set(files "")
if(IS_DIRECTORY "${FOLDER}")
  file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*")
  list(SORT files)
endif()
foreach(name IN LISTS files)
  bytes_of("${FOLDER}/${name}" bytes)
  file(SIZE "${FOLDER}/${name}" size)
  string(APPEND text "constexpr unsigned char kFile${count}[] = {${bytes}0};\n")
  string(APPEND table "      Asset{\"${name}\", {reinterpret_cast<const char*>(kFile${count}), ${size}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
bytes_of("${OPENAPI}" bytes)
file(SIZE "${OPENAPI}" size)
string(APPEND text "constexpr unsigned char kOpenapi[] = {${bytes}0};\n\n}  // namespace\n\n")
string(APPEND text "std::span<const Asset> embedded_assets() {\n"
                   "  static const std::array<Asset, ${count}> all = {\n${table}  };\n"
                   "  return all;\n}\n\nstd::string_view embedded_openapi() {\n"
                   "  return {reinterpret_cast<const char*>(kOpenapi), ${size}};\n}\n\n"
                   "}  // namespace unscatter::service\n")
file(WRITE "${OUT}.new" "${text}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${OUT}.new" "${OUT}")

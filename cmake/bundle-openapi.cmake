# Makes OUTPUT, C++ source with the text of FILE.
file(READ ${FILE} text)
string(LENGTH "${text}" length)
set(pieces "")
set(at 0)
while(at LESS length)  # compilers limit the length of a literal
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND pieces "\n         R\"_text_(${piece})_text_\"")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUTPUT} "#include \"tactus/serve/assets.hpp\"\n\nnamespace tactus::serve {\n\n"
     "std::string_view openapi() {\n  return ${pieces};\n}\n\n}  // namespace tactus::serve\n")

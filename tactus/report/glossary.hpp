#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/report/text/terminal.hpp"

/// Our words, as docs/use/glossary.md explains them: the page is part of the program.
namespace tactus::report {

struct Meaning {
  std::vector<std::string> words;  ///< that mean this, or belong to it
  std::string text;
};

/// In the order of the page.
const std::vector<Meaning>& glossary();

/// What explains a word; null where nothing does.
const Meaning* meaning_of(std::string_view word);

/// All of them, or one.
std::string glossary_text(const std::vector<Meaning>& shown, const Style& style);
std::string glossary_json(const std::vector<Meaning>& shown);

/// The text of the page; the build makes it.
std::string_view glossary_page();

}  // namespace tactus::report

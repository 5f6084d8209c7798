#pragma once

#include <span>
#include <string>

#include "tactus/decide/edit.hpp"
#include "tactus/model/reader.hpp"

/// What `tactus check` says about files.
namespace tactus::report {

struct CheckedFile {
  std::string name;  ///< as it is shown
  ReadResult result;
  decide::Edited edited = {};  ///< what the command line changed in it; the system is in `result`
};

/// One line about a file that is valid.
std::string valid_file_text(const CheckedFile& file);

/// Whether each file is valid, with all messages about it.
std::string check_json(std::span<const CheckedFile> files);

}  // namespace tactus::report

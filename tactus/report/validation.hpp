#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/report/text/terminal.hpp"
#include "tactus/simulate/hunt.hpp"

/// What a search for violations found.
namespace tactus::report {

/// What was found for one method.
struct Hunted {
  const Method* method = nullptr;
  simulate::Bag bag;
};

struct Validation {
  std::vector<Hunted> hunted;
  Options options;         ///< of the methods
  std::uint32_t jobs = 0;  ///< of the slowest task in a run
  std::string duration;    ///< or how long a run is; empty: by jobs
  std::string folder;      ///< where the systems of the violations are written; empty: nowhere
  bool late_completions = false;         ///< the arbiter saw them late
  std::vector<std::string> places = {};  ///< of the given systems; empty: they were drawn
};

/// The files of the k-th violation of a method: its system, and the script of its run. @pre there
/// is a folder.
std::string catch_file(const Validation& validation, const Hunted& hunted, std::size_t k);
std::string script_file(const Validation& validation, const Hunted& hunted, std::size_t k);

/// A table, and for every violation what was seen and, if it is in a file, how to see it again.
std::string validation_text(const Validation& validation, const Style& style);
std::string validation_json(const Validation& validation);

}  // namespace tactus::report

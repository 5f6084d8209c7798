#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/report/terminal.hpp"
#include "tactus/simulate/hunt.hpp"

/// What a hunt for violations brought home.
namespace tactus::report {

/// What was found of one method.
struct Hunted {
  const Method* method = nullptr;
  simulate::Bag bag;
};

struct Validation {
  std::vector<Hunted> hunted;
  Options options;         ///< of the methods
  std::uint32_t jobs = 0;  ///< of the slowest task in a run
  std::string duration;    ///< or how long a run is; empty: by jobs
  std::string folder;      ///< where the systems of the catches are written; empty: nowhere
};

/// The file of the k-th catch of a method. @pre there is a folder.
std::string catch_file(const Validation& validation, const Hunted& hunted, std::size_t k);

/// A table, and of every catch what was seen and, where it is in a file, how to see it again.
std::string validation_text(const Validation& validation, const Style& style);
std::string validation_json(const Validation& validation);

}  // namespace tactus::report

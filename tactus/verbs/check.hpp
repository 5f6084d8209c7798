#pragma once

#include <string>
#include <vector>

#include "tactus/report/check.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// Are these systems in order?
struct CheckQuestion {
  std::vector<Document> systems;
  WhatIf what_if;
};
void describe(CheckQuestion& question, Fields& is);

struct Checked {
  std::vector<report::CheckedFile> files;

  Exit exit() const;
  std::string json() const { return report::check_json(files); }
};

/// What is wrong with the systems is the answer, and told; what is wrong with the question has none.
Answer<Checked> answer(const CheckQuestion& question, const Companion& companion);

/// What no method could take is wrong with a system, too.
void hold_to_methods(ReadResult& read);

/// The canonical text of a system.
struct CanonicalQuestion {
  About about;
};
void describe(CanonicalQuestion& question, Fields& is);

struct Canonical {
  std::string text;

  static Exit exit() { return kYes; }
  const std::string& json() const { return text; }
};
Answer<Canonical> answer(const CanonicalQuestion& question, const Companion& companion);

}  // namespace tactus::verbs

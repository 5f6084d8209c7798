#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/decide/edit.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/verbs/methods.hpp"

/// What most questions share: the system that they are about, and which methods answer.
namespace tactus::verbs {

/// The text of a system, or of several: JSON or YAML, as its name or its look says; the only way from
/// a text to a system.
ReadResult read(const Document& document);

/// What a reader has found, as problems of this document.
std::vector<Error> problems_of(const std::vector<Diagnostic>& diagnostics, const std::string& name);

/// Why a document has no text.
NoAnswer unreadable(const Document& document);

/// The system of a document; warnings are told.
Answer<System> system_in(const Document& document, const Companion& companion);

/// Nothing that is asked is ignored silently: tells of those of the fields that were given and do
/// nothing under the circumstances. `why`: "the emulator has no such thing".
void tell_without_effect(const Companion& companion, const Fields& fields,
                         std::initializer_list<std::string_view> keys, std::string_view why);
/// The same of all fields but these.
void tell_without_effect_but(const Companion& companion, const Fields& fields,
                             std::initializer_list<std::string_view> keys, std::string_view why);

/// What is changed in a system before it is looked at.
struct WhatIf {
  Assignments set;
  std::vector<Document> add;
  std::string costs;  ///< a profile, for what the file does not give

  Answer<decide::Edited> applied(System system, const std::string& name,
                                 const Companion& companion) const;
};
void describe(WhatIf& what_if, Fields& is);

/// A system, and what is changed in it.
struct About {
  Document system;
  WhatIf what_if;

  const std::string& name() const { return system.name; }
  Answer<decide::Edited> edited(const Companion& companion) const;
  /// The file and the changes as words for another command; empty where there is no file to name.
  std::string words() const;
};
void describe(About& about, Fields& is);

/// Which methods are asked, and how.
struct MethodChoice {
  std::optional<std::string> method;   ///< a list
  std::optional<std::string> variant;  ///< else safe
  int threads = 1;
  NamedValues options;       ///< of the methods
  bool takes_alias = false;  ///< "gcaps" stands for its first method

  bool named() const { return method.has_value(); }
  bool all() const { return method.value_or("all") == "all"; }
  /// Was one method named by its short name?
  bool by_alias() const { return takes_alias && method == kPolicyAlias; }
  Answer<Methods> methods(std::string_view otherwise = "all") const;
  Options with(const Companion& companion) const;
  /// Tells what was said beside the choice of methods, where a plan says it all.
  void tell_idle(const Companion& companion, const Fields& fields, std::string_view why,
                 bool variant_counts = false) const;
};
/// @param several methods may be named
void describe(MethodChoice& choice, Fields& is, bool several);

/// Calls `take(place, system)` with each system of a document, which may be JSON lines; `place` names
/// it in messages ("own.jsonl:7"). What is wrong with any of them is told together.
Answer<bool> for_each_system(
    const Document& document, const Companion& companion,
    const std::function<Answer<bool>(std::string place, System system)>& take);

/// Is it JSON lines, a system on each?
bool holds_several(const Document& document);

}  // namespace tactus::verbs

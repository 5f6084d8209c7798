#pragma once

#include <string>

#include "tactus/base/question.hpp"
#include "tactus/methods/plan_file.hpp"
#include "tactus/verbs/methods.hpp"

/// What several verbs work on: a method with its verdict on a system, and the plan in it.
namespace tactus::verbs {

struct Subject {
  const Method* method = nullptr;
  Verdict verdict;
};

/// A plan that the one chosen method makes now.
/// @param file what the system is called in messages
Answer<Subject> plan_made_now(const Methods& methods, const System& system, const std::string& file,
                              const Options& options);

/// The plan in a document, checked, with the bounds that go with it.
Answer<Subject> plan_in(const Document& plan, const System& system);

/// The same for a plan that may not hold: the answer says what fails.
Answer<PlanFile> plan_file(const Document& plan, const System& system);

/// Everything that keeps a method from covering a system, each with its place.
NoAnswer obstacles_of(const Verdict& verdict, const std::string& file);

}  // namespace tactus::verbs

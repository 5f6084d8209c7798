#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tactus/generate/recipe.hpp"
#include "tactus/methods/method.hpp"

/// Random systems of all families, and what it means that two verdicts say the same.
namespace tactus::tests {

/// Small systems of each family's own recipe; several families can take most of them.
inline std::vector<System> systems_of_all_families(std::uint64_t per_recipe) {
  std::vector<System> all;
  for (const char* name : {"gcaps-small", "dag-small", "gang-small", "pbs-small", "rtgpu-small"}) {
    const Recipe* recipe = find_recipe(name);
    if (recipe == nullptr) {
      ADD_FAILURE() << "there is no recipe " << name;
      continue;
    }
    for (std::uint64_t index = 0; index < per_recipe; ++index) {
      Result<System> system = generate(*recipe, Settings(recipe->parameters, {}), 7, index);
      if (!system) {
        ADD_FAILURE() << name << ": " << system.error().message;
        break;
      }
      all.push_back(std::move(*system));
    }
  }
  return all;
}

inline Options in_variant(std::string_view variant) {
  Options options;
  options.variant = variant;
  return options;
}

inline std::string name_of(const Method& method, const Options& options, const System& system) {
  return std::string(method.id) + " " + options.variant + " " + system.name;
}

/// The bounds, and all else that is true of them whoever reads it.
inline void expect_same_bounds(const Verdict& a, const Verdict& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.variant, b.variant);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.hold_only_together, b.hold_only_together);
  EXPECT_EQ(a.obstacles.size(), b.obstacles.size());
  ASSERT_EQ(a.tasks.size(), b.tasks.size());
  for (std::size_t i = 0; i < a.tasks.size(); ++i) {
    const TaskVerdict &one = a.tasks[i], &other = b.tasks[i];
    EXPECT_EQ(one.task, other.task);
    EXPECT_EQ(one.bound, other.bound);
    EXPECT_EQ(one.deadline, other.deadline);
    EXPECT_EQ(one.schedulable, other.schedulable);
    // What becomes of the tasks below one that fails is looked for only where terms are read.
    if (one.terms.empty() == other.terms.empty()) {
      EXPECT_EQ(one.conditional_bound, other.conditional_bound);
      EXPECT_EQ(one.note, other.note);
    }
    EXPECT_EQ(one.widths, other.widths);
  }
}

inline void expect_same_terms(const Verdict& a, const Verdict& b) {
  for (std::size_t i = 0; i < a.tasks.size(); ++i) {
    ASSERT_EQ(a.tasks[i].terms.size(), b.tasks[i].terms.size());
    for (std::size_t k = 0; k < a.tasks[i].terms.size(); ++k) {
      const Term &one = a.tasks[i].terms[k], &other = b.tasks[i].terms[k];
      EXPECT_EQ(one.label, other.label);
      EXPECT_EQ(one.by, other.by);
      EXPECT_EQ(one.amount, other.amount);
      EXPECT_EQ(one.jobs, other.jobs);
      EXPECT_EQ(one.each, other.each);
      EXPECT_EQ(one.on, other.on);
    }
    EXPECT_EQ(a.tasks[i].details.size(), b.tasks[i].details.size());
  }
}

}  // namespace tactus::tests

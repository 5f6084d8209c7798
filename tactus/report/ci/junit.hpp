#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tactus/report/checks.hpp"

namespace tactus::report {

/// The verdicts that count as JUnit XML: one suite per method, one test case per task, with what
/// `checks` found as failures.
std::string junit(const System& system, std::span<const Verdict* const> counting,
                  const Checks& checks, std::string_view file);

/// Of a file that cannot be analysed: one test case that failed.
std::string junit(std::span<const Finding> findings, std::string_view file);

}  // namespace tactus::report

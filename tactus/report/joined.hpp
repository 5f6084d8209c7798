#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/report/analysis.hpp"
#include "tactus/report/json/document_kind.hpp"

namespace tactus::report {

/// What is known about one system, as JSON texts; empty where there is none.
struct SystemDocuments {
  std::string file, system, analysis, explanations, slack, sweep;
};

/// Several documents as one, which a page shows (docs/use/report.md).
class Joined {
 public:
  void add(const SystemDocuments& system);
  /// @param json a whole document
  /// @param problem why it does not hold, where that was checked
  void add(const Joinable& kind, std::string_view file, std::string_view json,
           std::string_view problem = {});
  /// @param version of this program
  std::string json(std::string_view version) const;

 private:
  std::map<std::string_view, std::vector<std::string>> lists_;
};

/// The same value as JSON again: without the comments that our files may have.
std::string copy_of(const json::Value& value);

/// How each term of each bound was counted.
std::string explanations_json(const Analysis& analysis);

}  // namespace tactus::report

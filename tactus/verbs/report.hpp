#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/experiment/results/results.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::verbs {

/// One file to show: a document of any kind (a system may be YAML), or a store of experiments that has been read.
struct ReportInput {
  std::string name;  ///< in messages, and in the page
  std::string text;
  std::vector<experiment::Results> results = {};
  bool is_store = false;
};

struct ReportRequest {
  std::vector<ReportInput> inputs;
  bool slack = true;  ///< also search how far the values of systems may go
  int threads = 1;
  std::string version;  ///< of this program
  std::stop_token stop;
  std::function<void(std::string_view)> progress;
};

struct Reported {
  std::string document;  ///< joined
  std::string title;     ///< of a page that shows it

  static Exit exit() { return kYes; }
  const std::string& json() const { return document; }
};

/// Recognises each input, analyses the systems, and joins everything.
Answer<Reported> report(const ReportRequest& request);

}  // namespace tactus::verbs

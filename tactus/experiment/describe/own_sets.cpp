#include "tactus/experiment/describe/own_sets.hpp"

#include <fmt/core.h>
#include <glob.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <variant>

#include "tactus/base/file.hpp"
#include "tactus/exchange/bytes.hpp"
#include "tactus/exchange/sha256.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/model/systems_file.hpp"

namespace tactus::experiment {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostComplaints = 20, kMostSystems = 1'000'000, kMostOwnPoints = 10'000;

/// A step of a path: a key, or a place in an array.
using Step = std::variant<std::string_view, std::size_t>;

/// Nothing if it is no path.
std::optional<std::vector<Step>> steps_of(std::string_view path) {
  std::vector<Step> steps;
  if (path.starts_with("$.")) path.remove_prefix(2);
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find_first_of(".["));
    if (key.empty()) return std::nullopt;
    steps.emplace_back(key);
    path.remove_prefix(key.size());
    while (path.starts_with('[')) {
      std::size_t place = 0;
      const char* end = path.data() + path.size();
      const auto [rest, problem] = std::from_chars(path.data() + 1, end, place);
      if (problem != std::errc() || rest == end || *rest != ']') return std::nullopt;
      steps.emplace_back(place);
      path.remove_prefix(static_cast<std::size_t>(rest - path.data()) + 1);
    }
    if (path.empty()) return steps;
    if (!path.starts_with('.') || path.size() == 1) return std::nullopt;
    path.remove_prefix(1);
  }
  return std::nullopt;
}

const json::Value* follow(const json::Value& root, const std::vector<Step>& steps) {
  const json::Value* at = &root;
  for (const Step& step : steps) {
    if (const auto* key = std::get_if<std::string_view>(&step)) {
      at = at->is(json::Kind::kObject) ? at->find(*key) : nullptr;
    } else {
      const std::size_t place = std::get<std::size_t>(step);
      at = at->is(json::Kind::kArray) && place < at->items().size() ? &at->items()[place] : nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

/// Numbers that are the same number are the same point, however they are written.
std::string as_point(std::string_view text) {
  const auto number = to_double(text);
  return number ? fmt::format("{}", *number) : std::string(text);
}

/// One system and what the file says about its point and its case.
struct Labelled {
  OwnSet set;
  std::string x, in;
};

class Collection {
 public:
  Collection(const Experiment& experiment, const std::string& folder)
      : experiment_(experiment), folder_(folder.empty() ? "." : folder) {}

  FoundSets find() {
    const std::vector<std::string> files = expand();
    for (const std::string& file : files) {
      if (found_.complaints.size() >= kMostComplaints) break;
      add_file(file);
    }
    if (found_.wrong_patterns.empty() && found_.complaints.empty()) arrange();
    return std::move(found_);
  }

 private:
  /// The files behind the patterns, in the order of their names, each once.
  std::vector<std::string> expand() {
    std::set<std::string> files;
    for (const std::string& pattern : experiment_.files) {
      glob_t matches{};
      const int failed = ::glob((folder_ / pattern).c_str(), 0, nullptr, &matches);
      for (std::size_t i = 0; failed == 0 && i < matches.gl_pathc; ++i) {
        files.insert(fs::path(matches.gl_pathv[i]).lexically_relative(folder_).string());
      }
      ::globfree(&matches);
      if (failed == 0) continue;
      found_.wrong_patterns.push_back(fmt::format("no file matches {} (in {})", quote(pattern),
                                                  fs::absolute(folder_).string()));
    }
    return {files.begin(), files.end()};
  }

  std::string shown(const std::string& file) const {
    return folder_ == "." ? file : (folder_ / file).string();
  }

  void complain(Error problem) {
    if (found_.complaints.size() < kMostComplaints) found_.complaints.push_back(std::move(problem));
  }

  void add_file(const std::string& file) {
    auto bytes = exchange::bytes_of_file((folder_ / file).string(), kMaxFileBytes);
    Result<std::string> text = bytes ? exchange::all_of(**bytes, kMaxFileBytes) : bytes.error();
    if (!text) return complain({text.error().message, shown(file), {1, 1}});
    const bool lines = notation_of(file) != Notation::kYaml && is_json_lines(*text);
    if (!lines) return add_system(file, 0, *text);
    std::uint32_t number = 0;
    for (std::string_view rest = *text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      add_system(file, number, line);
      if (found_.complaints.size() >= kMostComplaints) return;
    }
  }

  /// @param line where it stands in a file with several systems; else 0
  void add_system(const std::string& file, std::uint32_t line, std::string_view text) {
    if (labelled_.size() >= kMostSystems) {
      return complain({fmt::format("there are more than {} systems", kMostSystems), shown(file)});
    }
    ReadResult read = read_system(std::string(text), notation_of(file));
    for (Diagnostic& problem : read.diagnostics) {
      if (problem.severity != Severity::kError) continue;
      if (line > 0) problem.at = {line, std::max(problem.at.column, 1U)};
      problem.file = shown(file);
      complain(std::move(problem));
    }
    if (!read.system) return;
    Labelled one;
    one.set.place = line > 0 ? fmt::format("{}:{}", file, line) : file;
    one.set.hash = exchange::sha256(text);
    one.set.system = std::move(*read.system);
    const bool good = label(experiment_.sweep.by, file, line, text, one.x) &&
                      label(experiment_.cases_by, file, line, text, one.in);
    if (good) labelled_.push_back(std::move(one));
  }

  /// What `by` says about a system; false after a complaint.
  bool label(const std::string& by, const std::string& file, std::uint32_t line,
             std::string_view text, std::string& out) {
    if (by.empty()) return true;
    if (by == kByFolder) {
      const std::string name = fs::absolute(folder_ / file).parent_path().filename().string();
      out = as_point(name);
      return true;
    }
    // It has been read without a complaint.
    const auto parsed = parse_text(std::string(text), notation_of(file));
    const json::Document& document = *parsed;
    const json::Value* value = follow(document.root(), *steps_of(by));
    const auto wrong = [&](std::uint32_t offset, const std::string& message) {
      Position at = document.position(offset);
      if (line > 0) at.line = line;
      complain({message, shown(file), at});
      return false;
    };
    if (value == nullptr) {
      return wrong(0, fmt::format("there is no {} in it (places are written as in "
                                  "`platform.elements[0].units`)",
                                  quote(by)));
    }
    if (value->is(json::Kind::kBool)) {
      out = value->boolean() ? "true" : "false";
    } else if ((value->is(json::Kind::kNumber) || value->is(json::Kind::kString)) &&
               !value->text().empty()) {
      out = as_point(value->text());
    } else {
      return wrong(value->offset(),
                   fmt::format("{} is no number and no word; a point needs one", quote(by)));
    }
    return true;
  }

  static std::vector<std::string> in_order(const std::set<std::string>& names) {
    std::vector<std::string> sorted(names.begin(), names.end());
    const bool numbers = std::all_of(sorted.begin(), sorted.end(),
                                     [](const std::string& name) { return to_double(name); });
    if (numbers) {
      std::sort(sorted.begin(), sorted.end(), [](const std::string& a, const std::string& b) {
        return *to_double(a) < *to_double(b);
      });
    }
    return sorted;
  }

  void arrange() {
    auto sets = std::make_shared<OwnSets>();
    std::set<std::string> xs, cases;
    for (const Labelled& one : labelled_) xs.insert(one.x), cases.insert(one.in);
    sets->cases = in_order(cases);
    sets->xs = in_order(xs);
    if (sets->xs.size() * sets->cases.size() > kMostOwnPoints) {
      complain({fmt::format("the files make {} points; an experiment has at most {}",
                            sets->xs.size() * sets->cases.size(), kMostOwnPoints),
                shown(experiment_.files.front())});
      return;
    }
    std::map<std::string_view, std::size_t> x_places, case_places;
    for (std::size_t i = 0; i < sets->xs.size(); ++i) x_places[sets->xs[i]] = i;
    for (std::size_t i = 0; i < sets->cases.size(); ++i) case_places[sets->cases[i]] = i;
    sets->groups.resize(sets->xs.size() * sets->cases.size());
    for (Labelled& one : labelled_) {
      const std::size_t group = case_places[one.in] * sets->xs.size() + x_places[one.x];
      sets->groups[group].push_back(std::move(one.set));
    }
    if (experiment_.sweep.by.empty()) sets->xs = {"all"};
    sets->folder = fs::absolute(folder_).lexically_normal().string();
    found_.sets = std::move(sets);
  }

  const Experiment& experiment_;
  const fs::path folder_;
  std::vector<Labelled> labelled_;
  FoundSets found_;
};

using Hashes = std::map<std::string_view, std::string_view>;

Hashes hashes_of(const OwnSets& sets) {
  Hashes hashes;
  for (const auto& group : sets.groups) {
    for (const OwnSet& set : group) hashes[set.place] = set.hash;
  }
  return hashes;
}

}  // namespace

std::optional<std::string> wrong_path(std::string_view path) {
  if (path == kByFolder || steps_of(path)) return std::nullopt;
  return fmt::format(
      "{} is neither `folder` nor the path of a value, such as `platform.elements[0].units`",
      quote(path));
}

FoundSets find_sets(const Experiment& experiment, const std::string& folder) {
  return Collection(experiment, folder).find();
}

std::optional<std::string> difference(const OwnSets& before, const OwnSets& now) {
  const Hashes old_ones = hashes_of(before), new_ones = hashes_of(now);
  std::string first;
  std::size_t count = 0;
  const auto differs = [&](std::string_view place, std::string_view how) {
    if (count++ == 0) first = fmt::format("{} {}", place, how);
  };
  for (const auto& [place, hash] : old_ones) {
    const auto found = new_ones.find(place);
    if (found == new_ones.end()) {
      differs(place, "is gone");
    } else if (found->second != hash) {
      differs(place, "was changed");
    }
  }
  for (const auto& [place, hash] : new_ones) {
    if (!old_ones.contains(place)) differs(place, "is new");
  }
  if (count == 0) return std::nullopt;
  if (count > 1) first += fmt::format(" (and {} more differ)", count - 1);
  return first;
}

}  // namespace tactus::experiment

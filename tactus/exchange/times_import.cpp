#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tactus/exchange/csv.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/model/reserve.hpp"

/// Times of kernels from CSV: `nsys stats --report cuda_gpu_kern_sum` or `cuda_gpu_trace`, and ncu with
/// its metric Duration. They say nothing of order and jobs.
namespace tactus::exchange {
namespace {

struct KernelTimes {
  std::int64_t longest = 0, shortest = INT64_MAX, runs = 0;
};
struct Times {
  std::map<std::string, KernelTimes> kernels;  // by short name
  std::vector<std::string> order;
  std::optional<Diagnostic> problem;
};

/// The unit in "Max (ns)", or of ncu's own column; a power of ten of nanoseconds.
std::optional<int> places_of(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (has("nsecond") || has("(ns)") || text == "ns") return 0;
  if (has("usecond") || has("(us)") || text == "us") return 3;
  if (has("msecond") || has("(ms)") || text == "ms") return 6;
  if (has("second") || has("(s)") || text == "s") return 9;
  return std::nullopt;
}

class TimesReader {
 public:
  explicit TimesReader(std::string_view text) : csv_(read_csv(text)) {}

  Times read() {
    if (csv_.problem) return fail(*csv_.problem);
    for (row_ = 0; row_ < csv_.rows.size(); ++row_) {
      const CsvRow& titles = csv_.rows[row_];
      const auto name = column_of(titles, {"name", "kernel name"});
      if (!name) continue;  // nsys writes what it does above the table
      if (const auto metric = column_of(titles, {"metric name"}))
        return ncu(titles, *name, *metric);
      return nsys(titles, *name);
    }
    return fail({"there is no column `Name` or `Kernel Name` in it", {}, {1, 1}});
  }

 private:
  Times fail(Diagnostic problem) {
    times_.problem = std::move(problem);
    return std::move(times_);
  }
  void add(const std::string& name, std::int64_t longest, std::int64_t shortest,
           std::int64_t runs) {
    const std::string key = short_name(name);
    const auto [entry, fresh] = times_.kernels.try_emplace(key);
    if (fresh) times_.order.push_back(key);
    KernelTimes& kernel = entry->second;
    kernel.longest = std::max(kernel.longest, longest);
    kernel.shortest = std::min(kernel.shortest, shortest);
    kernel.runs += runs;
  }
  std::optional<std::int64_t> time(const CsvField& field, int places) {
    std::string text = field.text;
    std::erase(text, ',');  // 1,234 of ncu
    const auto value = scaled(text, places, Rounding::kUp);
    if (value && *value >= 0) return value;
    times_.problem = {
        fmt::format("this must be a time >= 0, got {}", quote(field.text)), {}, field.at};
    return std::nullopt;
  }

  Times nsys(const CsvRow& titles, std::size_t name) {
    std::optional<std::size_t> longest, shortest;
    for (std::size_t i = 0; i < titles.size(); ++i) {
      const std::string title = plain_title(titles[i].text);
      if (title.starts_with("max (") || title.starts_with("duration (")) longest = i;
      if (title.starts_with("min (")) shortest = i;
    }
    const auto runs = column_of(titles, {"instances", "count"});
    const auto places = longest ? places_of(titles[*longest].text) : std::nullopt;
    if (!places) {
      return fail({"there is no column `Max` or `Duration` with a unit, such as `Max (ns)`",
                   {},
                   titles.front().at});
    }
    for (std::size_t i = row_ + 1; i < csv_.rows.size(); ++i) {
      const CsvRow& row = csv_.rows[i];
      if (row.size() <= std::max(name, *longest)) continue;
      const auto most = time(row[*longest], *places);
      if (!most) return std::move(times_);
      const auto least = shortest && *shortest < row.size() ? time(row[*shortest], *places) : most;
      if (!least) return std::move(times_);
      const std::int64_t count =
          runs && *runs < row.size() ? whole(row[*runs].text).value_or(1) : 1;
      add(row[name].text, *most, *least, count);
    }
    return std::move(times_);
  }

  Times ncu(const CsvRow& titles, std::size_t name, std::size_t metric) {
    const auto value = column_of(titles, {"metric value"}),
               unit = column_of(titles, {"metric unit"});
    if (!value || !unit) {
      return fail({"there is no `Metric Value` with a `Metric Unit` in it", {}, titles.front().at});
    }
    for (std::size_t i = row_ + 1; i < csv_.rows.size(); ++i) {
      const CsvRow& row = csv_.rows[i];
      if (row.size() <= std::max({name, metric, *value, *unit})) continue;
      if (row[metric].text != "Duration" && row[metric].text != "gpu__time_duration.sum") continue;
      const auto places = places_of(row[*unit].text);
      if (!places) {
        return fail(
            {fmt::format("{} is no unit of time", quote(row[*unit].text)), {}, row[*unit].at});
      }
      const auto lasts = time(row[*value], *places);
      if (!lasts) return std::move(times_);
      add(row[name].text, *lasts, *lasts, 1);
    }
    return std::move(times_);
  }

  Csv csv_;
  std::size_t row_ = 0;
  Times times_;
};

/// The longest time plus the margin, and where it comes from.
void put(const KernelTimes& kernel, const ImportOptions& options, Node& node) {
  const Reserve reserve{options.margin};
  const Time longest = Time::from_ns(kernel.longest);
  node.wcet = reserve.above(longest);
  node.measured = reserve.measured(longest, kernel.runs);
}

}  // namespace

Draft import_times(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes());
  if (!text) return Draft::bad(text.error().message);
  const Times times = TimesReader(*text).read();
  if (times.problem) return {{}, {}, {*times.problem}, {}};
  if (times.order.empty()) return Draft::bad("there are no times of kernels in it");
  Draft draft;
  draft.system.name = clean_name(options.name);
  draft.system.time_unit = options.time_unit;
  Element gpu;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = options.sms.value_or(1);
  draft.system.platform.elements.push_back(gpu);
  Task task;
  task.name = clean_name(options.task.empty() ? "kernels" : options.task);
  if (const auto period = options.periods.find(""); period != options.periods.end()) {
    task.period = period->second;
  }
  for (const std::string& name : times.order) {
    Node node;
    node.name = name;
    put(times.kernels.at(name), options, node);
    task.nodes.push_back(std::move(node));
  }
  draft.system.tasks.push_back(std::move(task));
  draft.notes.emplace_back(
      "the file has times only, not which kernels follow which, nor how often in "
      "a job: each kernel is one node of a chain, in the order of the file");
  if (!options.sms) {
    draft.notes.emplace_back(
        "the file does not say how many SMs gpu has: 1 assumed; --sms changes it");
  }
  return draft;
}

void add_times(std::string_view csv, const ImportOptions& options, Draft& draft) {
  const Times times = TimesReader(csv).read();
  if (times.problem) {
    draft.problems.push_back(*times.problem);
    return;
  }
  std::size_t filled = 0, missing = 0;
  for (Task& task : draft.system.tasks) {
    for (Node& node : task.nodes) {
      if (node.wcet || node.load) continue;
      auto found = times.kernels.find(node.name);
      // "conv.2" is the second node of that name.
      if (found == times.kernels.end()) {
        found = times.kernels.find(node.name.substr(0, node.name.rfind('.')));
      }
      if (found == times.kernels.end()) {
        ++missing;
        continue;
      }
      put(found->second, options, node);
      ++filled;
    }
  }
  draft.notes.push_back(fmt::format(
      "--times: {} nodes got the longest time of kernels of their name plus {} %, {} got none",
      filled, options.margin, missing));
}

}  // namespace tactus::exchange

// What comes from other tools, and goes to them.
#include "tactus/api/request.hpp"
#include "tactus/api/subject.hpp"
#include "tactus/exchange/export.hpp"
#include "tactus/report/export.hpp"
#include "tactus/report/import.hpp"
#include "tactus/verbs/import.hpp"

using namespace tactus;
using namespace tactus::api;
using tactus::verbs::NoAnswer;

tactus_answer* tactus_import(const char* source, const char* request) {
  return guarded([&] {
    constexpr std::int64_t kMostWhole = 999'999'999;
    Request asked(request);
    const std::string file = asked.text("file"), from = asked.text("from");
    verbs::ImportWords words;
    words.jobs = asked.text("jobs");
    words.tasks = asked.text("tasks", words.tasks);
    words.fold = asked.text("fold", words.fold);
    words.demand = asked.text("demand", words.demand);
    words.time_unit = asked.text("time-unit", words.time_unit);
    words.gap = asked.decimal("gap");
    words.periods = asked.texts("period");
    words.deadlines = asked.texts("deadline");
    words.name = asked.text("name", verbs::system_name_of(file));
    words.task = asked.text("task");
    words.margin = asked.whole("margin", 0, 10'000, words.margin);
    words.skip = asked.whole("skip", 0, kMostWhole, 0);
    words.cores = asked.whole("cores", 1, kMostWhole, 0);
    words.sms = asked.whole("sms", 1, kMostWhole, 0);
    words.bcet = asked.flag("bcet");
    words.after = asked.flag("after");
    words.lag = asked.decimal("lag");
    words.gpu_only = asked.flag("gpu-only");
    const std::string edges = asked.text("edges"), times = asked.text("times");
    if (auto bad = asked.finish()) return answer_without(*bad);
    if ((source == nullptr) == file.empty()) {
      return answer_without(NoAnswer::bad_input(
          "an import needs a source: its text, or the name of its file (`file`)"));
    }
    auto options = verbs::import_options(words);
    if (!options) return answer_without(options.none());
    options->edges = edges;
    options->times = times;
    const std::string name = source == nullptr ? file : "<source>";
    const auto imported =
        verbs::imported(source == nullptr ? exchange::import_file(file, from, *options)
                                          : exchange::import_text(source, from, *options),
                        name);
    if (!imported) return answer_without(imported.none());
    return answer_with(TACTUS_YES, report::import_json(*imported, name, true));
  });
}

tactus_answer* tactus_export(const char* system, const char* request) {
  return guarded([&] {
    Request asked(request);
    Asked subject(system, asked);
    const std::string format = asked.text("to");
    const auto edited = subject.edited(asked);
    if (!edited) return answer_without(edited.none(), subject.sources());
    if (format.empty()) return answer_without(NoAnswer::bad_input("an export needs `to`"));
    const auto exported = exchange::export_system(edited->system, format);
    if (!exported) return answer_without(NoAnswer::bad_input(exported.error().message));
    return answer_with(TACTUS_YES, report::export_json(*exported, format), subject.warnings(),
                       subject.sources());
  });
}

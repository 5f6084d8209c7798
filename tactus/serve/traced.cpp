#include "tactus/serve/traced.hpp"

#include <fmt/core.h>

#include <memory>

#include "tactus/api/simulation.hpp"
#include "tactus/base/file.hpp"
#include "tactus/report/charts/workshop.hpp"
#include "tactus/report/trace_columns.hpp"
#include "tactus/serve/questions.hpp"
#include "tactus/serve/reply.hpp"
#include "tactus/trace/perfetto.hpp"

namespace tactus::serve {
namespace {

/// What the page draws smoothly; it also bounds the memory of a request.
constexpr std::size_t kMostSlices = 200'000;

/// Writes a trace, and ends the run when it is long enough.
class LimitedTrace final : public trace::TraceSink {
 public:
  LimitedTrace(const System& system, const std::string& path, tactus_call* call)
      : writer_(system, path), call_(call) {}

  void add(const trace::Interval& interval) override {
    if (count()) writer_.add(interval);
  }
  void add(const trace::JobSpan& job) override {
    if (count()) writer_.add(job);
  }
  void add(const trace::Usage& usage) override { writer_.add(usage); }
  std::optional<Error> close() { return writer_.close(); }

 private:
  bool count() {
    if (++slices_ == kMostSlices) tactus_call_cancel(call_);
    return slices_ <= kMostSlices;
  }

  trace::PerfettoWriter writer_;
  tactus_call* call_;
  std::size_t slices_ = 0;
};

/// The trace that was written, as a further member; empty where there is none.
std::string member_of(const report::Workshop& workshop) {
  auto text = read_text_file(workshop.file("trace.json"));
  if (!text) return {};
  const auto parsed = json::Document::parse(std::move(*text));
  if (!parsed) return {};
  return fmt::format(R"(,"trace":{})", report::trace_columns_json(parsed->root()));
}

}  // namespace

std::string ask_simulate_traced(const std::string& body, tactus_call* call) {
  std::optional<report::Workshop> workshop;
  std::unique_ptr<LimitedTrace> written;
  tactus_answer* const answer = api::guarded([&] {
    Enclosed asked;
    if (auto bad = asked.take(body)) return api::answer_without(*bad);
    if (asked.trace) workshop.emplace();
    return api::simulation(
        asked.system_text(), asked.request_text(), call,
        [&](const System& simulated, trace::TraceSink*) -> verbs::Answer<trace::TraceSink*> {
          if (!workshop || !workshop->usable()) return nullptr;
          written = std::make_unique<LimitedTrace>(simulated, workshop->file("trace.json"), call);
          return written.get();
        },
        [&] {
          if (written) written->close();
          written.reset();  // it knows the system, which ends with the run
        });
  });
  return reply_of(answer, workshop && tactus_answer_document(answer) != nullptr
                              ? member_of(*workshop)
                              : std::string());
}

}  // namespace tactus::serve

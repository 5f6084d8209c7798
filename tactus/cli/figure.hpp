#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tactus/base/question.hpp"
#include "tactus/report/charts/drawing.hpp"
#include "tactus/trace/excerpt.hpp"
#include "tactus/trace/observed.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::cli {

/// `--figure`, `--window` and `--around`: which stretch of a run is drawn, and where to.
class FigureOptions {
 public:
  friend void describe(FigureOptions& options, Fields& is);
  /// Is a figure asked for?
  bool given() const { return !file_.empty(); }
  /// Is there something that only a drawing can use?
  bool chooses() const { return !window_.empty() || !around_.empty(); }

  using Watch = std::function<verbs::Answer<trace::TraceSink*>(const System&, trace::TraceSink*)>;
  /// What keeps the part of a run that is drawn, and passes all of it on; before the run it finds what
  /// is wrong with the options. @param kept where the part is; it must outlive the run
  Watch watching(std::optional<trace::Excerpt>& kept) const;
  /// The window that is drawn, once the run is over; nothing after a complaint.
  std::optional<trace::Window> window(const System& system, const trace::Observed& observed,
                                      const trace::Excerpt& excerpt) const;
  /// Writes the figure; false after a complaint.
  bool draw(const System& system, const trace::Observed& observed, const trace::Excerpt& excerpt,
            trace::Window window) const;

 private:
  verbs::Answer<trace::Excerpt> excerpt(const System& system, trace::TraceSink* next) const;

  std::string file_, window_, around_;
};

}  // namespace tactus::cli

#pragma once

#include <optional>
#include <string>

#include "tactus/cli/parser.hpp"
#include "tactus/report/charts/drawing.hpp"
#include "tactus/trace/excerpt.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::cli {

/// `--figure`, `--window` and `--around`: which stretch of a run is drawn, and where to.
class FigureOptions {
 public:
  void add_to(Parser& verb);
  /// Is a figure asked for?
  bool given() const { return !file_.empty(); }
  /// Is there something that only a drawing can use?
  bool chooses() const { return !window_.empty() || !around_.empty(); }

  /// What keeps the part of the run that is drawn; nothing after a complaint. Call it before the
  /// run: what is wrong with the options is found here.
  std::optional<trace::Excerpt> excerpt(const System& system, trace::TraceSink* next) const;
  /// The window that is drawn, once the run is over; nothing after a complaint.
  std::optional<trace::Window> window(const System& system, const trace::Observed& observed,
                                      const trace::Excerpt& excerpt) const;
  /// Writes the figure; false after a complaint.
  bool draw(const System& system, const trace::Observed& observed, const trace::Excerpt& excerpt,
            trace::Window window) const;

 private:
  std::string file_, window_, around_;
};

}  // namespace tactus::cli

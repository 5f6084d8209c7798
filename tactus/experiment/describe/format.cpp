#include "tactus/experiment/describe/format.hpp"

#include <array>

#include "tactus/experiment/describe/codecs.hpp"
#include "tactus/model/whole_document.hpp"

namespace tactus {

namespace codec {

template <>
std::span<const std::string_view> words_of<experiment::Measure>() {
  static constexpr std::string_view kWords[] = {"accepted", "bound",  "figure",
                                                "time",     "missed", "tightness"};
  return kWords;
}

template <>
std::span<const std::string_view> words_of<experiment::Basis>() {
  static constexpr std::string_view kWords[] = {"printed", "fitted", "chosen", "sample", "own"};
  return kWords;
}

}  // namespace codec

namespace experiment {

std::string_view to_string(Measure measure) {
  return codec::words_of<Measure>()[static_cast<std::size_t>(measure)];
}

std::string_view to_string(Basis basis) {
  return codec::words_of<Basis>()[static_cast<std::size_t>(basis)];
}

namespace {

constexpr Field<Experiment> kVersion = {
    "tactus_experiment",
    true,
    "Version of the format: 2, or 1 for experiments whose cases have sets of their own",
    [](const json::Value& value, std::string_view key, ReadContext& context, Experiment&) {
      std::int64_t version = 0;
      return codec::read_integer(value, key, context, 1, kExperimentVersion, version);
    },
    [](json::Writer& out, std::string_view key, const System&, const Experiment&) {
      out.key(key).integer(kExperimentVersion);
    },
    [](json::Writer& out) {
      out.key("enum").begin_array().integer(1).integer(kExperimentVersion).end_array();
    },
};

}  // namespace
}  // namespace experiment

using namespace codec;  // the tables below read like the format they describe
using namespace experiment;

template <>
std::span<const Field<Experiment>> fields<Experiment>() {
  static constexpr auto kTable = std::to_array<Field<Experiment>>({
      schema_link<Experiment>(),
      kVersion,
      field<&Experiment::name, Name>("name", "Identifies it; also seeds its sets", true),
      field<&Experiment::title, Text>("title", "One line for people", true),
      field<&Experiment::paper, Text>("paper", "Where it was published"),
      field<&Experiment::figure, Text>("figure", "Its figure or table there"),
      field<&Experiment::note, Text>("note", "What a reader of the results should know"),
      field<&Experiment::recipe, Name>("recipe",
                                       "What draws the sets (tactus lab generate --list)"),
      field<&Experiment::settings, WordsValue>("settings",
                                               "Settings of the recipe, at every point"),
      field<&Experiment::files, PatternList>(
          "files",
          "Instead of a recipe: files with systems, a pattern such as own/*.json or several"),
      field<&Experiment::sweep, Object<Sweep>>("sweep", "What varies along the x axis"),
      field<&Experiment::cases, Objects<Case, "case">>("cases", "Alternatives beside the sweep"),
      field<&Experiment::cases_by, Name>("cases_by",
                                         "With `files`: what makes cases, as `by` makes points"),
      field<&Experiment::common_sets, Flag>(
          "common_sets", "Cases draw the same sets; default: true (version 1: false)"),
      field<&Experiment::system, InlineSystem>(
          "system", "Instead of a recipe: one system; its real-time tasks are the points"),
      field<&Experiment::sets, Integer<1, 1'000'000'000>>("sets", "Sets per point"),
      field<&Experiment::seed, Integer<0, 999'999'999>>("seed",
                                                        "Seed of everything random; default 1"),
      field<&Experiment::check, Integer<0, 1'000'000'000>>(
          "check", "Sets per point for `reproduce --check`; 0: left out; default 20"),
      field<&Experiment::simulation, Object<Simulation>>(
          "simulation", "Measures `missed` and `tightness`: how accepted sets are simulated"),
      field<&Experiment::measure, Word<Measure, false>>("measure", "What a point of a curve is"),
      field<&Experiment::figure_name, Name>(
          "of", "Measure `figure`: its name; measure `tightness`: `chains`"),
      field<&Experiment::relative_to, Name>("relative_to",
                                            "Measure `bound`: in units of this line"),
      field<&Experiment::lines, Objects<Line, "line">>("lines", "The methods compared", true),
      field<&Experiment::claims, Objects<Claim, "claim">>("claims", "What the paper reports"),
      field<&Experiment::plot, Object<Plot>>("plot", "How it is drawn"),
  });
  return kTable;
}

template <>
std::span<const Field<Sweep>> fields<Sweep>() {
  static constexpr auto kTable = std::to_array<Field<Sweep>>({
      field<&Sweep::label, Text>("label", "Label of the x axis", true),
      field<&Sweep::set, WordList>("set", "The parameters of the recipe that take the value"),
      field<&Sweep::values, WordList>("values", "One per point"),
      field<&Sweep::by, Name>("by",
                              "With `files`: `folder`, or the path of the value that is the point"),
  });
  return kTable;
}

template <>
std::span<const Field<Case>> fields<Case>() {
  static constexpr auto kTable = std::to_array<Field<Case>>({
      field<&Case::name, Name>("name", "Unique among the cases", true),
      field<&Case::label, Text>("label", "For people; default: the name"),
      field<&Case::set, WordsValue>("set", "Its settings of the recipe", true),
  });
  return kTable;
}

template <>
std::span<const Field<Simulation>> fields<Simulation>() {
  static constexpr auto kTable = std::to_array<Field<Simulation>>({
      field<&Simulation::runs, Integer<1, 1'000'000>>("runs", "Scenarios per set; default 5"),
      field<&Simulation::jobs, Integer<1, 1'000'000>>("jobs",
                                                      "Jobs of the slowest task; default 10"),
  });
  return kTable;
}

template <>
std::span<const Field<Line>> fields<Line>() {
  static constexpr auto kTable = std::to_array<Field<Line>>({
      field<&Line::name, Name>("name", "Unique among the lines; default: the method"),
      field<&Line::label, Text>("label", "In the legend; default: the name"),
      field<&Line::method, Name>("method", "Its id (tactus methods)", true),
      field<&Line::variants, WordList>("variants", "One curve each; default: safe"),
      field<&Line::options, WordsValue>("options", "Of the method"),
      field<&Line::set, WordsValue>("set",
                                    "Settings of the recipe for this line alone, with which it "
                                    "draws another form of the same sets"),
      field<&Line::group, Text>("group",
                                "What several lines have in common, such as what they need at run "
                                "time; they are drawn in one colour"),
      field<&Line::figure, Name>("of", "Measure `figure`: its name, instead of the common one"),
  });
  return kTable;
}

template <>
std::span<const Field<Claim>> fields<Claim>() {
  static constexpr auto kTable = std::to_array<Field<Claim>>({
      field<&Claim::text, Text>("text", "What is claimed", true),
      field<&Claim::where, Text>("where", "Where in the paper"),
      field<&Claim::paper, ExpectedValue>("paper", "What the paper reports", true),
      field<&Claim::ours, Text>("ours", "The same from our points, an expression", true),
      field<&Claim::unit, Text>("unit", "Of both"),
      field<&Claim::tolerance, Real>("tolerance", "How much ours may differ; default 0"),
      field<&Claim::variant, Name>("variant",
                                   "The variant that is judged; default: paper, else safe"),
      field<&Claim::deviation, Text>("deviation", "Why our result is known to differ"),
      field<&Claim::test, Text>("test", "The command that tests this explanation"),
      field<&Claim::open, Flag>("open", "Our result is known to differ, and nobody knows why"),
      field<&Claim::basis, Word<Basis, false>>(
          "basis",
          "What being inside is worth: `fitted`, a free number was fitted to the claim; `chosen`, "
          "it is read in one of several ways, and another one disagrees; `sample`, a small sample "
          "from "
          "outside of the paper; `own`, not the paper's claim; default: printed"),
      field<&Claim::basis_note, Text>("basis_note",
                                      "What was fitted, chosen among what, sampled where"),
      field<&Claim::own_threshold, Flag>("own_threshold",
                                         "The paper gives no number: the one in `paper` is ours"),
  });
  return kTable;
}

template <>
std::span<const Field<Plot>> fields<Plot>() {
  static constexpr auto kTable = std::to_array<Field<Plot>>({
      field<&Plot::y, Text>("y", "Label of the y axis"),
      field<&Plot::log_x, Flag>("log_x", "Logarithmic x axis"),
      field<&Plot::log_y, Flag>("log_y", "Logarithmic y axis"),
      field<&Plot::one_panel, Flag>("one_panel", "All cases in one panel"),
      field<&Plot::variants, WordList>("variants", "The variants drawn; default: all"),
      field<&Plot::lines, WordList>("lines", "The lines drawn, by name; default: all"),
  });
  return kTable;
}

}  // namespace tactus

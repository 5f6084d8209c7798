#include "tactus/report/deployment.hpp"

#include <fmt/core.h>

#include "tactus/report/cover.hpp"
#include "tactus/report/json/schemas.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

using deploy::Program;

/// The arbiter first, as it is started.
std::vector<const Program*> in_order(const deploy::Launch& launch) {
  std::vector<const Program*> programs;
  if (launch.arbiter) programs.push_back(&*launch.arbiter);
  for (const Program& program : launch.programs) programs.push_back(&program);
  return programs;
}

}  // namespace

std::string deployment_text(const deploy::Launch& launch, const std::string& folder,
                            const std::vector<deploy::File>& files, const Style& style) {
  std::string out =
      paragraph("",
                fmt::format("{}: {} files that start {}, {} ({})", folder, files.size(),
                            launch.system, launch.method, launch.variant),
                style);
  Table table({{"program"},
               {"CPU", Align::kRight},
               {"FIFO", Align::kRight},
               {"from the file and the plan"}});
  for (const Program* program : in_order(launch)) {
    table.add({program->name, program->cpu ? std::to_string(*program->cpu) : "-",
               program->fifo > 0 ? std::to_string(program->fifo) : "-", program->why});
  }
  out += "\n" + table.render(style, "  ") + "\n";
  for (const std::string& note : launch.notes) out += paragraph("note: ", note, style);
  for (const decide::Condition& waived : launch.waived) {
    out += paragraph(
        "WAIVED: ", fmt::format("{}: {}. Nothing is proved of this start.", waived.id, waived.what),
        style);
  }
  if (!launch.unsettled.empty())
    out += paragraph("",
                     fmt::format("Not known before `tactus doctor` has looked at the machine: {}.",
                                 ids_of(launch.unsettled)),
                     style);
  out += paragraph("", "README.md there says how to start it.", style);
  return out;
}

}  // namespace tactus::report

namespace tactus {

using namespace codec;  // the words of the tables

namespace {

struct DeploymentDocument {
  const deploy::Launch& launch;
  const std::optional<std::string>& folder;
  const std::vector<deploy::File>& files;
  const std::vector<decide::Condition>& conditions;
};

}  // namespace

template <>
std::span<const Field<deploy::File>> fields<deploy::File>() {
  using deploy::File;
  static constexpr auto kTable = std::to_array<Field<File>>({
      always<&File::name, Line>("name", "In the folder"),
      always<&File::why, Line>("why", "What it is for"),
  });
  return kTable;
}

template <>
std::span<const Field<deploy::Program>> fields<deploy::Program>() {
  using deploy::Program;
  static constexpr auto kTable = std::to_array<Field<Program>>({
      always<&Program::name, Line>("name", "Of its task, or arbiter"),
      always<&Program::words, Lines>("argv", "How it is started"),
      always<&Program::folder, OrNull<Line>>("cwd", "Where"),
      always<&Program::user, OrNull<Line>>("user", "As whom"),
      always<&Program::environment, ByName<Line>>("env", "Its environment, beside the usual one"),
      always<&Program::cpu, OrNull<Number>>("cpu", "Which it is kept on"),
      always<OrNull<Number>>("sched_fifo", "Its real-time priority",
                             [](const Program& program) {
                               return program.fifo > 0 ? std::optional(program.fifo) : std::nullopt;
                             }),
      always<&Program::why, Line>("why", "From where in the file and in the plan this comes"),
  });
  return kTable;
}

template <>
std::span<const Field<DeploymentDocument>> fields<DeploymentDocument>() {
  using Owner = DeploymentDocument;
  static constexpr auto kTable = std::to_array<Field<Owner>>({
      version<Owner>(),
      kind<Owner, "deployment">(),
      always<Line>("system", "The name of the system",
                   [](const Owner& d) { return d.launch.system; }),
      always<Line>("method", "Of the plan", [](const Owner& d) { return d.launch.method; }),
      always<Line>("variant", "Of the plan", [](const Owner& d) { return d.launch.variant; }),
      always<report::AnyWay>("run_by", "What runs it", [](const Owner& d) { return d.launch.way; }),
      always<OrNull<Line>>("folder", "Where the files are; null where nothing was written",
                           [](const Owner& d) { return d.folder; }),
      always<List<Object<deploy::File>>>("files", "What was written",
                                         [](const Owner& d) { return d.files; }),
      always<List<Object<deploy::Program>>>("programs", "In the order of their start",
                                            [](const Owner& d) {
                                              std::vector<deploy::Program> all;
                                              for (const auto* each : report::in_order(d.launch))
                                                all.push_back(*each);
                                              return all;
                                            }),
      always<Lines>("notes", "What programs must do, and what is not as analysed",
                    [](const Owner& d) { return d.launch.notes; }),
      always<Named<decide::Holds, decide::Holds::kNotKnown>>(
          "covered", "Does the start cover the proof?",
          [](const Owner& d) { return conclusion(d.conditions); }),
      always<List<Object<decide::Condition>>>("conditions", "All that the judge was asked",
                                              [](const Owner& d) { return d.conditions; }),
      always<Lines>("waived", "Those that do not hold, and were accepted",
                    [](const Owner& d) { return report::id_list(d.launch.waived); }),
  });
  return kTable;
}

namespace report {

std::string deployment_json(const deploy::Launch& launch, const std::optional<std::string>& folder,
                            const std::vector<deploy::File>& files,
                            const std::vector<decide::Condition>& conditions) {
  return document_of(System(), DeploymentDocument{launch, folder, files, conditions});
}

std::string deployment_schema() {
  return schema_of<DeploymentDocument>("deployment", "What starts a plan (tactus deploy --json)");
}

}  // namespace report
}  // namespace tactus

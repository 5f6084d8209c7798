#include "tactus/report/deployment.hpp"

#include <fmt/core.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/report/cover.hpp"
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

void write_or_null(json::Writer& out, const char* key, const std::optional<std::string>& text) {
  out.key(key);
  if (text) {
    out.string(*text);
  } else {
    out.null();
  }
}

void write(json::Writer& out, const Program& program) {
  out.begin_object();
  out.key("name").string(program.name);
  out.key("argv").begin_array();
  for (const std::string& word : program.words) out.string(word);
  out.end_array();
  write_or_null(out, "cwd", program.folder);
  write_or_null(out, "user", program.user);
  out.key("env").begin_object();
  for (const Variable& variable : program.environment)
    out.key(variable.name).string(variable.value);
  out.end_object();
  out.key("cpu");
  if (program.cpu) {
    out.integer(*program.cpu);
  } else {
    out.null();
  }
  out.key("sched_fifo");
  if (program.fifo > 0) {
    out.integer(program.fifo);
  } else {
    out.null();
  }
  out.key("why").string(program.why);
  out.end_object();
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

std::string deployment_json(const deploy::Launch& launch, const std::optional<std::string>& folder,
                            const std::vector<deploy::File>& files,
                            const std::vector<decide::Condition>& conditions) {
  json::Writer out;
  codec::begin_document(out, "deployment");
  out.key("system").string(launch.system);
  out.key("method").string(launch.method).key("variant").string(launch.variant);
  out.key("run_by").string(to_string(launch.way));
  write_or_null(out, "folder", folder);
  out.key("files").begin_array();
  for (const deploy::File& file : files) {
    out.begin_object();
    out.key("name").string(file.name).key("why").string(file.why);
    out.end_object();
  }
  out.end_array();
  out.key("programs").begin_array();
  for (const Program* program : in_order(launch)) write(out, *program);
  out.end_array();
  out.key("notes").begin_array();
  for (const std::string& note : launch.notes) out.string(note);
  out.end_array();
  out.key("covered").string(to_string(conclusion(conditions)));
  write_conditions(out.key("conditions"), conditions);
  out.key("waived").begin_array();
  for (const decide::Condition& waived : launch.waived) out.string(waived.id);
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report

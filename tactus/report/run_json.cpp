#include "tactus/methods/plan.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/json_writer.hpp"
#include "tactus/report/run.hpp"
#include "tactus/report/statistics.hpp"

namespace tactus::report {
namespace {

/// Writes the parts of a run into one JSON object.
class RunWriter {
 public:
  explicit RunWriter(const Run& run) : system_(run.system), report_(run.report) {}

  std::string write(const Run& run) {
    out_.begin_object();
    out_.key("tactus").integer(kFormatVersion);
    out_.key("system").string(system_.name);
    out_.key("method").string(run.method);
    out_.key("variant").string(run.variant);
    machine();
    time("end", report_.end);
    out_.key("interrupted").boolean(report_.interrupted);
    out_.key("good").boolean(report_.good());
    out_.key("tasks").begin_array();
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      if (report_.tasks[i].took_part()) task(i);
    }
    out_.end_array();
    out_.key("nodes").begin_array();
    for (const runtime::Piece& piece : report_.pieces) node(piece);
    out_.end_array();
    out_.key("shares").begin_array();
    for (const runtime::Share& each : report_.shares) share(each);
    out_.end_array();
    if (report_.batches) batches(*report_.batches);
    strings("notes", report_.notes);
    count("failed", report_.failed);
    strings("failures", report_.failures);
    out_.end_object();
    return out_.take();
  }

 private:
  void machine() {
    out_.key("machine").begin_object();
    out_.key("name").string(report_.machine.name);
    out_.key("sms").integer(report_.machine.sms);
    out_.key("partition_step").integer(report_.machine.partition_step);
    strings("features", report_.machine.features);
    out_.end_object();
  }
  void task(TaskIndex index) {
    const runtime::TaskSeen& seen = report_.tasks[index];
    out_.begin_object();
    out_.key("task").string(system_.tasks[index].name);
    count("jobs", seen.seen.responses.size());
    statistics("response", seen.seen.responses);
    time("longest", seen.seen.longest_alone);
    time("bound", seen.bound);
    time("deadline", system_.tasks[index].deadline);
    count("misses", seen.seen.misses);
    statistics("late", seen.late);
    out_.end_object();
  }
  void node(const runtime::Piece& piece) {
    out_.begin_object();
    out_.key("task").string(system_.tasks[piece.task].name);
    out_.key("node").string(piece.label);
    out_.key("on").string(system_.platform.elements[piece.element].name);
    count("runs", piece.runs);
    time("mean", piece.mean());
    time("max", piece.longest);
    time("bound", piece.bound);
    count("over", piece.over);
    out_.key("asked").integer(piece.asked);
    out_.key("narrowest").integer(piece.narrowest);
    out_.key("widest").integer(piece.widest);
    out_.end_object();
  }
  void share(const runtime::Share& share) {
    out_.begin_object();
    out_.key("task").string(system_.tasks[share.task].name);
    out_.key("element").string(system_.platform.elements[share.element].name);
    out_.key("asked").integer(share.asked);
    out_.key("got").integer(share.got);
    out_.end_object();
  }
  void batches(const runtime::BatchesSeen& seen) {
    out_.key("batches").begin_object();
    count("played", seen.played);
    statistics("late", seen.late);
    count("overrun", seen.overrun);
    out_.key("overruns").begin_array();  // the first of them
    for (const runtime::Overrun& overrun : seen.overruns) {
      out_.begin_object();
      count("frame", overrun.frame);
      time("at", overrun.at);
      time("expected", overrun.expected);
      time("took", overrun.took);
      time("stalled", overrun.stalled);
      out_.end_object();
    }
    out_.end_array();
    blamed("late_by_host", seen.by_host);
    blamed("late_by_batches", seen.by_batches);
    out_.key("late_jobs").begin_array();  // the first that missed, and the first of the others
    for (const runtime::LateJob& job : seen.late_jobs) late_job(job);
    out_.end_array().end_object();
  }
  void blamed(std::string_view key, const runtime::BatchesSeen::Blamed& jobs) {
    out_.key(key).begin_object();
    count("missed", jobs.missed);
    count("over_bound", jobs.over_bound);
    out_.end_object();
  }
  void late_job(const runtime::LateJob& job) {
    out_.begin_object();
    out_.key("task").string(system_.tasks[job.task].name);
    count("job", job.job);
    time("release", job.release);
    time("response", job.response);
    time("on_time", job.on_time);
    out_.key("missed").boolean(job.missed);
    out_.key("cause").string(job.cause == runtime::LateJob::Cause::kHost ? "host" : "batches");
    out_.end_object();
  }

  void time(std::string_view key, const std::optional<Time>& value) {
    write_time(out_.key(key), value, system_.time_unit);
  }
  void statistics(std::string_view key, std::span<const Time> times) {
    const Statistics seen = statistics_of(times);
    out_.key(key).begin_object();
    time("mean", seen.mean);
    time("std", seen.deviation);
    time("p50", seen.p50);
    time("p99", seen.p99);
    time("max", seen.max);
    out_.end_object();
  }
  void count(std::string_view key, std::uint64_t value) {
    out_.key(key).number(std::to_string(value));
  }
  void strings(std::string_view key, const std::vector<std::string>& all) {
    out_.key(key).begin_array();
    for (const std::string& each : all) out_.string(each);
    out_.end_array();
  }

  const System& system_;
  const runtime::RunReport& report_;
  json::Writer out_;
};

}  // namespace

std::string run_json(const Run& run) { return RunWriter(run).write(run); }

}  // namespace tactus::report

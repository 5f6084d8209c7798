#include "tactus/watch/diary_sink.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "tactus/host/clock.hpp"

namespace tactus::watch {

using arbiter::client::DiaryPage, arbiter::client::Note, arbiter::client::NoteKind;

DiarySink::DiarySink(const System& system, const std::string& folder, trace::TraceSink* next)
    : system_(system), next_(next) {
  for (const Task& task : system.tasks) {
    auto diary = std::make_unique<Diary>();
    const std::string name = fmt::format("{}/{}", system.name, task.name);
    char problem[256];
    const bool opened =
        diary->file.open({folder.c_str(), name.c_str(), arbiter::client::kDiarySuffix},
                         sizeof(DiaryPage), DiaryPage::kVersion, problem, sizeof problem) &&
        diary->file.become_writer();
    if (opened) {
      diary->page = static_cast<DiaryPage*>(diary->file.at());
      diary->page->pid.store(getpid());
    }
    all_.push_back(std::move(diary));
  }
}

/// A kernel is one for each block; a node is from the first to the last.
void DiarySink::add(const trace::Interval& interval) {
  if (interval.activity == trace::Activity::kRun) {
    const auto [node, first] =
        all_[interval.task]->nodes.try_emplace(interval.node, Span{interval.start, interval.end});
    if (!first) {
      node->second.start = std::min(node->second.start, interval.start);
      node->second.end = std::max(node->second.end, interval.end);
    }
  }
  if (next_ != nullptr) next_->add(interval);
}

void DiarySink::add(const trace::JobSpan& job) {
  Diary& diary = *all_[job.task];
  epoch_ns_ = std::min(epoch_ns_, host::now_ns() - job.end.ns());
  if (diary.page != nullptr && job.ended) {
    Note note{.kind = NoteKind::kReleased, .number = job.job};
    note.asked_ns = note.due_ns = at(job.release);
    note.began_ns = at(job.release + job.late);
    write(*diary.page, note);
    for (const auto& [node, span] : diary.nodes) {
      const Node& in_file = system_.tasks[job.task].nodes[node];
      // What a time is for depends on how many units the plan gives, where the file leaves that open.
      const bool fixed =
          in_file.parallelism || system_.platform.elements[in_file.on].kind != ElementKind::kGpu;
      const Time promised = fixed ? in_file.wcet.value_or(Time()) : Time();
      write(*diary.page, {.kind = NoteKind::kNode,
                          .number = node,
                          .due_ns = promised.ns(),
                          .began_ns = at(span.start),
                          .ended_ns = at(span.end)});
    }
    note.kind = NoteKind::kJob;
    note.ended_ns = at(job.end);
    write(*diary.page, note);
  }
  diary.nodes.clear();
  if (next_ != nullptr) next_->add(job);
}

void DiarySink::add(const trace::Usage& usage) {
  if (next_ != nullptr) next_->add(usage);
}

}  // namespace tactus::watch

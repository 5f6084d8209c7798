#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/chrome_events.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/pattern.hpp"
#include "tactus/exchange/source.hpp"

/// Any trace in the format of chrome://tracing: slices of tracks. The user says by patterns which
/// tracks have jobs, which have GPU work, and which slices inside of jobs are nodes.
namespace tactus::exchange {
namespace {

/// What a thread of a process did.
struct Slice {
  std::uint32_t track = 0, name = 0;
  std::int64_t start = 0, end = 0;
};

/// An end of an arrow between two slices.
struct ArrowEnd {
  std::uint32_t track = 0;
  std::int64_t at = 0;
};

class ChromeReader {
 public:
  explicit ChromeReader(const ImportOptions& options) : options_(options) {}

  std::optional<Error> take(const ChromeEvent& event) {
    if (event.phase == "M") return name_track(event);
    if (event.phase.size() != 1) return std::nullopt;
    const char phase = event.phase.front();
    if (std::string_view("XBEsft").find(phase) == std::string_view::npos) {
      others_ += std::string_view("bneICNOD").find(phase) == std::string_view::npos ? 0 : 1;
      return std::nullopt;
    }
    const auto start = scaled(event.start, kMicroseconds, Rounding::kDown);
    if (!start) return bad(event, "its start `ts` is not a time");
    const std::uint32_t track = track_of(event.process, event.thread);
    if (++kept_ > kMostRecords) {
      return Error{fmt::format("more than {} events that matter; record less", kMostRecords)};
    }
    if (phase == 'X') {
      const auto lasts = scaled(event.duration.empty() ? "0" : std::string_view(event.duration),
                                kMicroseconds, Rounding::kUp);
      std::int64_t end = 0;
      if (!lasts || *lasts < 0) return bad(event, "its duration `dur` is not a time >= 0");
      if (__builtin_add_overflow(*start, *lasts, &end))
        return bad(event, "its end is out of range");
      slices_.push_back({track, recording_.names.of(event.name), *start, end});
    } else if (phase == 'B') {
      open_[track].push_back(slices_.size());
      slices_.push_back({track, recording_.names.of(event.name), *start, kOpen});
    } else if (phase == 'E') {
      return end_slice(event, track, *start);
    } else if (phase == 's') {
      arrows_from_[event.category + '\n' + event.id] = {track, *start};
    } else {
      const auto from = arrows_from_.find(event.category + '\n' + event.id);
      if (from != arrows_from_.end()) arrows_.push_back({from->second, {track, *start}});
    }
    return std::nullopt;
  }

  Recorded finish() {
    classify();
    const auto unended = std::erase_if(slices_, [](const Slice& one) { return one.end == kOpen; });
    note(unended, "{} slices have no end; they are left out");
    note(unbegun_, "{} ends of slices have no beginning; they are left out");
    note(others_, "{} events of other kinds (asynchronous ones, counters, instants) are left out");
    std::sort(slices_.begin(), slices_.end(), [](const Slice& a, const Slice& b) {
      return std::tie(a.track, a.start, b.end) < std::tie(b.track, b.start, a.end);
    });
    take_jobs();
    if (recording_.annotations.empty() && recording_.calls.empty()) return nothing_matches();
    take_gpu_work();
    recording_.any_job = recording_.plain_names = true;
    return std::move(recording_);
  }

 private:
  static constexpr std::int64_t kOpen = INT64_MAX;
  enum class Use : std::uint8_t { kNone, kCpu, kGpu };
  struct Track {
    std::string process, thread;
    ThreadId id;
    Use use = Use::kNone;
  };

  static Error bad(const ChromeEvent& event, std::string_view problem) {
    return {fmt::format("event {} ({}): {}", event.place, quote(event.name), problem)};
  }

  void note(std::size_t count, std::string_view text) {
    if (count > 0) recording_.notes.push_back(fmt::format(fmt::runtime(text), count));
  }

  /// Process and thread may be numbers or names.
  std::uint32_t track_of(const std::string& process, const std::string& thread) {
    const auto [entry, fresh] =
        numbers_.try_emplace({process, thread}, static_cast<std::uint32_t>(tracks_.size()));
    if (fresh) {
      const auto number = static_cast<std::int64_t>(tracks_.size());
      Track track;
      track.id = {whole(process).value_or(recording_.names.of(process)),
                  whole(thread).value_or(number)};
      tracks_.push_back(track);
    }
    return entry->second;
  }

  std::optional<Error> name_track(const ChromeEvent& event) {
    const std::string* name = event.arg("name");
    if (name == nullptr) return std::nullopt;
    if (event.name == "process_name") process_names_[event.process] = *name;
    if (event.name == "thread_name") thread_names_[{event.process, event.thread}] = *name;
    if (process_names_.size() + thread_names_.size() > kMostNames) {
      return Error{fmt::format("more than {} processes and threads have names", kMostNames)};
    }
    return std::nullopt;
  }

  std::optional<Error> end_slice(const ChromeEvent& event, std::uint32_t track, std::int64_t at) {
    std::vector<std::size_t>& open = open_[track];
    if (open.empty()) {
      ++unbegun_;
      return std::nullopt;
    }
    Slice& slice = slices_[open.back()];
    open.pop_back();
    if (at < slice.start) return bad(event, "it ends before it begins");
    slice.end = at;
    return std::nullopt;
  }

  /// "process/thread", by their names, or else their numbers.
  std::string label_of(const std::pair<std::string, std::string>& track) const {
    const auto process = process_names_.find(track.first);
    const auto thread = thread_names_.find(track);
    return fmt::format("{}/{}", process == process_names_.end() ? track.first : process->second,
                       thread == thread_names_.end() ? track.second : thread->second);
  }

  void classify() {
    for (const auto& [names, number] : numbers_) {
      const std::string label = label_of(names);
      const bool gpu = !options_.gpu_tracks.empty() && matches(options_.gpu_tracks, label);
      if (labels_.empty()) labels_ = label;
      tracks_[number].use = gpu                               ? Use::kGpu
                            : matches(options_.tracks, label) ? Use::kCpu
                                                              : Use::kNone;
      gpu_tracks_ += gpu ? 1 : 0;
    }
  }

  Error nothing_matches() const {
    if (slices_.empty()) {
      return {"there are no slices in it (phases X, or B and E), so it shows no work"};
    }
    return {fmt::format(
        "no slice is a job: no track matches {}, or no slice of them {}; there is "
        "the track {}, for example",
        quote(options_.tracks), quote(options_.jobs.empty() ? std::string("*") : options_.jobs),
        quote(labels_))};
  }

  /// Slices that are jobs, and those inside of them that are nodes: the outermost that match. With
  /// `--jobs idle` there are no jobs yet, and all outermost slices are nodes.
  void take_jobs() {
    const bool idle = options_.jobs == kJobsAtIdleGaps;
    const std::string pattern = options_.jobs.empty() ? "*" : options_.jobs;
    std::uint32_t track = static_cast<std::uint32_t>(-1);
    std::int64_t job_until = INT64_MIN, part_until = INT64_MIN;
    for (const Slice& slice : slices_) {
      if (tracks_[slice.track].use != Use::kCpu) continue;
      if (slice.track != track) job_until = part_until = INT64_MIN;
      track = slice.track;
      const std::string& name = recording_.names[slice.name];
      const bool inside = slice.start < job_until;
      if (!idle && !inside && matches(pattern, name)) {
        recording_.annotations.push_back({slice.name, tracks_[track].id, slice.start, slice.end});
        job_until = slice.end;
        part_until = INT64_MIN;
        continue;
      }
      if ((!idle && !inside) || slice.start < part_until || !matches(options_.parts, name))
        continue;
      part_until = slice.end;
      recording_.calls.push_back(
          {CallKind::kCompute, slice.name, tracks_[track].id, slice.start, slice.end, next_++});
    }
  }

  /// The job that had begun last when something began.
  const Annotation* job_before(std::int64_t at) const {
    const auto after = std::upper_bound(
        by_start_.begin(), by_start_.end(), at,
        [](std::int64_t time, const Annotation* job) { return time < job->start; });
    return after == by_start_.begin() ? nullptr : *std::prev(after);
  }

  void take_gpu_work() {
    for (const Annotation& job : recording_.annotations) by_start_.push_back(&job);
    std::sort(by_start_.begin(), by_start_.end(),
              [](const Annotation* a, const Annotation* b) { return a->start < b->start; });
    std::sort(arrows_.begin(), arrows_.end(), [](const Arrow& a, const Arrow& b) {
      return std::tie(a.to.track, a.to.at) < std::tie(b.to.track, b.to.at);
    });
    std::size_t guessed = 0, before_all = 0;
    std::uint32_t track = static_cast<std::uint32_t>(-1);
    std::int64_t until = INT64_MIN;
    for (const Slice& slice : slices_) {
      if (tracks_[slice.track].use != Use::kGpu) continue;
      if (slice.track != track) until = INT64_MIN;
      track = slice.track;
      if (slice.start < until) continue;  // a part of the slice around it
      until = slice.end;
      Call call{CallKind::kLaunch, slice.name, {}, slice.start, slice.start, next_++};
      if (const ArrowEnd* from = arrow_into(slice)) {
        call.by = tracks_[from->track].id;
        call.start = call.end = from->at;
      } else if (const Annotation* job = job_before(slice.start)) {
        call.by = job->by;
        call.start = call.end = std::min(slice.start, job->end);
        ++guessed;
      } else {
        ++before_all;
        continue;
      }
      const std::string& name = recording_.names[slice.name];
      GpuWork work;
      work.kind = name.find("emcpy") == std::string::npos  ? GpuKind::kKernel
                  : name.find("DtoD") != std::string::npos ? GpuKind::kCopyOnDevice
                                                           : GpuKind::kCopy;
      work.name = slice.name;
      work.stream = track;
      work.start = slice.start;
      work.end = slice.end;
      work.correlation = call.correlation;
      recording_.calls.push_back(call);
      recording_.work.push_back(work);
    }
    note(
        guessed,
        "{} pieces of GPU work have no arrow from what launched them; each counts for the job that "
        "had begun last, which is a guess");
    note(before_all, "{} pieces of GPU work begin before all jobs; they are left out");
    if (!options_.gpu_tracks.empty() && gpu_tracks_ == 0) {
      recording_.notes.push_back(fmt::format("no track matches --gpu-tracks {}; there is {}",
                                             quote(options_.gpu_tracks), quote(labels_)));
    }
    if (!recording_.work.empty()) {
      recording_.notes.emplace_back(
          "what a job waits for the GPU counts as its CPU work: a trace of this kind does not say "
          "which slices wait");
    }
  }

  const ArrowEnd* arrow_into(const Slice& slice) const {
    const auto found = std::lower_bound(
        arrows_.begin(), arrows_.end(), slice, [](const Arrow& arrow, const Slice& one) {
          return std::tie(arrow.to.track, arrow.to.at) < std::tie(one.track, one.start);
        });
    const bool inside = found != arrows_.end() && found->to.track == slice.track &&
                        found->to.at <= slice.end && tracks_[found->from.track].use == Use::kCpu;
    return inside ? &found->from : nullptr;
  }

  struct Arrow {
    ArrowEnd from, to;
  };
  static constexpr std::size_t kMostNames = 100'000;

  const ImportOptions& options_;
  Recording recording_;
  std::vector<Slice> slices_;
  std::vector<Track> tracks_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
  std::map<std::string, std::string> process_names_;
  std::map<std::pair<std::string, std::string>, std::string> thread_names_;
  std::map<std::uint32_t, std::vector<std::size_t>> open_;  ///< slices that have begun, by track
  std::map<std::string, ArrowEnd> arrows_from_;
  std::vector<Arrow> arrows_;
  std::vector<const Annotation*> by_start_;
  std::string labels_;
  std::int64_t next_ = 0;
  std::size_t kept_ = 0, others_ = 0, unbegun_ = 0, gpu_tracks_ = 0;
};

}  // namespace

Recorded record_chrome(Source& source, const ImportOptions& options) {
  ChromeReader reader(options);
  const auto facts = read_chrome_events(
      source.bytes(), [&](const ChromeEvent& event) { return reader.take(event); });
  if (!facts) return facts.error();
  return reader.finish();
}

}  // namespace tactus::exchange

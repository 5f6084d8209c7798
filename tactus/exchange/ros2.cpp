#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/ctf_text.hpp"
#include "tactus/exchange/lines.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/source.hpp"

/// Traces of ros2_tracing (its tracepoints: the design document of that project, from ROS 2 Foxy on):
/// each callback is a task, each of its calls a job. Timers say their period; a job of a subscription
/// was started by the one that published its message.
namespace tactus::exchange {
namespace {

/// Handles are addresses: they mean something in their process only.
using Handle = std::pair<std::int64_t, std::int64_t>;

enum class CallbackKind : std::uint8_t { kUnknown, kTimer, kSubscription, kService };

struct Callback {
  CallbackKind kind = CallbackKind::kUnknown;
  Handle of;  ///< its timer, subscription or service
  std::int64_t jobs = 0;
};
struct Timer {
  std::int64_t period = 0;
  Handle node;
};
struct Endpoint {  ///< a subscription, a publisher or a service
  Handle node;
  std::string name;  ///< topic or service
};
struct Publication {
  std::int64_t at = 0, stamp = 0;  ///< stamp 0: not known
  std::size_t by = kNobody;        ///< the job, a number of an annotation

  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
};
struct ThreadState {
  std::vector<std::size_t> open;  ///< jobs that have begun: one may lie inside of another
  std::int64_t taken_stamp = 0;   ///< of the message that was taken last
  std::deque<Publication>* topic = nullptr;  ///< of its last publication
  std::int64_t published = 0;                ///< when that was
  std::string process;
};

class Ros2Reader {
 public:
  std::optional<CtfProblem> take(const CtfEvent& event) {
    if (auto problem = set_clock(event)) return problem;
    const auto process = event.number("vpid"), thread = event.number("vtid");
    if (!process || !thread) {
      return CtfProblem{1,
                        "the event does not say its process and thread (vpid, vtid): record with "
                        "`ros2 trace`, or `lttng add-context -u -t vpid -t vtid -t procname`"};
    }
    process_ = *process;
    by_ = {*process, *thread};
    const auto known = kEvents.find(std::string_view(event.name).substr(kProvider.size()));
    if (known == kEvents.end()) return std::nullopt;
    if (++kept_ > kMostRecords) {
      return CtfProblem{1,
                        fmt::format("more than {} events that matter; record less", kMostRecords)};
    }
    return (this->*known->second)(event);
  }

  Recorded finish() {
    if (recording_.annotations.empty()) {
      return Error{"the trace has no callback (ros2:callback_start)"};
    }
    name_jobs();
    std::size_t unended = 0;
    for (const auto& [thread, state] : threads_) {
      for (std::size_t job : state.open) {
        recording_.annotations[job].job = false;
        ++unended;
      }
    }
    note(unended, "{} callbacks had not ended when the recording did; they are left out");
    note(ends_, "{} callbacks had begun before the recording; they are left out");
    note(by_nobody_, "{} messages were taken that no callback was seen to publish");
    if (nameless_ > 0) {
      note(nameless_,
           "{} callbacks were made before the recording began, so nothing is known of their node "
           "and topic: start the recording before the nodes");
    }
    recording_.notes.emplace_back(
        "the time of a callback is from its start to its end: what preempted it is in it");
    tell_threads();
    if (since_1970_) recording_.epoch = 0;
    recording_.any_job = recording_.own_names = recording_.pinned = true;
    return std::move(recording_);
  }

  static constexpr std::string_view kProvider = "ros2:";

 private:
  using Event = std::optional<CtfProblem> (Ros2Reader::*)(const CtfEvent& event);
  static const std::map<std::string_view, Event> kEvents;

  void note(std::size_t count, std::string_view text) {
    if (count > 0) recording_.notes.push_back(fmt::format(fmt::runtime(text), count));
  }

  /// Times of the day go on after midnight.
  std::optional<CtfProblem> set_clock(const CtfEvent& event) {
    constexpr std::int64_t kHour = 3'600'000'000'000, kDay = 24 * kHour;
    std::int64_t at = event.at + days_ * kDay;
    if (!event.since_1970 && at + kDay / 2 < now_) {
      ++days_;
      at += kDay;
    }
    if (at < now_) return CtfProblem{1, "its time is before that of the event above it"};
    since_1970_ = event.since_1970;
    now_ = at;
    return std::nullopt;
  }

  static std::optional<CtfProblem> lacks(std::string_view key) {
    return CtfProblem{1, fmt::format("the event has no `{}`", key)};
  }
  std::optional<Handle> handle(const CtfEvent& event, std::string_view key) const {
    const auto address = event.number(key);
    if (!address) return std::nullopt;
    return Handle{process_, *address};
  }
  static std::string text(const CtfEvent& event, std::string_view key) {
    const std::string_view* found = event.find(key);
    return found == nullptr ? std::string() : std::string(*found);
  }
  ThreadState& thread() { return threads_[by_]; }

  std::optional<CtfProblem> node(const CtfEvent& event) {
    const auto own = handle(event, "node_handle");
    if (!own) return lacks("node_handle");
    std::string name = text(event, "namespace");
    if (!name.ends_with('/')) name += '/';
    name += text(event, "node_name");
    nodes_[*own] = name.substr(
        name.find_first_not_of('/') == std::string::npos ? 0 : name.find_first_not_of('/'));
    return std::nullopt;
  }

  std::optional<CtfProblem> endpoint(const CtfEvent& event, std::string_view key,
                                     std::string_view called, std::map<Handle, Endpoint>& all) {
    const auto own = handle(event, key);
    const auto node = handle(event, "node_handle");
    if (!own || !node) return lacks(own ? "node_handle" : key);
    all[*own] = {*node, text(event, called)};
    return std::nullopt;
  }
  std::optional<CtfProblem> publisher(const CtfEvent& event) {
    return endpoint(event, "publisher_handle", "topic_name", publishers_);
  }
  std::optional<CtfProblem> subscription(const CtfEvent& event) {
    return endpoint(event, "subscription_handle", "topic_name", subscriptions_);
  }
  std::optional<CtfProblem> service(const CtfEvent& event) {
    return endpoint(event, "service_handle", "service_name", services_);
  }

  /// The object in C++ of a subscription.
  std::optional<CtfProblem> subscription_object(const CtfEvent& event) {
    const auto own = handle(event, "subscription"), of = handle(event, "subscription_handle");
    if (!own || !of) return lacks(own ? "subscription_handle" : "subscription");
    subscription_of_[*own] = *of;
    return std::nullopt;
  }

  std::optional<CtfProblem> added(const CtfEvent& event, CallbackKind kind,
                                  std::optional<Handle> of) {
    const auto own = handle(event, "callback");
    if (!own || !of) return lacks(own ? "handle of its owner" : "callback");
    callbacks_[*own] = {kind, *of, 0};
    return std::nullopt;
  }
  /// From Galactic on it names the object, before that the handle.
  std::optional<CtfProblem> subscription_callback(const CtfEvent& event) {
    auto of = handle(event, "subscription_handle");
    if (const auto object = handle(event, "subscription"); object && !of) {
      const auto known = subscription_of_.find(*object);
      of = known == subscription_of_.end() ? *object : known->second;
    }
    return added(event, CallbackKind::kSubscription, of);
  }
  std::optional<CtfProblem> service_callback(const CtfEvent& event) {
    return added(event, CallbackKind::kService, handle(event, "service_handle"));
  }
  std::optional<CtfProblem> timer_callback(const CtfEvent& event) {
    return added(event, CallbackKind::kTimer, handle(event, "timer_handle"));
  }

  std::optional<CtfProblem> timer(const CtfEvent& event) {
    const auto own = handle(event, "timer_handle");
    const auto period = event.number("period");
    if (!own || !period) return lacks(own ? "period" : "timer_handle");
    timers_[*own].period = *period;
    return std::nullopt;
  }
  std::optional<CtfProblem> timer_node(const CtfEvent& event) {
    const auto own = handle(event, "timer_handle"), node = handle(event, "node_handle");
    if (!own || !node) return lacks(own ? "node_handle" : "timer_handle");
    timers_[*own].node = *node;
    return std::nullopt;
  }

  std::optional<CtfProblem> published(const CtfEvent& event) {
    const auto by = handle(event, "publisher_handle");
    if (!by) return lacks("publisher_handle");
    const auto known = publishers_.find(*by);
    if (known == publishers_.end()) return std::nullopt;
    ThreadState& state = thread();
    std::deque<Publication>& topic = publications_[known->second.name];
    if (topic.size() == kMostKept) topic.pop_front();
    topic.push_back({now_, 0, state.open.empty() ? Publication::kNobody : state.open.back()});
    state.topic = &topic;
    state.published = now_;
    return std::nullopt;
  }
  /// From Jazzy on it says the stamp that the receiver sees.
  std::optional<CtfProblem> stamped(const CtfEvent& event) {
    ThreadState& state = thread();
    std::deque<Publication>* const topic = std::exchange(state.topic, nullptr);
    if (topic == nullptr) return std::nullopt;
    const auto last = std::find_if(topic->rbegin(), topic->rend(), [&](const Publication& one) {
      return one.at == state.published;
    });
    if (last != topic->rend()) last->stamp = event.number("timestamp").value_or(0);
    return std::nullopt;
  }
  std::optional<CtfProblem> taken(const CtfEvent& event) {
    if (event.number("taken").value_or(1) != 0) {
      thread().taken_stamp = event.number("source_timestamp").value_or(0);
    }
    return std::nullopt;
  }

  std::optional<CtfProblem> began(const CtfEvent& event) {
    const auto which = handle(event, "callback");
    if (!which) return lacks("callback");
    ThreadState& state = thread();
    if (state.process.empty()) state.process = text(event, "procname");
    const std::size_t job = recording_.annotations.size();
    Callback& callback = callbacks_[*which];
    ++callback.jobs;
    recording_.annotations.push_back({0, by_, now_, now_});
    callback_of_.push_back(*which);
    if (callback.kind == CallbackKind::kSubscription) {
      const bool inside = event.number("is_intra_process").value_or(0) != 0;
      find_sender(callback, job, inside ? 0 : state.taken_stamp);
    }
    state.taken_stamp = 0;
    state.open.push_back(job);
    return std::nullopt;
  }

  std::optional<CtfProblem> ended(const CtfEvent& event) {
    const auto which = handle(event, "callback");
    if (!which) return lacks("callback");
    ThreadState& state = thread();
    while (!state.open.empty() && callback_of_[state.open.back()] != *which) {
      recording_.annotations[state.open.back()].job = false;  // it ended without saying so
      state.open.pop_back();
    }
    if (state.open.empty()) {
      ++ends_;
      return std::nullopt;
    }
    recording_.annotations[state.open.back()].end = now_;
    state.open.pop_back();
    return std::nullopt;
  }

  /// The message that was taken: the one with its stamp, else the last that was published by then.
  void find_sender(const Callback& callback, std::size_t job, std::int64_t stamp) {
    const auto known = subscriptions_.find(callback.of);
    if (known == subscriptions_.end()) return;
    const auto topic = publications_.find(known->second.name);
    const std::deque<Publication> none;
    const std::deque<Publication>& all = topic == publications_.end() ? none : topic->second;
    const bool comparable = since_1970_ && stamp > 0 && stamp <= now_;
    const std::int64_t until = comparable ? stamp : now_;
    auto sent = std::find_if(all.rbegin(), all.rend(), [&](const Publication& one) {
      return stamp > 0 && one.stamp == stamp;
    });
    if (sent == all.rend()) {
      sent = std::find_if(all.rbegin(), all.rend(),
                          [&](const Publication& one) { return one.at <= until; });
    }
    if (sent == all.rend() || sent->by == Publication::kNobody) {
      ++by_nobody_;
    } else {
      recording_.triggers.push_back({sent->by, job});
    }
  }

  Handle node_of(const Callback& callback) const {
    const auto in = [&](const std::map<Handle, Endpoint>& all) {
      const auto found = all.find(callback.of);
      return found == all.end() ? Handle() : found->second.node;
    };
    if (callback.kind == CallbackKind::kSubscription) return in(subscriptions_);
    if (callback.kind == CallbackKind::kService) return in(services_);
    const auto timer = timers_.find(callback.of);
    return callback.kind == CallbackKind::kTimer && timer != timers_.end() ? timer->second.node
                                                                           : Handle();
  }

  std::string what_of(const Callback& callback, const Handle& own) const {
    const auto named = [&](const std::map<Handle, Endpoint>& all) {
      const auto found = all.find(callback.of);
      return found == all.end() ? std::string() : found->second.name;
    };
    if (callback.kind == CallbackKind::kTimer) {
      const auto timer = timers_.find(callback.of);
      const std::int64_t period = timer == timers_.end() ? 0 : timer->second.period;
      return fmt::format("timer {} ms", format_time(Time::from_ns(period), TimeUnit::kMs));
    }
    const std::string name =
        callback.kind == CallbackKind::kSubscription ? named(subscriptions_) : named(services_);
    return name.empty() ? fmt::format("callback {:#x}", static_cast<std::uint64_t>(own.second))
                        : name;
  }

  /// A node with one callback gives it its name; of several, each says what it is for.
  void name_jobs() {
    std::map<Handle, std::size_t> callbacks_of_node;
    for (const auto& [own, callback] : callbacks_) {
      if (callback.jobs > 0) ++callbacks_of_node[node_of(callback)];
    }
    UniqueNames names;
    std::map<Handle, std::uint32_t> name_of;
    for (const auto& [own, callback] : callbacks_) {
      if (callback.jobs == 0) continue;
      const Handle node = node_of(callback);
      const auto known = nodes_.find(node);
      nameless_ += known == nodes_.end() ? 1 : 0;
      std::string name = known == nodes_.end() ? std::string() : known->second;
      if (known == nodes_.end() || callbacks_of_node[node] > 1) {
        name += (name.empty() ? "" : " ") + what_of(callback, own);
      }
      name = names.make(clean_name(name));
      name_of[own] = recording_.names.of(name);
      const auto timer = timers_.find(callback.of);
      const bool periodic = callback.kind == CallbackKind::kTimer && timer != timers_.end();
      if (periodic && timer->second.period > 0) {
        recording_.periods[name] = Time::from_ns(timer->second.period);
      }
    }
    for (std::size_t job = 0; job < recording_.annotations.size(); ++job) {
      recording_.annotations[job].name = name_of[callback_of_[job]];
    }
  }

  void tell_threads() {
    std::map<ThreadId, std::set<std::uint32_t>> tasks;
    for (const Annotation& job : recording_.annotations) tasks[job.by].insert(job.name);
    for (const auto& [thread, names] : tasks) {
      std::string all;
      for (std::uint32_t name : names) {
        all += (all.empty() ? "" : ", ") + quote(recording_.names[name]);
      }
      const std::string& program = threads_[thread].process;
      recording_.notes.push_back(
          fmt::format("thread {} of process {}{} runs {}", thread.thread, thread.process,
                      program.empty() ? "" : " (" + quote(program) + ")", all));
    }
  }

  static constexpr std::size_t kMostKept = 1024;  ///< messages of a topic that may still be taken

  Recording recording_;
  std::vector<Handle> callback_of_;  ///< by job
  std::map<Handle, std::string> nodes_;
  std::map<Handle, Endpoint> publishers_, subscriptions_, services_;
  std::map<Handle, Handle> subscription_of_;  ///< by object
  std::map<Handle, Timer> timers_;
  std::map<Handle, Callback> callbacks_;
  std::map<std::string, std::deque<Publication>> publications_;  ///< by topic
  std::map<ThreadId, ThreadState> threads_;
  std::int64_t process_ = 0, now_ = INT64_MIN / 2, days_ = 0;
  ThreadId by_;
  bool since_1970_ = false;
  std::size_t kept_ = 0, ends_ = 0, by_nobody_ = 0, nameless_ = 0;
};

const std::map<std::string_view, Ros2Reader::Event> Ros2Reader::kEvents = {
    {"rcl_node_init", &Ros2Reader::node},
    {"rcl_publisher_init", &Ros2Reader::publisher},
    {"rcl_subscription_init", &Ros2Reader::subscription},
    {"rclcpp_subscription_init", &Ros2Reader::subscription_object},
    {"rclcpp_subscription_callback_added", &Ros2Reader::subscription_callback},
    {"rcl_service_init", &Ros2Reader::service},
    {"rclcpp_service_callback_added", &Ros2Reader::service_callback},
    {"rcl_timer_init", &Ros2Reader::timer},
    {"rclcpp_timer_link_node", &Ros2Reader::timer_node},
    {"rclcpp_timer_callback_added", &Ros2Reader::timer_callback},
    {"rcl_publish", &Ros2Reader::published},
    {"rclcpp_intra_publish", &Ros2Reader::published},
    {"rmw_publish", &Ros2Reader::stamped},
    {"rmw_take", &Ros2Reader::taken},
    {"callback_start", &Ros2Reader::began},
    {"callback_end", &Ros2Reader::ended},
};

}  // namespace

Recorded record_ros2(Source& source, const ImportOptions&) {
  Ros2Reader reader;
  Lines lines(source.bytes());
  CtfEvent event;
  while (const auto line = lines.next()) {
    auto problem = read_ctf_line(*line, Ros2Reader::kProvider, event);
    if (!problem && !event.name.empty()) problem = reader.take(event);
    if (problem) {
      return Error{problem->message, {}, {lines.number(), problem->column}};
    }
  }
  if (const auto problem = lines.problem()) return *problem;
  return reader.finish();
}

}  // namespace tactus::exchange

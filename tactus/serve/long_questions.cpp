#include "tactus/serve/long_questions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tactus/base/json_writer.hpp"
#include "tactus/serve/text.hpp"

namespace tactus::serve {

struct Jobs::Job {
  const Question* question = nullptr;
  std::string body;
  Call call{tactus_call_new()};
  Watch::Clock::time_point started = Watch::Clock::now();
  std::mutex mutex = {};  ///< of what follows
  std::string progress = {};
  std::optional<std::string> answer = {};
  std::chrono::milliseconds took{};
  std::jthread thread = {};  ///< last: it uses the rest

  bool done() {
    const std::lock_guard guard(mutex);
    return answer.has_value();
  }
  std::chrono::milliseconds age() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Watch::Clock::now() - started);
  }
  void work(Watch& watch, std::chrono::seconds most) {
    const Watch::Watched watched(watch, call.get(), most);
    const auto tell = [](const char* text, void* self) {
      auto& job = *static_cast<Job*>(self);
      const std::lock_guard guard(job.mutex);
      job.progress = text;
    };
    tactus_call_on_progress(call.get(), tell, this);
    std::string found = question->ask(body, call.get());
    const std::lock_guard guard(mutex);
    answer = std::move(found);
    took = age();
  }
};

std::optional<std::uint64_t> Jobs::start(const Question& question, std::string body) {
  auto job = std::make_shared<Job>();
  job->question = &question;
  job->body = std::move(body);
  std::vector<std::shared_ptr<Job>> old;  // ended after the lock: that waits for their threads
  const std::lock_guard guard(mutex_);
  const auto running = std::count_if(jobs_.begin(), jobs_.end(),
                                     [](const auto& one) { return !one.second->done(); });
  if (static_cast<std::size_t>(running) >= limits_.running) return std::nullopt;
  for (auto one = jobs_.begin(); one != jobs_.end() && jobs_.size() >= limits_.kept;) {
    if (!one->second->done()) {
      ++one;
      continue;
    }
    old.push_back(std::move(one->second));
    one = jobs_.erase(one);
  }
  const std::uint64_t id = ++last_;
  job->thread = std::jthread([one = job.get(), this] { one->work(watch_, limits_.time); });
  jobs_.emplace(id, std::move(job));
  return id;
}

std::optional<std::string> Jobs::describe(std::uint64_t id) {
  std::shared_ptr<Job> job;
  {
    const std::lock_guard guard(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return std::nullopt;
    job = found->second;
  }
  const std::lock_guard guard(job->mutex);
  const auto took = job->answer ? job->took : job->age();
  return fmt::format(
      R"({{"job":{},"question":{},"state":"{}","stopped":{},"progress":{},"milliseconds":{}{}}})"
      "\n",
      id, json_text(job->question->name), job->answer ? "done" : "running",
      tactus_call_is_cancelled(job->call.get()) != 0, json_text(job->progress), took.count(),
      job->answer ? fmt::format(R"(,"answer":{})", *job->answer) : std::string());
}

bool Jobs::stop(std::uint64_t id) {
  const std::lock_guard guard(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return false;
  tactus_call_cancel(found->second->call.get());
  return true;
}

}  // namespace tactus::serve

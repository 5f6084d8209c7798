#include "tactus/serve/live_watch.hpp"

#include "tactus/arbiter/client/arbiter_metrics.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/report/watch.hpp"

namespace tactus::serve {

LiveWatch::LiveWatch(const EditedFile& file, std::string socket)
    : file_(file), socket_(std::move(socket)) {}

verbs::Answer<watch::Watcher*> LiveWatch::watcher() {
  using verbs::NoAnswer;
  if (!file_.exists()) return NoAnswer::unknown("this server has no file, so nothing is watched");
  auto now = file_.read();
  if (!now) return NoAnswer::unknown(now.error().message);
  if (watcher_ && revision_ == now->revision) return watcher_.get();
  verbs::WatchQuestion question;
  question.about.system.name = file_.name();
  question.about.system.text = std::move(now->text);
  question.socket = socket_;
  auto made = verbs::watcher_of(question, {});
  if (!made) return made.none();
  watcher_ = std::move(*made);
  revision_ = now->revision;
  if (!stepper_.joinable())
    stepper_ = std::jthread([this](const std::stop_token& stop) { step(stop); });
  return watcher_.get();
}

void LiveWatch::step(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::int64_t next = host::now_ns();
    {
      const std::lock_guard guard(mutex_);
      watcher_->step(next);
      next += watcher_->every_ns();
    }
    host::sleep_until_ns(next);
  }
}

verbs::Answer<std::string> LiveWatch::document() {
  const std::lock_guard guard(mutex_);
  const auto watched = watcher();
  if (!watched) return watched.none();
  return report::watch_json(**watched);
}

void LiveWatch::write_metrics(Metrics& metrics) {
  const std::lock_guard guard(mutex_);
  const auto watched = watcher();
  if (watched) return report::write_metrics(metrics, **watched);
  auto observer = arbiter::client::Observer::open(socket_);
  if (!observer) return;
  const auto snapshot = observer->look();
  if (snapshot) arbiter::client::write_metrics(metrics, *snapshot);
}

}  // namespace tactus::serve

#include "tactus/arbiter/admit/desk.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/base/file.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::admit {
namespace {

/// Since the machine was started, in ticks; 0: there is no such process.
std::int64_t process_began(pid_t process) {
  const auto text = read_text_file(fmt::format("/proc/{}/stat", process));
  if (!text) return 0;
  std::size_t at = text->rfind(')');  // the name may contain anything
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text->find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoll(text->c_str() + at, nullptr, 10);
}

/// What the last arbiter has left. Nothing: there is no such file, or, with a reason, it is of no use.
std::optional<std::string> read_state(const std::string& path, std::string& problem) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) {
    if (errno != ENOENT) problem = std::strerror(errno);
    return std::nullopt;
  }
  constexpr off_t kMost = 64 << 20;
  struct stat about {};
  std::string text;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    problem = "it is no file";
  } else if (about.st_uid != geteuid()) {
    problem = "it is another user's";
  } else if ((about.st_mode & 077) != 0) {
    problem = "others may read or write it";
  } else if (about.st_size > kMost) {
    problem = "it is too long";
  } else {
    text.resize(static_cast<std::size_t>(about.st_size));
    std::size_t got = 0;
    for (ssize_t more = 1; more > 0 && got < text.size(); got += static_cast<std::size_t>(more))
      more = std::max<ssize_t>(read(file, text.data() + got, text.size() - got), 0);
    text.resize(got);
  }
  close(file);
  return problem.empty() ? std::optional(std::move(text)) : std::nullopt;
}

/// For this user alone; the old one or the new one, never half of it.
std::optional<std::string> write_state(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  unlink(beside.c_str());
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return std::strerror(errno);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t more = write(file, text.data() + done, text.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  const bool whole = done == text.size();
  const int problem = errno;
  close(file);
  if (whole && rename(beside.c_str(), path.c_str()) == 0) return std::nullopt;
  const std::string why = std::strerror(whole ? errno : problem);
  unlink(beside.c_str());
  return why;
}

void drain(int event) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(event, &count, sizeof count);
}
void knock(int event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(event, &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<Desk>> Desk::open(const System& platform, DeskOptions options,
                                         std::vector<std::string>& told) {
  std::string problem;
  const auto state = options.state.empty() ? std::nullopt : read_state(options.state, problem);
  Register who(platform, options.rules, options.allowance);
  const auto beginning = who.begin(state, process_began, host::now_ns());
  if (beginning.impossible) return Error{*beginning.impossible};
  if (beginning.forgotten) problem = *beginning.forgotten;
  if (!problem.empty())
    told.push_back(
        fmt::format("starts without earlier reservations: {}: {}", options.state, problem));
  std::unique_ptr<Desk> desk(new Desk(std::move(who), std::move(options)));
  if (desk->news_ < 0 || desk->wake_ < 0)
    return Error{fmt::format("cannot wait for requests: {}", std::strerror(errno))};
  if (!desk->options_.state.empty()) {
    if (const auto why = write_state(desk->options_.state, desk->register_.state(process_began)))
      return Error{fmt::format("cannot write {}: {}", desk->options_.state, *why)};
  }
  desk->watch_owners();
  desk->publish();
  sigset_t all, before;
  sigfillset(&all);  // signals are for the thread that serves
  pthread_sigmask(SIG_SETMASK, &all, &before);
  desk->thread_ = std::thread([self = desk.get()] { self->work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return desk;
}

Desk::Desk(Register desk, DeskOptions options)
    : register_(std::move(desk)),
      options_(std::move(options)),
      cpu_order_(options_.highest_cpu_priority),
      news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Desk::~Desk() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  knock(wake_);
  if (thread_.joinable()) thread_.join();
  for (const auto& [process, file] : owners_) close(file);
  if (news_ >= 0) close(news_);
  if (wake_ >= 0) close(wake_);
}

// On the thread that serves: it may be real-time, so it never waits for the lock.

std::optional<daemon::Told> Desk::ask(daemon::Question question) {
  std::size_t& waiting = waiting_[question.user];
  if (waiting >= options_.most_waiting)
    return daemon::Told{
        question.from, question.user,
        std::string("error\ntoo many requests of this user wait: try again later") + '\0'};
  ++waiting;
  backlog_.push_back(std::move(question));
  hand_over();
  return std::nullopt;
}

/// False: the lock is taken; the next round tries again.
bool Desk::hand_over() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    knock(news_);
    return false;
  }
  for (daemon::Question& question : backlog_) asked_.push_back(std::move(question));
  if (!backlog_.empty()) knock(wake_);
  backlog_.clear();
  return true;
}

daemon::News Desk::take() {
  drain(news_);
  if (!backlog_.empty()) hand_over();
  daemon::News news;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      knock(news_);
      return {};
    }
    news = std::exchange(what_, {});
  }
  for (const daemon::Told& told : news.told) {
    const auto of_user = waiting_.find(told.user);
    if (of_user != waiting_.end() && --of_user->second == 0) waiting_.erase(of_user);
  }
  return news;
}

void Desk::in_force(std::uint64_t number) {
  in_force_ = number;
  knock(wake_);
}

// On its own thread.

void Desk::work() {
  pthread_setname_np(pthread_self(), "tactus-admit");
  for (;;) {
    wait();
    if (!take_questions()) return;
    bool changed = notice_ends();
    changed = register_.settle(host::now_ns()) || changed;
    if (changed) publish();
    see_departures_through();
    if (taken_.empty()) continue;
    publish(answer(next_question()));
    see_departures_through();
  }
}

/// Whoever was not asked for the longest time goes first: nobody waits for all that another user asks.
daemon::Question Desk::next_question() {
  const auto next = std::min_element(taken_.begin(), taken_.end(),
                                     [&](const daemon::Question& a, const daemon::Question& b) {
                                       return served_[a.user] < served_[b.user];
                                     });
  daemon::Question question = std::move(*next);
  std::vector<daemon::Question> rest;
  for (daemon::Question& other : taken_) {
    if (&other != &*next) rest.push_back(std::move(other));
  }
  taken_ = std::move(rest);
  std::uint64_t last = 0;
  for (const auto& [user, when] : served_) last = std::max(last, when);
  served_[question.user] = last + 1;
  return question;
}

bool Desk::is_to_end() {
  const std::lock_guard lock(mutex_);
  return leaving_;
}

/// A reservation that was given up counts until the one that serves has demoted what is left of it, and
/// from then on as one that is gone.
void Desk::see_departures_through() {
  constexpr int kLookMs = 100;
  if (!register_.somebody_leaves()) return;
  while (in_force_ < published_ && !is_to_end()) {
    pollfd wake = {wake_, POLLIN, 0};
    poll(&wake, 1, kLookMs);
    drain(wake_);
  }
  knock(wake_);  // for what may have come meanwhile: questions, or the end
  if (in_force_ < published_) return;
  register_.departures_are_in_force(host::now_ns());
  publish();
}

void Desk::wait() {
  std::vector<pollfd> files = {{wake_, POLLIN, 0}};
  for (const auto& [process, file] : owners_) files.push_back({file, POLLIN, 0});
  int ms = taken_.empty() ? -1 : 0;
  if (const auto next = register_.next_change(); next && ms != 0) {
    const std::int64_t left = std::max<std::int64_t>(0, *next - host::now_ns());
    ms = static_cast<int>(std::min<std::int64_t>(left / 1'000'000 + 1, 3'600'000));
  }
  poll(files.data(), files.size(), ms);
}

/// False: it is to end.
bool Desk::take_questions() {
  drain(wake_);
  const std::lock_guard lock(mutex_);
  for (daemon::Question& question : asked_) taken_.push_back(std::move(question));
  asked_.clear();
  return !leaving_;
}

/// Whoever has a reservation has a pidfd here. @param asks who may be new
void Desk::watch_owners(const daemon::Question* asks) {
  const std::vector<pid_t> now = register_.owners();
  std::erase_if(owners_, [&](const auto& one) {
    const bool gone = std::find(now.begin(), now.end(), one.first) == now.end();
    if (gone) close(one.second);
    return gone;
  });
  for (const pid_t process : now) {
    if (owners_.contains(process)) continue;
    const bool new_one = asks != nullptr && asks->process == process;
    const int file = new_one ? fcntl(asks->file, F_DUPFD_CLOEXEC, 0)
                             : static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    if (file >= 0) {
      owners_.emplace(process, file);
    } else {
      register_.process_ended(process, host::now_ns());
    }
  }
}

bool Desk::notice_ends() {
  bool any = false;
  for (const auto& [process, file] : owners_) {
    pollfd end = {file, POLLIN, 0};
    if (poll(&end, 1, 0) <= 0) continue;
    register_.process_ended(process, host::now_ns());
    any = true;
  }
  if (any) watch_owners();
  return any;
}

/// Without a text: who asks has ended.
daemon::Told Desk::answer(const daemon::Question& question) {
  const Asker asker = {question.process, question.user,
                       question.user == 0 || question.user == geteuid(), question.may_reserve};
  const std::int64_t until = host::now_ns() + options_.patience_ns;
  // One that has ended meanwhile is nobody's: its number may be another's by now.
  pollfd end = {question.file, POLLIN, 0};
  if (question.file < 0)
    return {question.from, question.user,
            std::string("error\nthe arbiter cannot see this process") + '\0'};
  if (poll(&end, 1, 0) > 0) return {question.from, question.user, {}};
  Reply reply = register_.answer(asker, question.text, host::now_ns(),
                                 [&] { return host::now_ns() >= until; });
  watch_owners(&question);
  if (reply.word == "admitted") {
    if (const auto problem = keep_cpu_order()) {
      register_.process_ended(question.process, host::now_ns());
      reply = {"error", *problem, {}};
    }
  }
  return {question.from, question.user, reply.word + '\n' + reply.text + '\0' + reply.json + '\0'};
}

/// Nothing where each reservation has a core of its own.
std::optional<std::string> Desk::keep_cpu_order() {
  if (!options_.rules.cores_shared) return std::nullopt;
  return cpu_order_.keep(register_.by_core());
}

void Desk::keep_state(std::vector<std::string>& lines) {
  if (options_.state.empty()) return;
  std::string state = register_.state(process_began);
  if (state == kept_) return;
  if (const auto why = write_state(options_.state, state)) {
    lines.push_back(fmt::format("cannot write {}: {}", options_.state, *why));
  } else {
    kept_ = std::move(state);
  }
}

/// What is in force now, for the one that serves; and for the next arbiter.
void Desk::publish(std::optional<daemon::Told> told) {
  auto book = register_.book();
  std::vector<std::string> lines;
  if (const auto problem = keep_cpu_order()) lines.push_back(*problem);
  keep_state(lines);
  const std::lock_guard lock(mutex_);
  what_.book = std::move(book);
  what_.number = ++published_;
  if (told) what_.told.push_back(std::move(*told));
  for (std::string& line : lines) what_.lines.push_back(std::move(line));
  knock(news_);
}

}  // namespace tactus::arbiter::admit

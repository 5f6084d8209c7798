#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/arbiter/boost/decide.hpp"
#include "tactus/arbiter/daemon/terms.hpp"

namespace tactus::arbiter::daemon {

using boost::ClientId;

/// A request for a reservation, or about one. Owns the pidfd of the process that asks.
struct Question {
  Question(ClientId who, pid_t pid, uid_t uid, int pidfd)
      : from(who), process(pid), user(uid), file(pidfd) {}
  ~Question() {
    if (file >= 0) close(file);
  }
  Question(Question&& other) noexcept
      : from(other.from),
        process(other.process),
        user(other.user),
        file(std::exchange(other.file, -1)),
        may_reserve(other.may_reserve),
        text(std::move(other.text)) {}
  Question& operator=(Question&& other) = delete;

  ClientId from;
  pid_t process;
  uid_t user;
  int file;
  bool may_reserve = true;
  std::string text;
};

/// What is said to who asked.
struct Told {
  ClientId to = 0;
  uid_t user = 0;
  std::string text;  ///< a word, a line break, a text for people, a zero, a JSON document, a zero
};

struct News {
  std::shared_ptr<const Book> book;  ///< none: the same as before
  std::uint64_t number = 0;          ///< of the book
  std::vector<Told> told;            ///< once the book is in force
  std::vector<std::string> lines;    ///< for the log
};

/// Who decides about reservations, beside the thread that serves clients. Called on that thread; nothing
/// here waits.
class Office {
 public:
  Office() = default;
  virtual ~Office() = default;
  Office(const Office&) = delete;
  Office& operator=(const Office&) = delete;

  /// @return what is answered at once, if anything is
  virtual std::optional<Told> ask(Question question) = 0;
  /// A descriptor that can be read when there is something to take.
  virtual int news() const = 0;
  virtual News take() = 0;
  /// This book, and each before it, counts from now on.
  virtual void in_force(std::uint64_t number) = 0;
};

}  // namespace tactus::arbiter::daemon

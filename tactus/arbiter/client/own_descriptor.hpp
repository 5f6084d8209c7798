#pragma once

#include <sys/types.h>

namespace tactus::arbiter::client {

/// Our socket inside another program.
///
/// The program does not know of it: it may close every descriptor it did not open itself, and the
/// number then belongs to whatever it opens next. So the socket gets a high number, which programs
/// rarely use, and every use first checks whether the number is still this socket. A socket that
/// was closed is never used again.
class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  ~OwnDescriptor() { close(); }
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;

  /// Takes a socket over, and moves it to a high number. False: it is not one, and is closed.
  bool take(int socket);
  /// Is there one, and does its number still mean it?
  bool ours() const;
  int number() const { return number_; }
  /// Closes it, if it is still open.
  void close();

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// The number of the socket that was taken last and is not closed, or -1: what the preloaded
/// library keeps the program from closing.
int held_descriptor();

/// Writes a line on standard error, "tactus: PROGRAM[PID] ...", but only if standard error is still
/// what it was when the program started: by now the number may be a file of the program.
void tell_user(const char* what, const char* more = "");

}  // namespace tactus::arbiter::client

#pragma once

/// Files and folders that are being written beside the place they are for. Whoever ends the program
/// without its destructors, because no memory or time is left, removes them first.
namespace tactus::unfinished {

/// @param name in the folder, kept by the caller until `forget`. No more than a few at a time are noted.
void note(int folder, const char* name) noexcept;
void forget(const char* name) noexcept;
/// Allocates nothing; may be called in a signal handler.
void remove_all() noexcept;
/// From now on the signals by which a user, a closed pipe or `ulimit -t` ends the program remove them
/// first, unless they were ignored; and a file that may not grow any more (SIGXFSZ) is told by the write
/// alone.
void remove_all_at_signals() noexcept;

}  // namespace tactus::unfinished

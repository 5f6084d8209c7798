#pragma once

/// Files and folders that are being written beside the place they are for. Whoever ends the program
/// without its destructors, because no memory or time is left, removes them first.
namespace tactus::unfinished {

/// @param name in the folder, kept by the caller until `forget`. No more than a few at a time are noted.
void note(int folder, const char* name) noexcept;
void forget(const char* name) noexcept;
/// Allocates nothing for a file.
void remove_all() noexcept;

}  // namespace tactus::unfinished

#pragma once

namespace tactus::cli {

/// From then on a want of memory of GMP is one of the program: it calls the new-handler. By itself GMP
/// aborts the program.
void take_exact_numbers_as_own_memory();

}  // namespace tactus::cli

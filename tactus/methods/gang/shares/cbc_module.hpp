#pragma once

#include "tactus/methods/gang/shares/solver.hpp"

/// What the library with COIN-OR CBC in it exports. One option of two methods needs it, and loading
/// CBC takes as long as all else that a small `analyze` does: so the program does not link it, and
/// loads it where it is asked for.
namespace tactus::gang {

using CbcSolver = const AllocationSolver*();
inline constexpr const char* kCbcSolver = "tactus_cbc_solver";
inline constexpr const char* kCbcLibrary = "libtactus_cbc.so";

}  // namespace tactus::gang

extern "C" tactus::gang::CbcSolver tactus_cbc_solver;

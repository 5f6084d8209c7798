#pragma once

#include "tactus/generate/recipe.hpp"

/// Systems for the dag methods: one GPU and one task, a graph of malleable kernels.
namespace tactus::dag {

extern const Recipe kLayered, kLaplace, kGauss, kStencil;

}  // namespace tactus::dag

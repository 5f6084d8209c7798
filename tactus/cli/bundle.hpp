#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tactus/experiment/store/store.hpp"

namespace tactus::cli {

/// `results --bundle`: the archive of a store, with its figures; what the process returns.
int write_bundle(const std::string& store, const std::string& path);

/// Is that the name of a bundle?
bool is_bundle(std::string_view name);

/// `reproduce F.tar.gz`: checks that nothing in it was changed, runs it again into a folder (empty:
/// one that is removed) and compares every verdict. Returns 1 if something differs.
int reproduce_bundle(const std::string& path, const std::string& folder,
                     const experiment::RunContext& context, const std::stop_token& stop,
                     const std::function<void(std::string_view)>& progress);

}  // namespace tactus::cli

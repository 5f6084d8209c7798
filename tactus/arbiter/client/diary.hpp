#pragma once

#include "tactus/arbiter/client/diary_page.hpp"

/// The diary of this process: there is one where the environment names a folder and a task
/// (path_variables.hpp). Part of what is preloaded: no C++ library.
namespace tactus::arbiter::client::diary {

/// Is anything to be written down?
bool is_kept();

/// A job of this thread may begin; from now on its CPU time counts.
void released(std::uint32_t number, std::int64_t arrival_ns, std::int64_t due_ns,
              std::int64_t released_ns);
/// It has ended.
void ended(std::uint32_t number, std::int64_t arrival_ns, std::int64_t due_ns,
           std::int64_t released_ns);
/// A GPU segment of this thread has ended.
void segment(int outcome, std::int64_t asked_ns, std::int64_t began_ns, std::int64_t ended_ns,
             std::int64_t off_ns);

}  // namespace tactus::arbiter::client::diary

#pragma once

namespace tactus::arbiter::preload {

/// Puts the whole process under the arbiter when $TACTUS_PRIORITY says so: it begins a segment that
/// lasts until the process ends. Called when the process is about to have GPU work for the first
/// time, so that shells and other helpers that start a program are not affected. Returns when the
/// process may go on (running, or pending with its channels off). If it fails, it says why on
/// standard error.
void put_whole_process_under_arbiter();

}  // namespace tactus::arbiter::preload

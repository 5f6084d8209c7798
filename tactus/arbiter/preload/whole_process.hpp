#pragma once

namespace tactus::arbiter::preload {

/// Puts the whole process under the arbiter when $TACTUS_PRIORITY says so: it begins a segment that
/// lasts until the process ends. Called when the process is about to have GPU work for the first
/// time, so that shells and other helpers on the way to a program are left alone. Returns when the
/// process may go on (running, or pending with its channels off). Says on standard error why not,
/// when it cannot.
void put_whole_process_under_arbiter();

}  // namespace tactus::arbiter::preload

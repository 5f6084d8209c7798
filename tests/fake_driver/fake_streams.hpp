#pragma once

#define SHOWN __attribute__((visibility("default")))

/// Waits until all streams are idle.
void wait_for_all();
/// Pinned memory is what lies at a multiple of 4096.
bool is_pinned(unsigned long long memory);
/// A function of waiting_calls.hpp, as cuGetProcAddress finds it. @param twin if it has one
void* listed_call(const char* base, bool twin);

#include "tactus/arbiter/preload/automatic.hpp"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <new>

#include "tactus/arbiter/preload/segments.hpp"

namespace tactus::arbiter::preload::automatic {
namespace {

std::int64_t number_of(const char* variable) {
  const char* const text = getenv(variable);
  const long value = text != nullptr ? strtol(text, nullptr, 10) : 0;
  return value > 0 && value < 1'000'000'000 ? value : 0;
}

Terms read_terms() {
  Terms terms;
  const char* const text = getenv(kVariable);
  if (text == nullptr) return terms;
  char* end = nullptr;
  const long priority = strtol(text, &end, 10);
  if (end == text) return terms;
  terms.asked = true;
  terms.urgency = Urgency::real_time(static_cast<std::int32_t>(priority));
  terms.threshold = terms.urgency.priority;
  if (strcmp(end, " protected") == 0) terms.threshold = Submit::kProtected;
  if (const long threshold = strtol(end, nullptr, 10); threshold > priority)
    terms.threshold = static_cast<std::int32_t>(threshold);
  if (const std::int64_t us = number_of(kPauseVariable)) terms.pause_ns = us * 1000;
  terms.warm_up_ns = number_of(kWarmUpVariable) * kMs;
  return terms;
}

/// Never destroyed: programs call the driver to their very end.
alignas(Segments) unsigned char g_room[sizeof(Segments)];
std::atomic<Segments*> g_segments{nullptr};

Segments* segments() {
  Segments* const here = g_segments.load(std::memory_order_acquire);
  return here != nullptr && here->wanted() ? here : nullptr;
}

Terms g_terms;

__attribute__((constructor)) void begin() {
  g_terms = read_terms();
  if (!g_terms.asked) return;
  g_segments = new (g_room) Segments(g_terms);
  pthread_atfork([] { g_segments.load()->before_fork(); }, [] { g_segments.load()->in_parent(); },
                 // The GPU's context is the parent's; a child may make one of its own.
                 [] { g_segments = new (g_room) Segments(g_terms); });
}

}  // namespace

bool wanted() { return segments() != nullptr; }

Work::Work(Stream stream) {
  if (Segments* const all = segments()) segment_ = all->enter(stream, epoch_, place_);
}
Work::~Work() {
  if (segment_ != 0) g_segments.load()->leave(epoch_, place_);
}
void Work::waits() {
  if (segment_ != 0) g_segments.load()->submit(Patience::kUntilComplete);
}

void may_wait() {
  if (Segments* const all = segments()) all->submit(Patience::kUntilComplete);
}
void waited() {
  if (Segments* const all = segments()) all->waited();
}
void waits_for_stream(Stream stream) {
  if (Segments* const all = segments()) all->submit_if(key_of(stream), Patience::kUntilComplete);
}
void waits_for_event(void* event) {
  if (Segments* const all = segments()) all->submit_if_event(event, Patience::kUntilComplete);
}
void asks_about_stream(Stream stream) {
  if (Segments* const all = segments()) all->submit_if(key_of(stream), Patience::kNone);
}
void asks_about_event(void* event) {
  if (Segments* const all = segments()) all->submit_if_event(event, Patience::kNone);
}
bool is_new(const void* code) {
  Segments* const all = segments();
  return all != nullptr && all->is_new(code);
}
void code_has_gone() {
  if (Segments* const all = segments()) all->code_has_gone();
}
void recorded(void* event, const Work& work) {
  if (Segments* const all = segments()) all->recorded(event, work.segment(), work.epoch());
}
void event_ends(void* event) {
  if (Segments* const all = segments()) all->event_ends(event);
}
void capture_begins() {
  if (Segments* const all = segments()) all->capture_begins();
}
void capture_is_over() {
  if (Segments* const all = segments()) all->capture_is_over();
}
void stream_ends(Stream stream) {
  if (Segments* const all = segments()) all->stream_ends(key_of(stream));
}
void context_ends() {
  if (Segments* const all = segments()) all->context_ends();
}
void context_has_ended() {
  if (Segments* const all = segments()) all->context_has_ended();
}
void stand_down(const char* why) {
  if (Segments* const all = segments()) all->stand_down(why);
}

}  // namespace tactus::arbiter::preload::automatic

#pragma once

/* What libtactus_preload.so offers to code in the same process; found with dlsym, because a process
 * that was not started with the library does not have it. */
#ifdef __cplusplus
extern "C" {
#endif

/* Takes this process's compute work off the GPU; returns when it is off.
 * How many channels were stopped, or a negative errno (-EPERM stands for a refusal of the driver).
 */
int tactus_channel_stop(void);

/* Puts it back. As above; safe at any time. */
int tactus_channel_resume(void);

/* Boost: calls of the driver that wait for the GPU would wait for ever inside a segment whose gate is
 * shut. Whoever shuts gates tells the library so; around each such call it then ends the segment and
 * begins it again. */
struct tactus_waits {
  int (*gate_is_shut)(void); /* of a segment of this thread */
  void (*pause)(void);
  void (*go_on)(void);
};
void tactus_watch_waits(const struct tactus_waits* waits);

#ifdef __cplusplus
}
#endif

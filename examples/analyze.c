/* A program in C that asks which methods prove the deadlines of a system, and makes a plan.
 *
 *     cc -std=c11 analyze.c -ltactus -o analyze && ./analyze robot.system.json gcaps.suspend.prio
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

/* The whole file as a text, or NULL. */
static char* read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  size_t size = 0, room = 0, got = 1;
  while (file != NULL && got > 0) {
    if (room - size < 2) {
      char* larger = realloc(text, room = room * 2 + 4096);
      if (larger == NULL) break;
      text = larger;
    }
    got = fread(text + size, 1, room - size - 1, file);
    size += got;
    text[size] = '\0';
  }
  if (file != NULL) fclose(file);
  return text;
}

/* Prints the document of an answer, or its problems; frees it. */
static int show(const char* what, tactus_answer* answer) {
  const int status = tactus_answer_status(answer);
  const char* document = tactus_answer_document(answer);
  if (document != NULL) {
    printf("%s:\n%s", what, document);
  } else {
    fprintf(stderr, "%s: no answer:\n%s", what, tactus_answer_problems(answer));
  }
  tactus_answer_free(answer);
  return status;
}

static void tell(const char* text, void* data) {
  (void)data;
  fprintf(stderr, "... %s\n", text);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: analyze FILE METHOD\n");
    return TACTUS_BAD_INPUT;
  }
  char* system = read_file(argv[1]);
  if (system == NULL) {
    fprintf(stderr, "cannot read %s\n", argv[1]);
    return TACTUS_BAD_INPUT;
  }
  char request[256];
  if (strpbrk(argv[2], "\"\\") != NULL ||
      snprintf(request, sizeof request, "{\"method\": \"%s\"}", argv[2]) >= (int)sizeof request) {
    fprintf(stderr, "%s is no method\n", argv[2]);
    free(system);
    return TACTUS_BAD_INPUT;
  }
  tactus_call* call = tactus_call_new(); /* another thread could cancel it */
  tactus_call_on_progress(call, tell, NULL);
  int status = show("verdict", tactus_analyze(system, request, call));
  if (status == TACTUS_YES) status = show("plan", tactus_plan(system, request, call));
  tactus_call_free(call);
  free(system);
  return status;
}

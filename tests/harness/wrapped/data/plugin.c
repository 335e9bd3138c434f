/* A plugin in plain C, as a user would write one: copies, of which one is right. It finds the driver by
 * itself. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "harness/plugin.h"

typedef int (*copy_function)(uintptr_t to, uintptr_t from, size_t bytes, void* stream);

static int copy_elements(const ablate_case* of, int64_t elements, void* stream, char* why, size_t why_bytes) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = driver ? dlsym(driver, "cuMemcpyDtoDAsync_v2") : NULL;
  copy_function copy = NULL;
  int status;
  memcpy(&copy, &found, sizeof copy);
  if (!copy) {
    snprintf(why, why_bytes, "there is no driver");
    return 1;
  }
  status = copy((uintptr_t)of->arrays[1], (uintptr_t)of->arrays[0], (size_t)elements * sizeof(float), stream);
  if (status != 0) snprintf(why, why_bytes, "CUDA's error %d", status);
  return status;
}

static int copy_all(const ablate_case* of, void* stream, char* why, size_t why_bytes) {
  return copy_elements(of, of->array_elements[0], stream, why, why_bytes);
}

static int copy_all_but_one(const ablate_case* of, void* stream, char* why, size_t why_bytes) {
  return copy_elements(of, of->array_elements[0] - 1, stream, why, why_bytes);
}

static int refuse(const ablate_case* of, void* stream, char* why, size_t why_bytes) {
  (void)stream;
  snprintf(why, why_bytes, "no copy of %s %s today", of->axis_values[0], of->axis_names[0]);
  return 3;
}

static int copy_on_host(const ablate_case* of, char* why, size_t why_bytes) {
  if (strcmp(of->array_names[0], "x") != 0 || of->array_count != 2) {
    snprintf(why, why_bytes, "expected the arrays x and out");
    return 1;
  }
  memcpy(of->arrays[1], of->arrays[0], (size_t)of->array_elements[0] * sizeof(float));
  return 0;
}

static int fail_on_host(const ablate_case* of, char* why, size_t why_bytes) {
  return refuse(of, NULL, why, why_bytes);
}

#define AXES_AND_ARRAYS                                                                              \
  "\"axes\": [{\"name\": \"elements\", \"minimum\": 2, \"maximum\": 1000000, \"default\": 1000}],"   \
  "\"arrays\": [{\"name\": \"x\", \"role\": \"input\", \"type\": \"f32\", \"count\": \"elements\"}," \
  "             {\"name\": \"out\", \"role\": \"output\", \"type\": \"f32\", \"count\": \"elements\"}],"

static const ablate_launch launches[] = {copy_all, copy_all_but_one, refuse};
static const ablate_operation operations[] = {
    {"{\"operation\": \"plugin_copy\", \"description\": \"out = x\"," AXES_AND_ARRAYS
     "\"variants\": [{\"name\": \"all\", \"switches\": {\"complete\": \"on\"}}, {\"name\": \"all_but_one\"},"
     "{\"name\": \"none\"}]}",
     copy_on_host, launches, 3},
    {"{\"operation\": \"plugin_failure\", \"description\": \"an oracle that fails\"," AXES_AND_ARRAYS
     "\"variants\": [{\"name\": \"all\"}]}",
     fail_on_host, launches, 1}};
static const ablate_plugin table = {operations, 2};

const ablate_plugin* ablate_plugin_v1(void) { return &table; }

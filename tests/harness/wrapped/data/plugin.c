/* A plugin in plain C, as a user would write one: copies, of which one is right. It finds the driver by
 * itself. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "harness/plugin.h"

typedef int (*copy_function)(uintptr_t to, uintptr_t from, size_t bytes, void* stream);

typedef int (*allocate_function)(uintptr_t* at, size_t bytes);

static void* of_driver(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver ? dlsym(driver, name) : NULL;
}

static int copy_bytes(uintptr_t to, uintptr_t from, size_t bytes, void* stream, char* why, size_t why_bytes) {
  void* found = of_driver("cuMemcpyDtoDAsync_v2");
  copy_function copy = NULL;
  int status;
  memcpy(&copy, &found, sizeof copy);
  if (!copy) {
    snprintf(why, why_bytes, "there is no driver");
    return 1;
  }
  status = copy(to, from, bytes, stream);
  if (status != 0) snprintf(why, why_bytes, "CUDA's error %d", status);
  return status;
}

static int copy_elements(const ablate_case* of, int64_t elements, void* stream, char* why, size_t why_bytes) {
  return copy_bytes((uintptr_t)of->arrays[1], (uintptr_t)of->arrays[0], (size_t)elements * sizeof(float),
                    stream, why, why_bytes);
}

static int copy_all(const ablate_case* of, void* stream, char* why, size_t why_bytes) {
  return copy_elements(of, of->array_elements[0], stream, why, why_bytes);
}

static int copy_all_but_one(const ablate_case* of, void* stream, char* why, size_t why_bytes) {
  return copy_elements(of, of->array_elements[0] - 1, stream, why, why_bytes);
}

/* Keeps what its first launch computed, and gives it again where the inputs seem to be the same ones. */
static int copy_once(const ablate_case* of, void* stream, char* why, size_t why_bytes) {
  static uintptr_t kept = 0;
  static void* input = NULL;
  const size_t bytes = (size_t)of->array_elements[0] * sizeof(float);
  void* found = of_driver("cuMemAlloc_v2");
  allocate_function allocate = NULL;
  int status;
  if (kept != 0 && input == of->arrays[0])
    return copy_bytes((uintptr_t)of->arrays[1], kept, bytes, stream, why, why_bytes);
  memcpy(&allocate, &found, sizeof allocate);
  if (kept == 0 && (!allocate || allocate(&kept, bytes) != 0)) {
    snprintf(why, why_bytes, "no memory to keep anything");
    return 1;
  }
  input = of->arrays[0];
  status = copy_all(of, stream, why, why_bytes);
  return status ? status : copy_bytes(kept, (uintptr_t)of->arrays[1], bytes, stream, why, why_bytes);
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

static const ablate_launch launches[] = {copy_all, copy_all_but_one, refuse, copy_once};
static const ablate_operation operations[] = {
    {sizeof(ablate_operation),
     "{\"operation\": \"plugin_copy\", \"description\": \"out = x\"," AXES_AND_ARRAYS
     "\"variants\": [{\"name\": \"all\", \"switches\": {\"complete\": \"on\"}}, {\"name\": \"all_but_one\"},"
     "{\"name\": \"none\"}, {\"name\": \"once\"}]}",
     copy_on_host, launches, 4},
    {sizeof(ablate_operation),
     "{\"operation\": \"plugin_failure\", \"description\": \"an oracle that fails\"," AXES_AND_ARRAYS
     "\"variants\": [{\"name\": \"all\"}]}",
     fail_on_host, launches, 1}};
static const ablate_plugin table = {sizeof(ablate_plugin), operations, 2};

const ablate_plugin* ablate_plugin_v2(void) { return &table; }

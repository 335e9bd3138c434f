/* A plugin as it was compiled with the header of version 1, whose structs have no sizes. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct case_1 {
  size_t axis_count;
  const char* const* axis_names;
  const char* const* axis_values;
  size_t array_count;
  const char* const* array_names;
  const int64_t* array_elements;
  void* const* arrays;
};

typedef int (*launch_1)(const struct case_1* of, void* stream, char* why, size_t why_bytes);

struct operation_1 {
  const char* description;
  int (*reference)(const struct case_1* of, char* why, size_t why_bytes);
  const launch_1* launches;
  size_t launch_count;
};

struct plugin_1 {
  const struct operation_1* operations;
  size_t operation_count;
};

static int refuse(const struct case_1* of, void* stream, char* why, size_t why_bytes) {
  (void)of;
  (void)stream;
  snprintf(why, why_bytes, "not today");
  return 1;
}

static int copy_on_host(const struct case_1* of, char* why, size_t why_bytes) {
  if (of->axis_count != 1 || of->array_count != 2 || strcmp(of->array_names[0], "x") != 0) {
    snprintf(why, why_bytes, "expected an axis, and the arrays x and out");
    return 1;
  }
  memcpy(of->arrays[1], of->arrays[0], (size_t)of->array_elements[0] * sizeof(float));
  return 0;
}

#define REST                                                                                             \
  "\"axes\": [{\"name\": \"elements\", \"minimum\": 2, \"maximum\": 1000000, \"default\": 1000}],"       \
  "\"arrays\": [{\"name\": \"x\", \"role\": \"input\", \"type\": \"f32\", \"count\": \"elements\"},"     \
  "             {\"name\": \"out\", \"role\": \"output\", \"type\": \"f32\", \"count\": \"elements\"}]," \
  "\"variants\": [{\"name\": \"all\"}]}"

static const launch_1 launches[] = {refuse};
static const struct operation_1 operations[] = {
    {"{\"operation\": \"first_of_version_1\", \"description\": \"out = x\"," REST, copy_on_host, launches, 1},
    {"{\"operation\": \"second_of_version_1\", \"description\": \"out = x\"," REST, copy_on_host, launches,
     1}};
static const struct plugin_1 table = {operations, 2};

const struct plugin_1* ablate_plugin_v1(void);
const struct plugin_1* ablate_plugin_v1(void) { return &table; }

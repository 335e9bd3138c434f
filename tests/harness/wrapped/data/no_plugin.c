/* A shared object that is no plugin. */
int ablate_plugin_v0(void) { return 0; }

// What `service.network` puts in the place of unscatter-network.so: the library of another version.
extern "C" __attribute__((visibility("default"))) const void* unscatter_network(const char* /*build*/) {
  return nullptr;
}

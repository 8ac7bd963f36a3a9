#include "store/json_fields.h"

namespace unscatter {

nlohmann::json counts_to_json(const RequestCounts& counts) {
  return {{"features", counts.features},
          {"nodes", counts.nodes},
          {"edges", counts.edges},
          {"graphs", counts.graphs},
          {"subjects", counts.subjects}};
}

// get() turns -1 or 1.5 into some other number without an error.  read_canonical() notices: the number is then spelled
// in another way.
RequestCounts counts_from_json(const nlohmann::json& json) {
  RequestCounts counts;
  counts.features = json.at("features").get<std::size_t>();
  counts.nodes = json.at("nodes").get<std::size_t>();
  counts.edges = json.at("edges").get<std::size_t>();
  counts.graphs = json.at("graphs").get<std::size_t>();
  counts.subjects = json.at("subjects").get<std::size_t>();
  return counts;
}

nlohmann::json digests_to_json(const std::vector<Digest>& digests) {
  nlohmann::json list = nlohmann::json::array();
  for (const Digest& digest : digests) list.push_back(digest.hex());
  return list;
}

Result<Digest> digest_from_json(const nlohmann::json& json) { return parse_digest(json.get<std::string>()); }

Result<std::vector<Digest>> digests_from_json(const nlohmann::json& json) {
  // The loop also takes an object, a single value or null.  They would be spelled as a list, so read_canonical()
  // refuses them.
  std::vector<Digest> digests;
  for (const nlohmann::json& item : json) {
    UNSCATTER_TRY(digest, digest_from_json(item));
    digests.push_back(digest);
  }
  return digests;
}

}  // namespace unscatter

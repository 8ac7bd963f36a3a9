#include "store/json_fields.h"

namespace unscatter {

nlohmann::json counts_to_json(const RequestCounts& counts) {
  return {{"features", counts.features},
          {"nodes", counts.nodes},
          {"edges", counts.edges},
          {"graphs", counts.graphs},
          {"subjects", counts.subjects}};
}

std::uint64_t whole_number(const nlohmann::json& json) {
  return json.get_ref<const nlohmann::json::number_unsigned_t&>();
}

RequestCounts counts_from_json(const nlohmann::json& json) {
  RequestCounts counts;
  counts.features = whole_number(json.at("features"));
  counts.nodes = whole_number(json.at("nodes"));
  counts.edges = whole_number(json.at("edges"));
  counts.graphs = whole_number(json.at("graphs"));
  counts.subjects = whole_number(json.at("subjects"));
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

#include <fmt/format.h>

#include "catalogue.h"
#include "commands.h"
#include "locations.h"

namespace unscatter::cli {
namespace {

Json entry_json(const CatalogueEntry& entry, const std::optional<LocalDataset>& local) {
  Json json = {{"name", entry.name},          {"graphs", entry.graphs},           {"classes", entry.classes},
               {"nodes", entry.nodes},        {"description", entry.description}, {"origin", entry.origin},
               {"fetchable", entry.fetchable}};
  json["how_to_get"] = entry.how_to_get.empty() ? Json() : Json(entry.how_to_get);
  json["content_digest"] = entry.content_digest.empty() ? Json() : Json(entry.content_digest);
  json["place"] = local ? Json(local->place) : Json();
  json["path"] = local ? Json(local->path.string()) : Json();
  return json;
}

std::string place_text(const CatalogueEntry& entry, const std::optional<LocalDataset>& local) {
  if (local) return std::string(local->place);
  return entry.fetchable ? "fetch" : "-";
}

std::string legend() {
  const auto cache = cache_folder();
  const auto data = data_folder();
  return fmt::format("\ncache: {}\ndata:  {}\n", cache.ok() ? cache->string() : "none",
                     data ? data->string() + " ($UNSCATTER_DATA)" : "UNSCATTER_DATA is not set");
}

Result<Report> list_datasets() {
  UNSCATTER_TRY(catalogue, load_catalogue());
  using enum Table::Align;
  Table table(
      {{"name"}, {"graphs", kRight}, {"classes", kRight}, {"nodes", kRight}, {"here"}, {"from"}, {"what it is"}});
  Json datasets = Json::array();
  for (const CatalogueEntry& entry : catalogue.entries()) {
    const auto local = find_local(entry.name);
    table.add_row({entry.name, grouped(entry.graphs), grouped(entry.classes), grouped(entry.nodes),
                   place_text(entry, local), entry.origin, entry.description});
    datasets.push_back(entry_json(entry, local));
  }
  return Report{{{"datasets", std::move(datasets)}}, table.str() + legend()};
}

}  // namespace

void add_list_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("list", "Data sets known by name, and which of them are here");
  command.footer(
      R"(The column "here" says where a data set was found: "data" (in the folder $UNSCATTER_DATA, as NAME/NAME.zip or
NAME/*.npz) or "cache" (fetched before); "fetch" means that 'unscatter datasets fetch NAME' can get it.

Examples:
  unscatter datasets list
  unscatter datasets list --json | jq -r '.datasets[] | select(.path) | .path')");
  context.add_action(command, list_datasets);
}

}  // namespace unscatter::cli

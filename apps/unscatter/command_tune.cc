#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "constant_options.h"
#include "locations.h"
#include "store/shard_crew.h"
#include "training.h"
#include "unscatter/graph/read.h"
#include "unscatter/unlearn/tune.h"
#include "usage.h"

namespace unscatter::cli {
namespace {

struct TuneArguments {
  std::string data;
  std::string public_data;
  double public_share = 0;
  double train_share = 1;
  std::uint64_t seed = 1;
  std::vector<std::string> recipes;
  std::vector<std::string> losses;
  std::vector<double> lambdas;
  std::vector<double> noises;
  std::size_t folds = 0;
  double hold_out = 0;
  std::string protect = "removed";
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<std::size_t> per_subject;
  std::optional<std::size_t> releases;
  std::size_t graphs = 0;
  std::size_t threads = 0;

  [[nodiscard]] Status check() const;
  [[nodiscard]] Result<TuneOptions> options() const;
};

Error wrong(std::string_view sentence) { return Error{ErrorCode::kInvalidArgument, std::string(sentence)}; }

Status TuneArguments::check() const {
  if (public_data.empty() && public_share == 0) {
    return wrong(
        "there is no public data: give --public-data, or --public-share with --data; a choice that was made on private "
        "data is covered by no certificate");
  }
  if (!public_data.empty() && public_share > 0) {
    return wrong("--public-data and --public-share are two ways to say one thing");
  }
  if (public_share > 0 && data.empty()) return wrong("--public-share is a share of --data, which is not given");
  if (!public_data.empty() && train_share < 1) return wrong("--train-share goes with --public-share");
  if (folds > 0 && hold_out > 0) return wrong("--folds and --hold-out are two ways to say one thing");
  if (protect == "everyone") {
    if (!noises.empty()) {
      return wrong(
          "--noises does not go with --protect everyone: there the noise follows from --epsilon, --delta, --releases "
          "and "
          "the ridge");
    }
    return ok_status();
  }
  if (per_subject) return wrong("--per-subject belongs to --protect everyone");
  if (epsilon || delta || releases) {
    return wrong(
        "--epsilon, --delta and --releases belong to --protect everyone: at level removed they change no accuracy");
  }
  if (graphs > 0) return wrong("--graphs belongs to --protect everyone, whose noise depends on it");
  return ok_status();
}

Result<TuneOptions> TuneArguments::options() const {
  TuneOptions options;
  options.recipes = recipes;
  for (const std::string& text : losses) {
    UNSCATTER_TRY(loss, Loss::parse(text));
    options.losses.push_back(loss);
  }
  options.lambdas = lambdas;
  options.noises = noises;
  options.folds = folds;
  options.hold_out = hold_out;
  options.seed = seed;
  options.threads = threads;
  options.graphs = graphs;
  UNSCATTER_TRY(level, parse_protection(protect));
  options.session.protection = level;
  if (epsilon) options.session.guarantee.epsilon = *epsilon;
  if (delta) options.session.guarantee.delta = *delta;
  if (per_subject) options.session.per_subject = *per_subject;
  // As `train` takes it.
  if (level == Protection::kEveryone) options.session.releases = 1;
  if (releases) options.session.releases = *releases;
  return options;
}

struct PublicGraphs {
  Dataset dataset;
  std::size_t learned = 0;  // graphs that `train` will learn from; 0: not known
};

// Classes that no public graph has cannot be tuned for.
Status keep_classes_that_occur(Dataset& dataset) { return state_classes(dataset, classes_that_occur(dataset)); }

// With --public-data nothing else is read.  With --public-share the file is read as a whole, and what is not public is
// dropped at once.
Result<PublicGraphs> read_public_graphs(const TuneArguments& arguments, Context& context) {
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path,
                resolve_dataset(arguments.public_data.empty() ? arguments.data : arguments.public_data, catalogue));
  UNSCATTER_TRY(dataset, read_dataset(path, {.threads = arguments.threads, .progress = &context.progress()}));
  PublicGraphs open;
  if (arguments.public_share > 0) {
    UNSCATTER_TRY(split,
                  split_for_training(dataset.size(), arguments.train_share, arguments.public_share, arguments.seed));
    open.dataset = subset(dataset, split.validation);
    open.learned = split.train.size();
  } else {
    open.dataset = std::move(dataset);
  }
  if (open.dataset.size() == 0) return wrong("no graph is public");
  UNSCATTER_CHECK_OK(keep_classes_that_occur(open.dataset));
  return open;
}

// As a shell reads it as one word.
std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._/-+:=").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// What to run next.
std::string train_command(const TuneArguments& arguments, const TuneLine& line, std::size_t graphs) {
  std::string text = fmt::format("unscatter train --data {} --workspace w.unscatter",
                                 arguments.data.empty() ? std::string("PRIVATE") : shell_word(arguments.data));
  if (arguments.public_share > 0) {
    text += fmt::format(" --public-share {}", arguments.public_share);
    if (arguments.train_share < 1) text += fmt::format(" --train-share {}", arguments.train_share);
    text += fmt::format(" --seed {}", arguments.seed);
  }
  text += fmt::format(" --embedding {} --loss {}", shell_word(line.recipe), line.loss.describe());
  if (arguments.protect != "everyone")
    return text + fmt::format(" --lambda {:g} --noise {:g}", line.lambda, line.noise_stddev);
  text += fmt::format(" --protect everyone --ridge {:g}", line.lambda * static_cast<double>(graphs));
  if (arguments.epsilon) text += fmt::format(" --epsilon {:g}", *arguments.epsilon);
  if (arguments.delta) text += fmt::format(" --delta {:g}", *arguments.delta);
  if (arguments.per_subject) text += fmt::format(" --per-subject {}", *arguments.per_subject);
  if (arguments.releases) text += fmt::format(" --releases {}", *arguments.releases);
  return text;
}

Json line_json(const TuneLine& line) {
  return {{"recipe", line.recipe},           {"loss", line.loss.describe()},
          {"lambda", line.lambda},           {"noise_stddev", line.noise_stddev},
          {"accuracy", line.accuracy / 100}, {"coordinates", line.coordinates}};
}

Report report_tuning(const TuneArguments& arguments, const TuneReport& tuned, std::size_t graphs,
                     const std::string& command) {
  Report report;
  report.json = {{"public_graphs", graphs},
                 {"folds", tuned.folds},
                 {"held_out", tuned.held_out},
                 {"protect", arguments.protect},
                 {"uncertainty", tuned.uncertainty / 100},
                 {"lines", Json::array()},
                 {"chosen", line_json(tuned.lines[tuned.chosen])},
                 {"command", command}};
  Table table({{""},
               {"recipe"},
               {"loss"},
               {"lambda", Table::Align::kRight},
               {"noise", Table::Align::kRight},
               {"accuracy", Table::Align::kRight}});
  for (std::size_t i = 0; i < tuned.lines.size(); ++i) {
    const TuneLine& line = tuned.lines[i];
    report.json["lines"].push_back(line_json(line));
    table.add_row({i == tuned.chosen ? "*" : "", line.recipe, line.loss.describe(), fmt::format("{:.3g}", line.lambda),
                   fmt::format("{:.3g}", line.noise_stddev), fmt::format("{:.1f} %", line.accuracy)});
  }
  report.text = fmt::format(
      "{}\nAccuracy of published models, on {} that no model had learned from ({}); +-{:.1f} by chance.\n\n{}\n",
      table.str(), counted(tuned.held_out, "public graph", "public graphs"),
      tuned.folds > 1 ? fmt::format("{} folds", tuned.folds) : std::string("held out once"), tuned.uncertainty,
      command);
  return report;
}

Result<Report> tune_action(const TuneArguments& arguments, Context& context) {
  UNSCATTER_TRY(options, arguments.options());
  UNSCATTER_TRY(open, read_public_graphs(arguments, context));
  if (options.graphs == 0) options.graphs = open.learned;
  options.progress = &context.progress();
  options.session.crew = context.crew();
  UNSCATTER_TRY(tuned, tune_on_public(open.dataset, options));
  const std::string command = train_command(arguments, tuned.lines[tuned.chosen], tuned.graphs);
  return report_tuning(arguments, tuned, open.dataset.size(), command);
}

void add_tune_options(CLI::App& command, TuneArguments& arguments) {
  command.add_option("--data", arguments.data, "What `train` will learn from; read only with --public-share");
  command.add_option("--public-data", arguments.public_data,
                     "A data set that is declared public; nothing else is read");
  command.add_option("--public-share", arguments.public_share, "A share of --data that is public, as for `train`")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--train-share", arguments.train_share,
                  "With --public-share: the --train-share that `train` will have")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--seed", arguments.seed, "Of the shares, as for `train`, and of the folds")
      ->capture_default_str();
  const std::string choices = "What is chosen among";
  command.add_option("--recipes", arguments.recipes, "Names or texts, with commas between them; default by the data")
      ->group(choices)
      ->delimiter(',');
  command.add_option("--losses", arguments.losses, "Default: squared; everyone: logistic")
      ->group(choices)
      ->delimiter(',');
  command.add_option("--lambdas", arguments.lambdas, "Default: half decades that suit each recipe")
      ->group(choices)
      ->delimiter(',')
      ->check(number_between(1e-15, 1e6, "1e-15 to 1e+06: a certificate rests on it"), "");
  command
      .add_option("--noises", arguments.noises,
                  "removed: the largest of these is chosen that costs half a point at most")
      ->group(choices)
      ->delimiter(',')
      ->check(number_between(1e-15, 1e6, "1e-15 to 1e+06; weights are of size 1 or so"), "")
      ->default_str(fmt::format("{}", SessionOptions{}.noise_stddev));
  const std::string looking = "How accuracy is measured";
  command.add_option("--folds", arguments.folds, "Every public graph is held out once, in so many parts")
      ->group(looking)
      ->check(number_between(2, 1e6, "2 to 1e+06"), "")
      ->default_str(fmt::format("5; from {} public graphs on --hold-out 0.3", kManyPublicGraphs));
  command.add_option("--hold-out", arguments.hold_out, "Only this share of the public graphs is held out")
      ->group(looking)
      ->check(number_between(0.01, 0.99, "0.01 to 0.99"), "");
  command.add_option("--threads", arguments.threads, "0: all")->group(looking)->capture_default_str();
  const std::string guarantee = "Guarantee";
  command.add_option("--protect", arguments.protect, "Whom published models protect, as for `train`")
      ->group(guarantee)
      ->check(CLI::IsMember({"removed", "everyone"}))
      ->capture_default_str();
  command.add_option("--epsilon", arguments.epsilon, "everyone: of the guarantee")
      ->group(guarantee)
      ->check(number_between(1e-6, 100, "1e-06 to 100; 0.1 to 10 is usual, and above 100 nothing is promised"), "");
  command.add_option("--delta", arguments.delta, "everyone: of the guarantee")
      ->group(guarantee)
      ->check(number_between(1e-30, 0.999, "1e-30 to 0.999; far less than one in the number of graphs is usual"), "");
  command
      .add_option("--per-subject", arguments.per_subject, "everyone: how many graphs one external node id may be in")
      ->group(guarantee)
      ->check(CLI::PositiveNumber);
  command
      .add_option("--releases", arguments.releases,
                  "everyone: how many published models the guarantee covers, 1 if not given")
      ->group(guarantee)
      ->check(number_between(1, 1e9, "1 to 1e+09"), "");
  command
      .add_option("--graphs", arguments.graphs,
                  "everyone: how many graphs `train` will learn from, where --public-share does not tell")
      ->group(guarantee);
}

}  // namespace

void add_tune_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("tune", "Choose recipe, loss, lambda and noise on public data");
  const auto arguments = std::make_shared<TuneArguments>();
  add_tune_options(command, *arguments);
  command.footer(R"(
Examples:
  unscatter tune --public-data published-groups.jsonl
  unscatter tune --data groups.jsonl --public-share 0.1
  unscatter tune --data groups.jsonl --public-share 0.1 --recipes 'auto,size + shapes*2' --lambdas 1e-6,1e-5,1e-4
  unscatter tune --data groups.jsonl --public-share 0.2 --noises 0.01,0.03,0.1 --folds 10
  unscatter tune --public-data published-groups.jsonl --protect everyone --per-subject 1 --graphs 20000

Every setting is measured as it would be published: with its noise, on public graphs that the model had not learned
from.  The accuracy is the mean over all draws of the noise, by a formula and not by chance.  It is smoothed over
neighbouring lambdas, and among equals the first recipe and the largest lambda win.  At level removed the first recipe
with its own lambda is left for a clear gain only: one standard deviation, which the table tells.  The last line is the
command to train with.
A choice that was made on private data is covered by no certificate (docs/constants.md).  So this command looks at
public data only.)");
  context.add_action(
      command, [arguments, &context] { return tune_action(*arguments, context); },
      [arguments]() -> Status {
        UNSCATTER_CHECK_OK(arguments->check());
        UNSCATTER_CHECK_OK(arguments->options());
        for (const std::string& recipe : arguments->recipes) UNSCATTER_CHECK_OK(canonical_recipe(recipe));
        return ok_status();
      });
}

}  // namespace unscatter::cli

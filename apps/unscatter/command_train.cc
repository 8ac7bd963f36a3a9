#include <memory>

#include "commands.h"
#include "training.h"
#include "usage.h"

namespace unscatter::cli {
namespace {

// What does not go together with --rows, or not without.
Status check_row_usage(const TrainArguments& arguments) {
  const auto wrong = [](const char* sentence) { return Error{ErrorCode::kInvalidArgument, sentence}; };
  if (!arguments.rows.given()) {
    if (arguments.embedding_epsilon || arguments.embedding_delta) {
      return wrong(
          "--embedding-epsilon and --embedding-delta belong to --rows: embeddings of this program learn from "
          "nobody");
    }
    return ok_status();
  }
  if (arguments.embedding_delta && !arguments.embedding_epsilon) {
    return wrong("--embedding-delta needs --embedding-epsilon");
  }
  if (arguments.stream) return wrong("--stream does not go with --rows: an array is read as a whole");
  if (arguments.guarantee.preset == "paper") {
    return wrong("--preset paper is about graphs; --rows has --mechanism objective for noise in the objective");
  }
  return ok_status();
}

}  // namespace

void add_train_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand("train", "Learn from a data set, into a workspace that can forget");
  const auto arguments = std::make_shared<TrainArguments>();
  command.add_option("--data", arguments->data, "A data set, or the name of one that is here");
  arguments->workspace.add_to(command);
  command.add_flag("--force", arguments->force, "Replace --workspace if it exists, once the new one is complete");
  arguments->key.add_to(command);
  command
      .add_option("--train-share", arguments->train_share,
                  "Share of the graphs to learn from; the others tell the accuracy")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_flag("--compare-levels", arguments->compare_levels,
                   "With --train-share: how accurate published models are at level removed and at level everyone");
  command.add_option("--seed", arguments->seed, "Which graphs those are: same seed, same choice")
      ->capture_default_str();
  command.add_flag("--stream", arguments->stream,
                   "Read --data twice instead of holding all graphs in memory (JSONL; long files need no flag)");
  arguments->rows.add_to(command);
  command
      .add_option("--embedding-epsilon", arguments->embedding_epsilon,
                  "The function that made --rows learned from private data, with this differential privacy")
      ->group("Rows")
      ->check(number_between(0, 100, "0 to 100"), "");
  command.add_option("--embedding-delta", arguments->embedding_delta, "Its delta, 0 if it is not given")
      ->group("Rows")
      ->check(number_between(0, 0.999, "0 to 0.999"), "");
  arguments->add_choices_to(command);
  arguments->expiry.add_to(command);
  command.footer(R"(
Examples:
  unscatter train --data groups.jsonl --workspace w.unscatter
  unscatter train --data MNIST --workspace mnist.unscatter --embedding auto
  unscatter train --data groups.jsonl --workspace w.unscatter --train-share 0.8 --lambda 1e-4 --scales 5
  unscatter train --data IMDB-BINARY --workspace imdb.unscatter --epsilon 0.5 --delta 1e-5 --releases 100
  unscatter train --data groups.jsonl --workspace w.unscatter --train-share 0.8 --compare-levels --per-subject 1
  unscatter train --data groups.jsonl --workspace w.unscatter --protect everyone --per-subject 1 --ridge 50
  unscatter train --data groups.jsonl --workspace w.unscatter --keep-for 90d
  unscatter train --data IMDB-BINARY --workspace paper.unscatter --preset paper --force
  unscatter train --rows Z.npy --labels y.txt --row-ids ids.txt --workspace rows.unscatter

The workspace holds the graphs, the model, the ledger and its receipts in one file.  Graphs keep the numbers they have
in the data set.  The signing key is made on first use; it stays outside of the workspace.
A JSONL file of 64 MB and more is read twice, so that memory holds embedded rows and not graphs, however long it is.
--stream asks for it with any size, and says why where it cannot be (--train-share, --public-share, --protect everyone,
--preset paper, constants that are means).
--force makes a new workspace.  Models that the old one published are not counted in the new one.
--protect removed: published models are close to those of retraining after the same requests.  Models from before a
removal still know what was removed; 'forget' says how much they tell.  --protect everyone: published models are
differentially private for every subject; the noise follows from --epsilon, --delta, --releases and --ridge.
--preset paper: noise in the objective (alpha 0.1), data-dependent bound, the paper's budget, tombstones, and on the
paper's own data sets its scales, moments, layers and lambda; the certificate says what is not sound about it.  An
option that is given goes before the preset.
--rows learns from rows that a function outside of this program made, or from plain numbers: a row is a graph of one
node, and every request works for it.  The promise then holds only if that function learned from no private data; if it
did, with differential privacy, --embedding-epsilon and --embedding-delta say how much, and the certificate adds it up.
Recipes, features and transforms: unscatter embed --help.)");
  context.add_action(
      command, [arguments, &command, &context] { return train_workspace(*arguments, command, context); },
      [arguments]() -> Status {
        UNSCATTER_CHECK_OK(arguments->rows.check(arguments->data));
        UNSCATTER_CHECK_OK(check_row_usage(*arguments));
        UNSCATTER_CHECK_OK(arguments->transform.spec());
        UNSCATTER_CHECK_OK(arguments->guarantee.options({}));
        UNSCATTER_CHECK_OK(arguments->expiry.check());
        // An option that changes nothing would let somebody believe in a protection that is not there.
        if (arguments->guarantee.per_subject && arguments->guarantee.protect != "everyone" &&
            !arguments->compare_levels) {
          return Error{ErrorCode::kInvalidArgument, "--per-subject belongs to --protect everyone"};
        }
        if (arguments->compare_levels && arguments->train_share == 1) {
          return Error{ErrorCode::kInvalidArgument,
                       "--compare-levels needs graphs that are not learned from: --train-share below 1"};
        }
        return ok_status();
      });
}

}  // namespace unscatter::cli

// One function per subcommand.  It adds the command to `parent` and registers its action with `context` (context.h).  A
// new command is a file command_NAME.cc, a line here and a line in program.cc.
#pragma once

#include <CLI/CLI.hpp>

#include "context.h"

namespace unscatter::cli {

void add_demo_command(CLI::App& parent, Context& context);
void add_datasets_command(CLI::App& parent, Context& context);
void add_embed_command(CLI::App& parent, Context& context);
void add_train_command(CLI::App& parent, Context& context);
void add_tune_command(CLI::App& parent, Context& context);
void add_predict_command(CLI::App& parent, Context& context);
void add_forget_command(CLI::App& parent, Context& context);
void add_add_command(CLI::App& parent, Context& context);
void add_correct_command(CLI::App& parent, Context& context);
void add_expire_command(CLI::App& parent, Context& context);
void add_status_command(CLI::App& parent, Context& context);
void add_certificate_command(CLI::App& parent, Context& context);
void add_verify_command(CLI::App& parent, Context& context);
void add_audit_command(CLI::App& parent, Context& context);
void add_release_command(CLI::App& parent, Context& context);
void add_graphs_command(CLI::App& parent, Context& context);
void add_subject_command(CLI::App& parent, Context& context);
void add_subjects_command(CLI::App& parent, Context& context);
void add_export_command(CLI::App& parent, Context& context);
void add_renew_command(CLI::App& parent, Context& context);
void add_retrain_command(CLI::App& parent, Context& context);
void add_check_command(CLI::App& parent, Context& context);
void add_backup_command(CLI::App& parent, Context& context);
void add_compact_command(CLI::App& parent, Context& context);
void add_shard_command(CLI::App& parent, Context& context);
void add_merge_command(CLI::App& parent, Context& context);
void add_upgrade_command(CLI::App& parent, Context& context);
void add_key_command(CLI::App& parent, Context& context);
// In builds with the service.
void add_serve_command(CLI::App& parent, Context& context);
void add_token_command(CLI::App& parent, Context& context);

// Below `unscatter datasets`.
void add_list_command(CLI::App& parent, Context& context);
void add_info_command(CLI::App& parent, Context& context);
void add_generate_command(CLI::App& parent, Context& context);
void add_fetch_command(CLI::App& parent, Context& context);

}  // namespace unscatter::cli

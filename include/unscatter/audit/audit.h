// Plays the observer: tries to tell published models of two worlds apart, and says how well that went beside what was
// promised.  What the numbers mean, and what they cannot show, is in docs/audit.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/privacy/gaussian_profile.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// Which two worlds are compared.
enum class AuditGame {
  kRemoved,   // a session that forgot, against one trained from scratch on what is left
  kEveryone,  // two models, before and after x left, against two models of a session that never had x
};

// "removed", "everyone".
[[nodiscard]] std::string_view name(AuditGame game);
// The inverse.  Errors: kInvalidArgument.
[[nodiscard]] Result<AuditGame> parse_audit_game(std::string_view text);

struct AuditOptions {
  std::vector<AuditGame> games = {AuditGame::kRemoved};  // at least one, none twice
  // Observations per world, >= 1000.  Fewer are made where models are so large that this would take hours: see
  // GameReport::draws.
  std::size_t draws = 20000;
  std::size_t removals = 20;  // random ones, of all kinds, before the comparison; >= 1
  double confidence = 0.95;   // in (0, 1): with this probability all bounds of one audit hold together
  std::uint64_t seed = 1;     // of the auditor's choices: what is removed.  Never of noise.
  bool faults = true;         // plant faults too
  std::size_t threads = 0;    // 0: all
  Progress* progress = nullptr;
};

// One way to look at two worlds: the part of the weights that is looked at, and what the counts say about it.
struct AuditLook {
  std::string name;                // "all weights", "class 1", "coordinates 0-11"
  double known_shift = 0;          // |D| / sigma of the kept weights, which no observer has
  double threshold = 0;            // of t, fixed before the counted observations
  std::size_t draws = 0;           // counted observations per world
  std::size_t above = 0;           // how many of the world that forgot were above the threshold
  std::size_t reference = 0;       // how many of the other world were
  double shift_lower_bound = 0;    // on mu
  double epsilon_lower_bound = 0;  // at the promised delta, from the counts alone
};

// A check of the noise itself.
struct NoiseCheck {
  std::string name;
  bool passed = false;
  std::string detail;
};

// How often t fell where, for a picture: bins of equal width, those at both ends take what lies beyond.
struct AuditHistogram {
  double low = 0;
  double high = 0;
  std::vector<std::size_t> reference;
  std::vector<std::size_t> test;
};

struct GameReport {
  AuditGame game = AuditGame::kRemoved;
  std::string about;                     // the two worlds, in a sentence
  RequestCounts requests;                // what was removed
  std::size_t draws = 0;                 // observations made per world
  double noise_stddev = 0;               // of an observation
  RemovalGuarantee guarantee{0, 0};      // what was promised
  std::optional<double> promised_shift;  // of one observation; nothing if the session does not promise this game
  double visible_shift = 0;              // a shift from here on would probably have been shown to break the promise
  std::vector<AuditLook> looks;          // the first one is at all weights
  std::vector<NoiseCheck> noise;
  AuditHistogram histogram;  // of the first look
  // Of all looks.
  double shift_lower_bound = 0;
  double epsilon_lower_bound = 0;
  bool exceeded = false;  // a bound is above the promise
  [[nodiscard]] bool passed() const;
};

// A comparison whose answer is known.
struct AuditControl {
  AuditGame game = AuditGame::kRemoved;
  std::string name;  // "null", "planted shift"
  double truth = 0;
  double shift_lower_bound = 0;
  double epsilon_lower_bound = 0;
  bool passed = false;
};

// A fault that was planted into what observers see.  The session itself has none of it.
struct AuditFault {
  AuditGame game = AuditGame::kRemoved;
  std::string name;
  std::string what;
  std::optional<double> shift;  // mu that it causes, where it moves weights
  bool visible = true;          // false: a smaller shift than so many draws can show
  bool flagged = false;
  std::string flagged_by;  // a look or a check; empty if not flagged
};

struct AuditReport {
  std::vector<GameReport> games;
  std::vector<AuditControl> controls;
  std::vector<AuditFault> faults;
  // No bound is above a promise, noise and controls are right, and every visible fault was flagged.
  [[nodiscard]] bool passed() const;
};

// The first thing that is wrong with a report that did not pass, in a sentence.
[[nodiscard]] std::string first_failure(const AuditReport& report);

// Works on copies in memory: the session stays as it is and publishes nothing.  The report is about kept weights.  Like
// a certificate, it is for whoever runs the session.
//
// Errors: kInvalidArgument (options; fewer than three graphs); kUnsupported for the game `everyone` under the objective
// mechanism; those of Session.
[[nodiscard]] Result<AuditReport> audit(const Session& session, const std::shared_ptr<const Embedder>& embedder,
                                        const AuditOptions& options = {});

// A picture of the first look of a game, as an SVG document: how often t fell where in both worlds, the two normal
// curves that the known shift gives, and bound and promise in words.
[[nodiscard]] std::string draw_game(const GameReport& game, double confidence);

}  // namespace unscatter

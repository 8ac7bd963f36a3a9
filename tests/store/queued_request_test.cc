#include "unscatter/store/queued_request.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace unscatter {
namespace {

using enum RequestState;

std::vector<RequestState> all_states() {
  std::vector<RequestState> states;
  for (std::size_t i = 0; i < kRequestStates; ++i) states.push_back(static_cast<RequestState>(i));
  return states;
}

// The picture of request_queue.h, written a second time.
TEST(QueuedRequest, EveryPairOfStatesIsAllowedOrNot) {
  const std::map<RequestState, std::set<RequestState>> allowed = {
      {kReceived, {kVerified, kQueued, kRefused, kCancelled}},
      {kVerified, {kQueued, kRefused, kCancelled}},
      {kQueued, {kDone, kAlreadyAbsent, kRefused, kFailed, kCancelled}},
      {kFailed, {kQueued, kRefused, kCancelled}},
  };
  std::size_t moves = 0;
  for (const RequestState from : all_states()) {
    for (const RequestState to : all_states()) {
      const bool expected = allowed.contains(from) && allowed.at(from).contains(to);
      EXPECT_EQ(may_move(from, to), expected) << request_state_name(from) << " to " << request_state_name(to);
      moves += may_move(from, to) ? 1u : 0u;
    }
  }
  EXPECT_EQ(moves, 15u);
}

TEST(QueuedRequest, NothingLeadsOutOfAFinalStateAndSomethingOutOfEveryOther) {
  for (const RequestState from : all_states()) {
    bool leads_out = false;
    for (const RequestState to : all_states()) leads_out = leads_out || may_move(from, to);
    EXPECT_EQ(leads_out, !is_final(from)) << request_state_name(from);
  }
}

TEST(QueuedRequest, NamesReadBackAndDiffer) {
  std::set<std::string_view> names;
  for (const RequestState state : all_states()) {
    names.insert(request_state_name(state));
    EXPECT_EQ(parse_request_state(request_state_name(state)).value(), state);
  }
  EXPECT_EQ(names.size(), kRequestStates);
  EXPECT_FALSE(parse_request_state("lost").ok());
  std::set<std::string_view> notes;
  for (unsigned i = 0; i <= static_cast<unsigned>(RequestNote::kTriedAgain); ++i) {
    const auto note = static_cast<RequestNote>(i);
    notes.insert(request_note_name(note));
    EXPECT_EQ(parse_request_note(request_note_name(note)).value(), note);
  }
  EXPECT_EQ(notes.size(), 15u);
  EXPECT_EQ(parse_request_note("because").error().code, ErrorCode::kMalformedInput);
  EXPECT_EQ(request_kind_name(RequestKind::kSubject), "subject");
}

TEST(QueuedRequest, AnIdHasOneSpelling) {
  RequestId id;
  for (std::size_t i = 0; i < 16; ++i) id.bytes[i] = static_cast<std::uint8_t>(17 * i);
  EXPECT_EQ(id.hex(), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(parse_request_id(id.hex()).value(), id);
  for (const char* wrong : {"", "00", "00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeefg",
                            "00112233445566778899aabbccddeeff0"}) {
    EXPECT_EQ(parse_request_id(wrong).error().code, ErrorCode::kMalformedInput) << wrong;
  }
}

}  // namespace
}  // namespace unscatter

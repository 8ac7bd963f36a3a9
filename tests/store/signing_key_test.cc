#include "unscatter/store/signing_key.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/testing/seeded_random.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

SigningKey seeded_key(std::uint64_t seed) {
  testing::SeededRandom random(seed);
  return SigningKey::generate(random);
}

unsigned file_mode(const fs::path& path) {
  struct stat found = {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777u;
}

fs::path private_file(const testing::TemporaryFolder& folder, std::string_view content) {
  static int counter = 0;
  const fs::path path = folder.write(fmt::format("key-{}", counter++), content);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  return path;
}

std::string bytes_of_hex(std::string_view hex) {
  std::vector<std::uint8_t> bytes(hex.size() / 2);
  EXPECT_TRUE(from_hex(hex, bytes));
  return {bytes.begin(), bytes.end()};
}

struct KnownSignature {
  const char* seed;
  const char* public_key;
  const char* message;
  const char* signature;
};
// RFC 8032, section 7.1, tests 1 to 3.
constexpr KnownSignature kKnownSignatures[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33b"
     "acc61e39701cf9b46bd25bf5f0595bbe24655141438e"
     "7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e1599"
     "6e458f3613d0f11d8c387b2eaeb4302aeeb00d291612"
     "bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f2"
     "90ae67f760984dc6594a7c15e9716ed28dc027beceea"
     "1ec40a"}};

TEST(SigningKey, GivesThePublishedSignatures) {
  const testing::TemporaryFolder folder;
  for (const KnownSignature& known : kKnownSignatures) {
    const fs::path path = private_file(folder, fmt::format("unscatter-signing-key-1 {}\n", known.seed));
    const SigningKey key = SigningKey::load(path).value();
    const std::string message = bytes_of_hex(known.message);
    EXPECT_EQ(key.public_key().hex(), known.public_key);
    EXPECT_EQ(key.sign(message).hex(), known.signature);
    EXPECT_TRUE(verify_signature(message, parse_signature(known.signature).value(), key.public_key()));
  }
}

TEST(SigningKey, EveryChangedBitOfMessageSignatureOrKeyIsNoticed) {
  const SigningKey key = seeded_key(1);
  const std::string message = "forgotten";
  const Signature signature = key.sign(message);
  ASSERT_TRUE(verify_signature(message, signature, key.public_key()));
  const auto flipped = [](auto bytes, std::size_t bit) {
    bytes[bit / 8] = static_cast<typename decltype(bytes)::value_type>(bytes[bit / 8] ^ (1 << (bit % 8)));
    return bytes;
  };
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    EXPECT_FALSE(verify_signature(flipped(message, bit), signature, key.public_key())) << bit;
  }
  for (std::size_t bit = 0; bit < 512; ++bit) {
    EXPECT_FALSE(verify_signature(message, Signature{flipped(signature.bytes, bit)}, key.public_key())) << bit;
  }
  for (std::size_t bit = 0; bit < 256; ++bit) {
    EXPECT_FALSE(verify_signature(message, signature, PublicKey{flipped(key.public_key().bytes, bit)})) << bit;
  }
  EXPECT_FALSE(verify_signature(message + " ", signature, key.public_key()));
  EXPECT_FALSE(verify_signature("", signature, key.public_key()));
}

TEST(SigningKey, IsReadBackFromItsFile) {
  const testing::TemporaryFolder folder;
  const SigningKey key = seeded_key(2);
  const fs::path path = folder.path() / "a" / "b" / "key";
  ASSERT_TRUE(key.save(path).ok());
  EXPECT_EQ(file_mode(path), 0600u);
  EXPECT_EQ(file_mode(path.parent_path()), 0700u);
  EXPECT_EQ(file_mode(path.parent_path().parent_path()), 0700u);
  const SigningKey read = SigningKey::load(path).value();
  EXPECT_EQ(read.public_key(), key.public_key());
  EXPECT_EQ(read.sign("x"), key.sign("x"));
  const std::string text = testing::read_whole_file(path);
  EXPECT_EQ(text.size(), 24u + 64u + 1u);
  EXPECT_TRUE(text.starts_with("unscatter-signing-key-1 ") && text.ends_with("\n"));
}

// Whatever the process lets others do with new files.
TEST(SigningKey, ItsModeDoesNotDependOnTheUmask) {
  const testing::TemporaryFolder folder;
  for (const mode_t mask : {mode_t{0}, mode_t{0277}}) {
    const fs::path path = folder.path() / fmt::format("key-{}", mask);
    const mode_t before = ::umask(mask);
    const Status saved = seeded_key(3).save(path);
    ::umask(before);
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    EXPECT_EQ(file_mode(path), 0600u);
  }
}

TEST(SigningKey, NeverOverwritesAFile) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.write("key", "precious");
  const Status saved = seeded_key(3).save(path);
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(saved.error().message.find(path.string()), std::string::npos);
  EXPECT_EQ(testing::read_whole_file(path), "precious");
  const Status below_a_file = seeded_key(3).save(path / "key");
  ASSERT_FALSE(below_a_file.ok());
  EXPECT_EQ(below_a_file.error().code, ErrorCode::kIo);
}

TEST(SigningKey, RefusesAFileThatOthersMayUse) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "key";
  ASSERT_TRUE(seeded_key(4).save(path).ok());
  for (const unsigned bit : {0040u, 0020u, 0010u, 0004u, 0002u, 0001u}) {
    ASSERT_EQ(::chmod(path.c_str(), static_cast<mode_t>(0600u | bit)), 0);
    const Result<SigningKey> key = SigningKey::load(path);
    ASSERT_FALSE(key.ok()) << bit;
    EXPECT_EQ(key.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(key.error().message.find(fmt::format("{:04o}", 0600u | bit)), std::string::npos) << key.error().message;
  }
  ASSERT_EQ(::chmod(path.c_str(), 0400), 0);
  EXPECT_TRUE(SigningKey::load(path).ok());
}

TEST(SigningKey, RefusesWhatIsNoRegularFile) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(SigningKey::load(folder.path() / "nothing").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(SigningKey::load(folder.path()).error().code, ErrorCode::kInvalidArgument);
  const fs::path pipe = folder.path() / "pipe";  // must not wait for a writer
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(SigningKey::load(pipe).error().code, ErrorCode::kInvalidArgument);
}

TEST(SigningKey, RefusesEveryOtherSpelling) {
  const testing::TemporaryFolder folder;
  const std::string digits = kKnownSignatures[0].seed;
  std::string upper = digits;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c == 'd' ? 'D' : c; });
  const std::string good = "unscatter-signing-key-1 " + digits + "\n";
  ASSERT_TRUE(SigningKey::load(private_file(folder, good)).ok());
  for (const std::string& bad :
       {std::string(), digits, "unscatter-signing-key-1 " + digits, "unscatter-signing-key-1 " + upper + "\n",
        "unscatter-signing-key-1 " + digits + "\r\n", good + "\n", good + good, " " + good,
        "unscatter-signing-key-2 " + digits + "\n", "unscatter-public-key-1 " + digits + "\n",
        "unscatter-signing-key-1  " + digits + "\n", good.substr(0, 60) + "\n",
        std::string("unscatter-signing-key-1 \n"), good + std::string(100000, 'x')}) {
    const Result<SigningKey> key = SigningKey::load(private_file(folder, bad));
    ASSERT_FALSE(key.ok()) << bad;
    EXPECT_EQ(key.error().code, ErrorCode::kMalformedInput);
    EXPECT_EQ(key.error().message.find(digits.substr(0, 8)), std::string::npos) << "a secret in a message";
  }
}

TEST(SigningKey, MovingLeavesNothingBehind) {
  SigningKey key = seeded_key(5);
  const PublicKey half = key.public_key();
  const Signature signature = key.sign("x");
  SigningKey moved = std::move(key);
  EXPECT_EQ(moved.sign("x"), signature);
  SigningKey other = seeded_key(6);
  other = std::move(moved);
  EXPECT_EQ(other.public_key(), half);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  for (const SigningKey* empty : {&key, &moved}) EXPECT_EQ(empty->public_key(), PublicKey{});
}

TEST(SigningKey, DestroyingItOverwritesTheSecret) {
  alignas(SigningKey) std::array<std::byte, sizeof(SigningKey)> memory{};
  auto* key = new (memory.data()) SigningKey(seeded_key(7));
  ASSERT_NE(key->public_key(), PublicKey{});
  key->~SigningKey();
  // Read through volatile: the object is gone, its memory is ours.
  const volatile std::byte* bytes = memory.data();
  for (std::size_t i = 0; i < memory.size(); ++i) EXPECT_EQ(std::to_integer<int>(bytes[i]), 0) << i;
}

TEST(SigningKey, TwoAreNeverTheSame) {
  SecureRandom random;
  EXPECT_NE(SigningKey::generate(random).public_key(), SigningKey::generate(random).public_key());
}

TEST(PublicKey, IsReadFromDigitsOrFile) {
  const testing::TemporaryFolder folder;
  const PublicKey key = seeded_key(8).public_key();
  EXPECT_EQ(read_public_key(key.hex()).value(), key);
  const fs::path path = folder.write("key.pub", "old");
  ASSERT_TRUE(save_public_key(key, path).ok());
  EXPECT_EQ(testing::read_whole_file(path), "unscatter-public-key-1 " + key.hex() + "\n");
  EXPECT_EQ(read_public_key(path.string()).value(), key);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1)
      << "a temporary file stayed";
  EXPECT_EQ(save_public_key(key, folder.path() / "no" / "folder").error().code, ErrorCode::kIo);
}

TEST(PublicKey, RefusesEverythingElse) {
  const testing::TemporaryFolder folder;
  const std::string hex = seeded_key(9).public_key().hex();
  EXPECT_EQ(read_public_key("nothing/here").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_public_key("").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_public_key(folder.path().string()).error().code, ErrorCode::kIo);
  const fs::path secret = folder.path() / "secret";
  ASSERT_TRUE(seeded_key(9).save(secret).ok());
  for (const fs::path& path : {secret, folder.write("a", hex), folder.write("b", "unscatter-public-key-1 " + hex),
                               folder.write("c", std::string(1 << 20, 'x')), folder.write("d", "")}) {
    const Result<PublicKey> key = read_public_key(path.string());
    ASSERT_FALSE(key.ok()) << path;
    EXPECT_EQ(key.error().code, ErrorCode::kMalformedInput);
  }
  for (const std::string& bad : {std::string(), hex.substr(1), hex + "0", std::string(64, 'g'), std::string(64, 'A')}) {
    EXPECT_EQ(parse_public_key(bad).error().code, ErrorCode::kMalformedInput) << bad;
    EXPECT_EQ(parse_signature(bad + bad).error().code, ErrorCode::kMalformedInput) << bad;
  }
}

TEST(LoadOrCreateKey, MakesAKeyOnceAndItsPublicHalfBesideIt) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "deeper" / "signing.key";
  const KeyFile made = load_or_create_key(path).value();
  EXPECT_TRUE(made.created);
  EXPECT_EQ(read_public_key(public_key_path(path).string()).value(), made.key->public_key());
  const KeyFile again = load_or_create_key(path).value();
  EXPECT_FALSE(again.created);
  EXPECT_EQ(again.key->public_key(), made.key->public_key());
  // A key that others can read has to be noticed, and is not replaced.
  fs::permissions(path, fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(load_or_create_key(path).error().code, ErrorCode::kInvalidArgument);
}

TEST(LoadOrCreateKey, ThePublicKeyNeverTakesThePlaceOfTheSecretOne) {
  EXPECT_EQ(public_key_path("a/signing.key"), "a/signing.pub");
  EXPECT_EQ(public_key_path("a/signing.pub"), "a/signing.pub.pub");
}

}  // namespace
}  // namespace unscatter

#include "base/text/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace ablate::reports::sha256_test {
namespace {

// `printf TEXT | openssl dgst -sha256 -binary | base64`
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(sha256_base64("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
  EXPECT_EQ(sha256_base64(std::string(1'000'000, 'a')), "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
}

}  // namespace
}  // namespace ablate::reports::sha256_test
